"""Pools by name, and the places that tell them: a file, the environment, the cluster's ConfigMap."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import QuietHandler, serving

from ckf_spot import ContractError, PlacementError, Pools, UnknownPoolError, sources

DEMO = sources.SAMPLE
WITHOUT = (
    "name a file: --pools pools.json, in Python Pools.load('pools.json'), or CKF_SPOT_POOLS=pools.json; an "
    "administrator of the cluster can give you one, and `ckf-spot generate sample-pools -o pools.json` writes one to "
    "try things out"
)


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No cluster and no file, unless a test names one."""
    monkeypatch.delenv("CKF_SPOT_POOLS", raising=False)
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def test_names_are_workloads_and_pools() -> None:
    assert list(Pools.load(DEMO)) == [
        "platform", "cpu", "gpu", "general", "cpuspot", "cpuod", "gpuspot", "gpuod"
    ]  # fmt: skip
    assert len(Pools.load(DEMO)) == 8


def test_a_workload_is_its_pools_with_spot_first() -> None:
    assert [pool.name for pool in Pools.load(DEMO)["cpu"].pools] == ["cpuspot", "cpuod"]


def test_a_spot_pool_brings_its_twin() -> None:
    assert [pool.name for pool in Pools.load(DEMO)["gpuspot"].pools] == ["gpuspot", "gpuod"]


def test_a_pool_of_several_sizes_is_all_of_its_agent_pools_and_their_fallback(tmp_path: Path) -> None:
    entries: list[dict[str, Any]] = json.loads(DEMO.read_text(encoding="utf-8"))
    more = {**entries[1], "name": "cpuspot3f2a", "vmSize": "Standard_D8ads_v5", "pool": "cpuspot"}
    file = tmp_path / "pools.json"
    file.write_text(json.dumps([*entries, more]), encoding="utf-8")
    pools = Pools.load(file)
    assert [pool.name for pool in pools["cpuspot"].pools] == ["cpuspot", "cpuspot3f2a", "cpuod"]
    assert [pool.name for pool in pools["cpuspot3f2a"].pools] == ["cpuspot3f2a", "cpuod"]
    assert "cpuspot3f2a" not in list(pools)


def test_a_fallback_of_several_sizes_is_all_of_its_agent_pools(tmp_path: Path) -> None:
    entries: list[dict[str, Any]] = json.loads(DEMO.read_text(encoding="utf-8"))
    sizes = [{**entries[2], "name": name, "pool": "cpuod"} for name in ("cpuod1", "cpuod2")]
    file = tmp_path / "pools.json"
    file.write_text(json.dumps([*entries[:2], *sizes]), encoding="utf-8")
    assert [pool.name for pool in Pools.load(file)["cpuspot"].pools] == ["cpuspot", "cpuod1", "cpuod2"]


def test_an_on_demand_pool_stands_alone() -> None:
    assert [pool.name for pool in Pools.load(DEMO)["gpuod"].pools] == ["gpuod"]


def test_gpus_are_what_every_node_has() -> None:
    pools = Pools.load(DEMO)
    assert (pools["cpu"].gpus, pools["gpu"].gpus) == (0, 1)


def test_an_unknown_pool_is_reported_with_those_there_are() -> None:
    with pytest.raises(UnknownPoolError) as error:
        Pools.load(DEMO)["tpu"]
    assert str(error.value) == (
        "pool: 'tpu' is unknown; expected platform, cpu, gpu, general, cpuspot, cpuod, gpuspot, gpuod"
    )


@pytest.mark.parametrize("backend", ["v2", "3.0", "2", "", "1.8.22"])
def test_a_backend_that_is_no_version(backend: str) -> None:
    with pytest.raises(PlacementError) as error:
        Pools.load(DEMO, backend=backend)
    assert str(error.value) == (
        f"backend: {backend!r} is no version of Kubeflow Pipelines v2; expected 2.5 (Charmed Kubeflow 1.10), "
        "2.15 (1.11), 2.16 (1.11-ubuntu2), or another 2.N"
    )


@pytest.mark.parametrize(
    ("beside", "backend"),
    [
        ({}, "2.15"),
        ({"clusterBasis": {"kubeflow": {"pipelines": "2.16"}}}, "2.16"),
        ({"clusterBasis": {"kubeflow": {"release": "1.11"}}}, "2.15"),
    ],
)
def test_the_backend_is_the_one_that_the_outputs_name(
    tmp_path: Path, beside: dict[str, Any], backend: str
) -> None:
    file = tmp_path / "outputs.json"
    file.write_text(json.dumps({"poolContract": json.loads(DEMO.read_text()), **beside}))
    assert str(Pools.load(file).backend) == backend
    assert str(Pools.load(file, backend="2.5").backend) == "2.5"


@pytest.mark.parametrize(("named", "backend"), [({}, "2.15"), ({"pipelines": "2.16"}, "2.16")])
def test_the_backend_is_the_one_that_the_config_map_names(
    tmp_path: Path, named: dict[str, str], backend: str
) -> None:
    file = tmp_path / "map.json"
    file.write_text(json.dumps({"data": {"pools.json": DEMO.read_text(), **named}}))
    assert str(Pools.load(file).backend) == backend


def test_a_backend_of_another_type_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "map.json"
    file.write_text(json.dumps({"data": {"pools.json": DEMO.read_text(), "pipelines": 2.16}}))
    with pytest.raises(
        PlacementError, match=r"data\.pipelines: 2\.16 is not allowed; expected a release, such as 2.16"
    ):
        Pools.load(file)


def test_a_backend_that_ignores_retries() -> None:
    with pytest.raises(PlacementError) as error:
        Pools.load(DEMO, backend="2.3")
    assert str(error.value) == (
        "backend: '2.3' ignores retries, so no task would survive an eviction; expected 2.5 or newer"
    )


@pytest.mark.parametrize(
    ("backend", "affinity", "nested"), [("2.5", False, False), ("2.14.0", True, True), ("2.15", True, True)]
)
def test_what_a_backend_reads(backend: str, affinity: bool, nested: bool) -> None:  # noqa: FBT001 - of the table
    release = Pools.load(DEMO, backend=backend).backend
    assert (release.node_affinity, release.nested_retries) == (affinity, nested)


def test_the_environment_names_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CKF_SPOT_POOLS", str(DEMO))
    assert Pools.load().all == Pools.load(DEMO).all


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ContractError) as error:
        Pools.load(tmp_path / "pools.json")
    assert str(error.value) == f"{tmp_path / 'pools.json'}: can't be read: No such file or directory"


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "pools.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ContractError, match=r"pools.json: can't be read: it is no text$"):
        Pools.load(tmp_path / "pools.json")


def test_without_file_and_cluster_there_is_a_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ContractError) as error:
        Pools.load()
    assert str(error.value) == f"ConfigMap kubeflow-aks/agent-pools: no cluster is configured; {WITHOUT}"
    assert capsys.readouterr() == ("", "")


def test_a_kubeconfig_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "missing"))
    with pytest.raises(ContractError, match="no cluster is configured; name a file"):
        Pools.load()


class Cluster:
    """An API server that answers with one ConfigMap, or with a refusal."""

    def __init__(self) -> None:
        self.status = 200
        self.page = b""
        self.data: dict[str, str] = {"pools.json": DEMO.read_text(encoding="utf-8")}
        self.requests: list[str] = []
        self.version: dict[str, Any] = {
            **dict.fromkeys(
                ("buildDate", "compiler", "gitCommit", "gitTreeState", "goVersion", "platform"), ""
            ),
            "gitVersion": "v1.34.4",
            "major": "1",
            "minor": "34",
        }

    def answer(self) -> dict[str, Any]:
        """The body of the answer."""
        if self.requests[-1] == "/version/":
            return self.version
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "agent-pools"},
            "data": self.data,
        }


@pytest.fixture
def cluster(point_to: Callable[[str], None]) -> Iterator[Cluster]:
    api = Cluster()

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            api.requests.append(self.path)
            self.answer(api.status, api.page or json.dumps(api.answer()).encode())

    with serving(Handler) as address:
        point_to(address)
        yield api


def test_the_cluster_tells_its_pools(cluster: Cluster) -> None:
    assert Pools.load().all == Pools.load(DEMO).all
    assert cluster.requests == ["/api/v1/namespaces/kubeflow-aks/configmaps/agent-pools", "/version/"]


def test_the_cluster_reports_its_release_unless_one_is_named(cluster: Cluster) -> None:
    assert Pools.load()["cpu"].kubernetes == "v1.34.4"
    assert Pools.load(kubernetes="1.36")["cpu"].kubernetes == "1.36"
    cluster.version = {"gitVersion": None}
    assert Pools.load()["cpu"].kubernetes is None
    assert Pools.load(DEMO)["cpu"].kubernetes is None, "a file has none"


@pytest.mark.parametrize("release", ["1", "2.0", "1.x", ""])
def test_a_release_of_kubernetes_that_is_none(release: str) -> None:
    with pytest.raises(
        PlacementError, match=f"^kubernetes: '{release}' is not allowed; expected 1.N, such as 1.34$"
    ):
        Pools.load(DEMO, kubernetes=release)


@pytest.mark.parametrize("release", ["1.99", 1.34, 134])
def test_a_release_that_there_is_not_yet_or_that_is_a_number(release: Any) -> None:
    with pytest.raises(PlacementError) as error:
        Pools.load(DEMO, kubernetes=release)
    assert str(error.value).startswith(f"kubernetes: {release!r} is not allowed; expected 1.N")
    assert len(error.value.mistakes) == 1


@pytest.mark.parametrize("pools", ["pools.json", [], {"name": "cpu"}, ("cpuspot",), None])
def test_pools_that_are_none(pools: Any) -> None:
    with pytest.raises(PlacementError) as error:
        Pools(pools)
    assert str(error.value).endswith("is no agent pools; expected those of Pools.load('pools.json')")


@pytest.mark.parametrize("source", [{"name": "cpu"}, [], 5])
def test_a_source_that_is_no_path(source: Any) -> None:
    with pytest.raises(ContractError) as error:
        Pools.load(source)
    assert (
        str(error.value)
        == f"source: {source!r} is not allowed; expected the path of a file with the pool contract"
    )


def test_a_backend_that_is_a_number() -> None:
    backend: Any = 2.15
    with pytest.raises(PlacementError, match=r"^backend: 2\.15 is no version of Kubeflow Pipelines v2; "):
        Pools.sample(backend=backend)


def test_what_is_no_cluster(cluster: Cluster) -> None:
    cluster.page = b"<!DOCTYPE html><html>Sign in</html>"
    with pytest.raises(ContractError) as error:
        Pools.load()
    assert str(error.value) == (
        "ConfigMap kubeflow-aks/agent-pools: the answer is no API server's, but a proxy's or a sign-in page's; "
        f"{WITHOUT}"
    )


@pytest.mark.parametrize(("status", "reason"), [(404, "Not Found"), (403, "Forbidden")])
def test_a_cluster_that_refuses(cluster: Cluster, status: int, reason: str) -> None:
    cluster.status = status
    with pytest.raises(ContractError) as error:
        Pools.load()
    assert str(error.value) == f"ConfigMap kubeflow-aks/agent-pools: {status} {reason}; {WITHOUT}"


def test_a_config_map_without_the_pools(cluster: Cluster) -> None:
    cluster.data = {"other": ""}
    with pytest.raises(ContractError) as error:
        Pools.load()
    assert str(error.value) == (
        "ConfigMap kubeflow-aks/agent-pools: the key 'pools.json' is missing; its keys: other"
    )


def test_a_kubeconfig_in_its_usual_place_is_found(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usual = tmp_path / ".kube" / "config"
    usual.parent.mkdir()
    (tmp_path / "kubeconfig").rename(usual)
    monkeypatch.delenv("KUBECONFIG")
    assert Pools.load().all
    assert cluster.requests


def test_a_cluster_that_does_not_answer(point_to: Callable[[str], None]) -> None:
    with serving(QuietHandler) as address:
        point_to(address)  # free again below, and with nobody behind it
    with pytest.raises(ContractError, match="the cluster does not answer: ") as error:
        Pools.load()
    assert str(error.value).endswith(WITHOUT)
    assert "\n" not in str(error.value)
