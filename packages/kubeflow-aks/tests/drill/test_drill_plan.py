"""What a drill says that it will do, from the outputs of a stack and its limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.drill.errors import DrillError
from kubeflow_aks.drill.plan import Plan, plan, sentences
from tests.handoff.made_up_outputs import values


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["drill", *arguments])


_SPOT = "kubernetes.azure.com/scalesetpriority"


def outputs(**changes: Any) -> Outputs:
    """The outputs of stack `dev`, some of them changed."""
    return Outputs("dev", {**values(), "poolContract": POOLS, **changes})


def _pool(name: str, role: str, priority: str, **more: Any) -> dict[str, Any]:
    spot = [f"{_SPOT}=spot:NoSchedule"] if priority == "Spot" else []
    return {
        "name": name,
        "role": role,
        "priority": priority,
        "vmSize": "Standard_NC4as_T4_v3" if role == "gpu" else "Standard_D8ds_v5",
        "gpus": int(role == "gpu"),
        "maxCount": 4,
        "labels": {"kubeflow-aks/workload": role} | ({_SPOT: "spot"} if priority == "Spot" else {}),
        "taints": spot if role != "general" else [],
        "fallback": None,
        **more,
    }


POOLS = [
    _pool("general", "general", "Regular"),
    _pool("cpuspot", "cpu", "Spot", fallback="cpuod"),
    _pool("cpuod", "cpu", "Regular", taints=["kubeflow-aks/fallback=true:NoSchedule"]),
    _pool("gpuspot", "gpu", "Spot"),
]


def made(nodes: int = 3, present: dict[str, int] | None = None, **changes: Any) -> Plan:
    return plan(outputs(**changes), present or {}, nodes=nodes, minutes=45)


@pytest.mark.parametrize(("nodes", "batch", "gpu"), [(1, 1, False), (2, 1, True), (3, 2, True), (9, 2, True)])
def test_a_limit_of_nodes_is_kept(nodes: int, batch: int, gpu: bool) -> None:
    plan = made(nodes)
    assert (plan.batch_nodes, plan.gpu) == (batch, gpu)
    assert plan.at_once <= nodes
    assert ("gpu-on-spot" in plan.left_out) is not gpu


def test_the_smallest_pool_is_not_requested_more_than_it_has() -> None:
    small = [{**pool, "maxCount": 1} for pool in POOLS]
    assert made(poolContract=small).batch_nodes == 1


def test_nodes_that_are_there_leave_nothing_to_see_from_zero() -> None:
    plan = made(present={"cpuspot": 2})
    assert plan.left_out["batch-on-spot"] == "cpuspot has 2 nodes already, so from zero can't be shown"
    assert "gpu-on-spot" not in plan.left_out
    assert {pool.name: pool.min_count for pool in plan.facts.pools}["cpuspot"] == 2


def test_a_stack_without_an_eviction_handler_is_not_held_to_it() -> None:
    basis: dict[str, Any] = values()["clusterBasis"]
    off = {**basis, "kubeflow": {**basis["kubeflow"], "evictionHandler": False}}
    assert "handled" not in made().left_out
    assert "kubeflow.evictionHandler" in made(clusterBasis=off).left_out["handled"]


def test_a_stack_without_guards_is_not_held_to_them() -> None:
    basis: dict[str, Any] = values()["clusterBasis"]
    off = {**basis, "kubeflow": {**basis["kubeflow"], "guards": False}}
    assert "guard" not in made().left_out
    assert "kubeflow.guards" in made(clusterBasis=off).left_out["guard"]


def test_it_says_what_it_makes_and_takes_and_what_that_costs() -> None:
    text = "\n".join(sentences(made(), outputs()))
    assert "2 nodes of cpuspot and 1 of gpuspot" in text
    assert "evict 1 spot node of cpuspot" in text
    assert "after 45 minutes at the latest" in text
    assert "It costs about $" in text


def test_a_stack_without_spot_has_nothing_to_drill() -> None:
    with pytest.raises(DrillError, match="dev has no spot pool"):
        made(poolContract=POOLS[:1])


def test_a_size_that_nobody_knows_is_reported() -> None:
    unknown = [{**pool, "vmSize": "Standard_X1"} for pool in POOLS]
    with pytest.raises(DrillError, match="cpuspot: nothing is known of VM size Standard_X1"):
        made(poolContract=unknown)


def test_a_broken_contract_is_one_line() -> None:
    with pytest.raises(DrillError) as error:
        made(poolContract=[{"name": "x"}, {"name": "y", "taints": 3}])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("option", ["--nodes=0", "--nodes=11", "--minutes=4", "--minutes=ten", "--nodes=²"])
def test_limits_have_limits(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([option, "--", "dev"]) == 2
    assert "expected a whole number from" in capsys.readouterr().err


def test_a_name_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--", "../dev"]) == 2
    assert capsys.readouterr().err.startswith("error: stack: ../dev is not allowed; expected a name")
