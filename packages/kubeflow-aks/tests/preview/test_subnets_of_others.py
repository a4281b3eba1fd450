"""`kubeflow-aks quota` on a stack in subnets of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.preview.subnets import needed_addresses, subnets_compared
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import Record, record
from tests.clients.az_placement import installed, words
from tests.preview.test_quota_command import ENOUGH

_NET: Final = (
    "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/net/providers/Microsoft.Network"
)
_VNET: Final = f"{_NET}/virtualNetworks/spoke"
IDS: Final = {role: f"{_VNET}/subnets/{role}" for role in ("system", "general", "cpu", "gpu")}
RANGES: Final = {
    "system": "10.9.0.0/27",
    "general": "10.9.0.32/27",
    "cpu": "10.9.1.0/24",
    "gpu": "10.9.2.0/24",
}
ROUTED: Final = {"outboundType": "userDefinedRouting", "routeTableId": f"{_NET}/routeTables/r"}


@pytest.fixture(scope="module")
def stack() -> Record:
    """The `dev` stack in those subnets."""
    return recorded()


def recorded(network: dict[str, Any] | None = None, **extra: Any) -> Record:
    """What that stack registers with more settings."""
    return record("dev", preview=True, extra={"network": {"subnetIds": IDS, **(network or {})}, **extra})


def answer(*, space: str = "10.9.0.0/16", **subnets: dict[str, Any]) -> str:
    """What `az network vnet show` prints, with other properties of some subnets."""
    entries: list[dict[str, Any]] = [
        {
            "id": IDS.get(name, f"{_VNET}/subnets/{name}"),
            "addressPrefix": cidr,
            "delegations": [],
            "ipConfigurations": None,
            "natGateway": None,
            "routeTable": {"id": "r"},
            **subnets.get(name, {}),
        }
        for name, cidr in {**RANGES, "api": "10.9.3.0/28"}.items()
    ]
    return json.dumps({"addressSpace": {"addressPrefixes": [space]}, "subnets": entries})


def compared(folder: Path, network: str, stack: Record) -> tuple[list[str], bool]:
    """The lines, and whether all is well."""
    installed(folder, network=network)
    return subnets_compared(Az(str(folder / "az")), stack, 200)


def test_a_regular_pool_needs_one_address_for_its_surge_and_each_node_one(stack: Record) -> None:
    needed = {"system": 2 + 1, "general": 3 + 1, "cpu": 10 + 5 + 1, "gpu": 4 + 2 + 1}
    assert needed_addresses(stack) == {IDS[subnet]: count for subnet, count in needed.items()}


@pytest.mark.parametrize(("surge", "added"), [("40%", 2), ("75%", 3), ("2", 2), ("9", 4)])
def test_the_surge_is_that_of_the_pool_a_share_rounded_up(surge: str, added: int) -> None:
    pool = {"minCount": 2, "maxCount": 4, "upgrade": {"maxSurge": surge}}
    assert needed_addresses(recorded(systemPool=pool))[IDS["system"]] == 4 + added


def test_a_pool_that_is_upgraded_in_place_needs_no_more() -> None:
    upgrade = {"maxSurge": "0", "maxUnavailable": "1"}
    pools = {"general": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3, "upgrade": upgrade}}
    assert needed_addresses(recorded(pools=pools))[IDS["general"]] == 3


def test_two_roles_may_share_a_subnet_whose_id_is_written_in_two_ways() -> None:
    shared = recorded(
        {"subnetIds": {**IDS, "gpu": IDS["cpu"].upper().replace("/SUBSCRIPTIONS", "/subscriptions")}}
    )
    assert needed_addresses(shared) == {IDS["system"]: 3, IDS["general"]: 4, IDS["cpu"]: 23}


def test_a_stack_with_a_network_of_its_own_needs_nothing_of_others() -> None:
    recorded = record("dev", preview=True)
    assert needed_addresses(recorded) == {}
    assert subnets_compared(Az("no-such-az"), recorded, 200) == ([], True)


def test_subnets_with_room_are_enough(tmp_path: Path, stack: Record) -> None:
    lines, enough = compared(tmp_path, answer(), stack)
    assert enough
    assert [line.split()[0] for line in lines] == ["Subnet", "system", "general", "cpu", "gpu"]
    assert [word for line in lines[1:] for word in line.split()[-1:]] == ["enough"] * 4


def test_used_addresses_are_not_free(tmp_path: Path, stack: Record) -> None:
    used = {"ipConfigurations": [{"id": str(number)} for number in range(25)]}
    lines, enough = compared(tmp_path, answer(general=used), stack)
    assert not enough
    assert next(line for line in lines if line.startswith("general")).endswith("2 more needed")


def test_a_subnet_that_is_not_there_is_reported(tmp_path: Path, stack: Record) -> None:
    gone = {"id": f"{_VNET}/subnets/other"}
    lines, enough = compared(tmp_path, answer(gpu=gone), stack)
    assert not enough
    assert lines[-1].endswith("not in the network")


@pytest.mark.parametrize(
    ("network", "subnets", "line"),
    [
        ({}, {"space": "10.240.0.0/12"}, "network.podCidr 10.244.0.0/16 overlaps the network 10.240.0.0/12"),
        (
            {},
            {"cpu": {"addressPrefix": "10.0.8.0/24"}},
            "network.serviceCidr 10.0.0.0/16 overlaps subnet 10.0.8.0/24",
        ),
        (
            {"outboundType": "userAssignedNATGateway"},
            {},
            "cpu has no NAT gateway, by which its nodes are to go out",
        ),
        (ROUTED, {"gpu": {"routeTable": None}}, "gpu has no route table, by which its nodes are to go out"),
        (
            {},
            {"system": {"delegations": [{"serviceName": "Microsoft.Sql/managedInstances"}]}},
            "system is delegated to Microsoft.Sql/managedInstances; nodes need one that is not",
        ),
    ],
)
def test_what_aks_would_refuse_is_a_finding(
    tmp_path: Path, network: dict[str, Any], subnets: dict[str, Any], line: str, stack: Record
) -> None:
    lines, enough = compared(tmp_path, answer(**subnets), recorded(network) if network else stack)
    assert not enough
    assert line in lines


def test_the_subnet_of_the_api_server_is_delegated_to_aks(tmp_path: Path) -> None:
    integrated = recorded(apiAccess={"subnetId": f"{_VNET}/subnets/api"})
    lines, enough = compared(tmp_path, answer(), integrated)
    assert not enough
    assert (
        lines[-1] == "api for the API server is not delegated to Microsoft.ContainerService/managedClusters"
    )
    aks = {"delegations": [{"serviceName": "Microsoft.ContainerService/managedClusters"}]}
    assert compared(tmp_path, answer(api=aks), integrated)[1]


@pytest.mark.parametrize("text", ["[]", "{}", '{"addressSpace": {}, "subnets": []}', '{"subnets": [1]}'])
def test_what_is_no_answer_of_az_is_refused(tmp_path: Path, text: str, stack: Record) -> None:
    with pytest.raises(AzError, match="`az network vnet` printed something unexpected"):
        compared(tmp_path, text, stack)


def test_the_command_asks_az_for_the_network_and_finds_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (PROJECT_ROOT / "Pulumi.dev.yaml").read_text(encoding="utf-8")
    root = tmp_path / "project"
    root.mkdir()
    for name in ("Pulumi.yaml", "__main__.py"):
        (root / name).write_text((PROJECT_ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    ids = "".join(f"      {role}: {arm_id}\n" for role, arm_id in IDS.items())
    network = f"  kubeflow-aks:network:\n    outboundType: userAssignedNATGateway\n    subnetIds:\n{ids}"
    (root / "Pulumi.dev.yaml").write_text(f"{text.rstrip()}\n{network}", encoding="utf-8")
    log = installed(tmp_path / "bin", usage=ENOUGH, network=answer(gpu={"natGateway": {"id": "n"}}))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    assert main(["quota", "dev", "--root", str(root)]) == 1
    assert ["network", "vnet", "show", "--ids", _VNET, "--output", "json"] in words(log)
    shown = capsys.readouterr().out
    assert "Subnets of others, with every pool full" in shown
    assert "cpu has no NAT gateway" in shown
    assert "gpu has no NAT gateway" not in shown
