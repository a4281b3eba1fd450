"""The demo finds its pools in any stack's contract."""

from __future__ import annotations

from typing import Any

from kubeflow_aks.demo.run_scenario import deployed_pools
from kubeflow_aks.scenario.contract_pools import ContractPool, pools_for_role
from tests.local_aks.simulation.simulated import pool as azure_pool

SPOT = "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"
FALLBACK = "kubeflow-aks/fallback=true:NoSchedule"


def _contract(name: str, role: str, fallback: str | None = None) -> dict[str, Any]:
    return {"name": name, "role": role, "fallback": fallback}


def _azure(name: str, workload: str = "cpu", *, spot: bool = False, **values: Any) -> dict[str, Any]:
    priority = {"scaleSetPriority": "Spot"} if spot else {}
    return azure_pool(name, nodeLabels={"kubeflow-aks/workload": workload}, **priority, **values)


def _joined() -> tuple[ContractPool, ...]:
    contract = [
        _contract("general", "general"),
        _contract("spare", "cpu"),
        _contract("cpuspot", "cpu", "cpuod"),
        _contract("cpuod", "cpu"),
        _contract("t4spot", "gpu"),
    ]
    azure = [
        _azure("t4spot", "gpu", spot=True),
        _azure("cpuod", nodeTaints=[FALLBACK]),
        _azure("cpuspot", spot=True),
        _azure("spare", "spare", spot=True),
        _azure("general", "platform"),
        azure_pool("system", mode="System"),
    ]
    return deployed_pools(contract, azure)


def test_pools_come_in_the_contracts_order_and_the_system_pool_first() -> None:
    assert [pool.name for pool in _joined()] == ["system", "general", "spare", "cpuspot", "cpuod", "t4spot"]


def test_a_pool_that_the_contract_does_not_name_is_the_systems() -> None:
    assert [pool.name for pool in _joined() if pool.role == "system"] == ["system"]


def test_a_fallback_knows_its_spot_pool() -> None:
    assert {pool.name: pool.fallback_for for pool in _joined() if pool.fallback_for} == {
        "cpuod": ("cpuspot",)
    }


def test_the_lane_is_one_with_a_fallback_if_there_is_one() -> None:
    lane = pools_for_role(_joined(), "cpu")
    assert lane is not None
    assert [pool.name for pool in lane.pools] == ["cpuspot", "cpuod"]
    assert lane.workload == "cpu"


def test_every_spot_pool_of_the_workload_is_in_the_lane() -> None:
    contract = [_contract("a", "cpu", "od"), _contract("b", "cpu"), _contract("od", "cpu")]
    lane = pools_for_role(
        deployed_pools(contract, [_azure("a", spot=True), _azure("b", spot=True), _azure("od")]), "cpu"
    )
    assert lane is not None
    assert ([pool.name for pool in lane.spot], [pool.name for pool in lane.fallbacks]) == (
        ["a", "b"],
        ["od"],
    )


def test_a_lane_may_have_no_fallback() -> None:
    lane = pools_for_role(_joined(), "gpu")
    assert lane is not None
    assert lane.fallbacks == ()
    assert lane.gpu


def test_without_a_spot_pool_there_is_no_lane() -> None:
    assert (
        pools_for_role(
            deployed_pools([_contract("general", "general")], [_azure("general", "platform")]), "cpu"
        )
        is None
    )
