"""`ckf-spot doctor` on the demo stack: its findings on the program's own objects, and that the API server agrees."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from ckf_spot import Pools
from components.kubeflow.argo_retries import CONFIG_MAP, KEY, NAMESPACE, WORKFLOW_DEFAULTS
from components.kubeflow.contract import ARGO_RETRIES, CONTRACT
from components.kubeflow.labels import OURS
from tests.local.ckf_spot_command import ckf_spot
from tests.local.demo_stack import DemoStack, Object
from tests.local.pool_contract import pools_of

WHITELIST: Final = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
GPU_ONLY: Final = '[{"key": "nvidia.com/gpu", "operator": "Exists"}]'


@pytest.fixture(scope="module")
def pools(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Pools:
    return pools_of(demo, tmp_path_factory.mktemp("contract"))


@pytest.fixture
def charm(demo: DemoStack) -> Generator[Object]:
    """The ConfigMap of Argo's charm with the program's setting in it."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": CONFIG_MAP, "namespace": NAMESPACE},
        "data": {KEY: WORKFLOW_DEFAULTS},
    }
    demo.apply(namespace, config_map)
    yield config_map
    demo.kubectl.run("delete", "configmap", CONFIG_MAP, "--namespace", NAMESPACE)


def doctor(kubeconfig: Path, *arguments: str, code: int) -> list[str]:
    """The lines of a report."""
    ran = ckf_spot(kubeconfig, "doctor", *arguments)
    assert (ran.code, ran.errors) == (code, []), ran.output
    return ran.output.splitlines()


def job(**resources: Any) -> Object:
    container = {"name": "main", "image": "work", "resources": resources}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def written(job: Object, folder: Path) -> str:
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    return str(path)


def publish(demo: DemoStack, value: str) -> None:
    """Writes what the program does beside the pools once it has set Argo's retries."""
    patch = f'{{"data": {{"{ARGO_RETRIES}": {value}}}}}'
    demo.kubectl.run("patch", "configmap", CONTRACT, "--namespace", OURS, "--type", "merge", "--patch", patch)


def make_pod(demo: DemoStack, job: Object, namespace: str) -> None:
    """Makes a pod of a Job's template, without waiting for a controller."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "of-the-job"},
        "spec": {"restartPolicy": "Never", **job["spec"]["template"]["spec"]},
    }
    demo.kubectl.run("create", "--namespace", namespace, "-f", "-", stdin=json.dumps(pod))


@pytest.mark.usefixtures("charm")
def test_what_the_program_made_is_ready(demo: DemoStack) -> None:
    lines = doctor(demo.kubectl.kubeconfig, code=1)
    assert lines[:2] == [
        "✔ pool contract: general, cpuspot, cpuod, gpuspot, gpuod",
        "✔ argoRetries: a step of a pipeline whose pod vanished is tried again",
    ]
    assert "✔ priority map: spot nodes are made before on-demand ones" in lines
    [wrong] = [line for line in lines if line.startswith("✘")]
    assert wrong.startswith("✘ Kubeflow Pipelines: it does not run in the namespace kubeflow"), "nor does it"


def test_a_missing_charm_of_argo_is_reported(demo: DemoStack) -> None:
    lines = doctor(demo.kubectl.kubeconfig, code=1)
    assert any(line.startswith("✘ argoRetries: there is no ConfigMap kubeflow/argo-") for line in lines)


@pytest.mark.usefixtures("charm")
def test_a_user_of_a_namespace_gets_a_list_of_what_could_not_be_read(
    demo: DemoStack, pools: Pools, tmp_path: Path
) -> None:
    with demo.namespace() as namespace:
        user = _user(demo, namespace, tmp_path)
        file = written(pools["cpu"].place(job()), tmp_path)
        lines = doctor(user, "-f", file, "--pool", "cpu", "-n", namespace, code=0)
        publish(demo, '"true"')
        later = doctor(user, "-n", namespace, code=0)
        publish(demo, "null")
    assert "✔ pool contract: general, cpuspot, cpuod, gpuspot, gpuod" in lines
    unknown = {line[2:].partition(":")[0] for line in lines if line.startswith("?")}
    platform = {"argoRetries", "Kubeflow Pipelines", "priority map", "GPUs"}
    assert unknown == {*platform, f"PodDefaults of {namespace}"}, "a profile's users may read those"
    assert f"✔ quota of {namespace}: there is none" in lines
    assert lines[-1] == f"✔ {file} on cpu: placed already"
    assert (
        "✔ argoRetries: a step of a pipeline whose pod vanished is tried again, as the last `pulumi up` set it"
        in later
    )


def test_a_quota_that_it_warns_of_refuses_the_pod(demo: DemoStack, pools: Pools, tmp_path: Path) -> None:
    placed = pools["cpu"].place(job())
    enough = pools["cpu"].place(job(requests={"cpu": "1"}))
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}}
    with demo.namespace() as namespace:
        limited = {**quota, "metadata": {"name": "team", "namespace": namespace}}
        demo.apply({**limited, "spec": {"hard": {"requests.cpu": "1"}}})
        demo.kubectl.run(
            "wait", "--for=jsonpath={.status.hard}", "resourcequota/team", "--namespace", namespace
        )
        lines = doctor(demo.kubectl.kubeconfig, "-f", written(placed, tmp_path), "-n", namespace, code=1)
        assert any("pods are refused: main names no requests.cpu" in line for line in lines)
        with pytest.raises(AssertionError, match=r"must specify requests\.cpu"):
            make_pod(demo, placed, namespace)
        lines = doctor(demo.kubectl.kubeconfig, "-f", written(enough, tmp_path), "-n", namespace, code=1)
        assert f"✔ quota of {namespace}: team: requests.cpu: 1 of 1 free" in lines
        make_pod(demo, enough, namespace)


def test_a_whitelist_that_it_warns_of_refuses_the_pod(demo: DemoStack, pools: Pools, tmp_path: Path) -> None:
    placed = pools["cpu"].place(job())
    with demo.namespace(annotations={WHITELIST: GPU_ONLY}) as namespace:
        file = written(placed, tmp_path)
        lines = doctor(demo.kubectl.kubeconfig, "-f", file, "--pool", "cpu", "-n", namespace, code=1)
        assert any(
            line.startswith(f"✘ tolerations in {namespace}: placed pods are refused") for line in lines
        )
        with pytest.raises(AssertionError, match="conflict with its namespace whitelist"):
            make_pod(demo, placed, namespace)


def _user(demo: DemoStack, namespace: str, folder: Path) -> Path:
    """Kubeconfig of somebody with Kubernetes' own role `view` in the namespace and no right elsewhere."""
    name = "reader-of-doctor"
    demo.kubectl.run("create", "serviceaccount", name, "--namespace", namespace)
    bound = ("--clusterrole=view", f"--serviceaccount={namespace}:{name}", "--namespace", namespace)
    demo.kubectl.run("create", "rolebinding", name, *bound)
    token = demo.kubectl.run("create", "token", name, "--namespace", namespace).strip()
    config = yaml.safe_load(demo.kubectl.kubeconfig.read_text(encoding="utf-8"))
    config["users"] = [{"name": name, "user": {"token": token}}]
    for context in config["contexts"]:
        context["context"]["user"] = name
    path = folder / "user.kubeconfig"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path
