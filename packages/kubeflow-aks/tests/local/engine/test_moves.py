"""Kubeflow's own pool and the system pool move on the real engine: no other pool changes, and nothing is left."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from kubeflow_aks.local_aks.azure.state import AGENT_POOL
from kubeflow_aks.local_aks.engine import EngineError, Result
from tests.local.engine.by_hand import az
from tests.local.engine.deployment import Deployment

HOME: dict[str, Any] = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3}
NEW_HOME: dict[str, Any] = {**HOME, "vmSize": "Standard_D16s_v5"}
WORK: dict[str, Any] = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 10}
SYSTEM: dict[str, Any] = {"vmSize": "Standard_D8s_v5", "minCount": 3, "maxCount": 4, "maxPods": 60}
BEFORE: dict[str, Any] = {"pools": {"general": HOME, "cpuspot": WORK}}


def _az_delete(stack: Deployment, pool: str) -> subprocess.CompletedProcess[str]:
    name = f"kubeflow-aks-{stack.stack}"
    return az(stack, f"az aks nodepool delete --name {pool} --resource-group {name} --cluster-name {name}")


def _pools(done: Result) -> dict[str, str]:
    """What was done to which pool."""
    return {step.name.rpartition("-")[2]: step.op for step in done.changed() if step.type == AGENT_POOL}


def _kinds(done: Result) -> set[str]:
    """Types of all that changed, without their package."""
    return {step.type.rpartition(":")[2] for step in done.changed()}


def test_the_home_moves_there_and_back_though_the_stack_is_protected(dev: Deployment) -> None:
    there = {"pools": {**BEFORE["pools"], "general2": {**NEW_HOME, "replaces": "general"}}}
    back = {"pools": {"cpuspot": WORK, "general": {**HOME, "replaces": "general2"}, "general2": NEW_HOME}}
    dev.engine(**BEFORE).up()
    dev.set_counts(general=3, cpuspot=4)
    assert _pools(dev.engine(**there).up()) == {"general2": "create", "general": "update"}
    assert dev.counts() == {"system": 1, "general": 3, "general2": 2, "cpuspot": 4}
    assert _pools(dev.engine(**back).up()) == {"general": "update", "general2": "update"}
    assert not dev.pool("general").outputs.get("nodeTaints")
    assert dev.engine(**back).up().changed() == ()
    assert _pools(dev.engine(**BEFORE).up()) == {"general2": "delete"}
    dev.assert_state_is_what_exists()

    dev.engine(**there).up()
    after = {"pools": {"general2": NEW_HOME, "cpuspot": WORK}}
    done = dev.engine(**after).up()
    assert _pools(done) == {"general": "delete"}
    assert "ManagedCluster" not in _kinds(done)
    dev.assert_state_is_what_exists()
    assert dev.engine(**after).up().changed() == ()
    assert dev.counts() == {"system": 1, "general2": 2, "cpuspot": 4}
    with pytest.raises(EngineError, match="protected"):
        dev.engine(**BEFORE).up()
    assert "general2" in dev.counts()


def test_the_system_pool_moves_there_and_back_though_the_stack_is_protected(dev: Deployment) -> None:
    """The cluster's request never has a system pool that does not exist or differs."""
    both = {
        "pools": {**BEFORE["pools"], "system2": {**SYSTEM, "osDisk": {"sizeGib": 256}, "replaces": "system"}}
    }
    after = {**BEFORE, "systemPool": {"name": "system2", "osDiskGib": 256, **SYSTEM}}
    dev.engine(**BEFORE).up()
    dev.set_counts(system=3, cpuspot=4)
    with pytest.raises(EngineError, match="A new agent pool was introduced"):
        dev.engine(**after).up()
    assert _pools(dev.engine(**both).up()) == {"system2": "create"}
    different = {**after, "systemPool": {**after["systemPool"], "maxPods": 110}}
    with pytest.raises(EngineError, match=r"'properties\.maxPods' is not allowed"):
        dev.engine(**different).up()
    assert dev.engine(**both).up().changed() == ()
    dev.assert_state_is_what_exists()
    _turn_back(dev)

    dev.engine(**both).up()
    dev.set_counts(system2=4)
    made = dev.pool("system2")
    assert "[retain]" in dev.engine(**after).preview().console
    done = dev.engine(**after).up()
    assert _pools(done) == {"system2": "delete"}, "so the engine calls what it only forgets"
    assert _kinds(done) == {"AgentPool", "ManagedCluster"}
    now = dev.pool("system2").outputs
    assert {key: now[key] for key in now if key != "eTag"} == {
        key: value for key, value in made.outputs.items() if key != "eTag"
    }
    assert dev.engine(**after).up().changed() == ()
    assert dev.counts() == {"system": 3, "system2": 4, "general": 2, "cpuspot": 4}
    _turn_back(dev)

    dev.engine(**both).up()
    dev.engine(**after).up()
    assert _az_delete(dev, "system").returncode == 0
    dev.assert_state_is_what_exists()
    assert dev.engine(**after).up().changed() == ()
    assert set(dev.counts()) == {"system2", "general", "cpuspot"}
    assert "at least one system agent pool" in _az_delete(dev, "system2").stderr


def _turn_back(stack: Deployment) -> None:
    """Gives up the move of the system pool."""
    stack.engine(**BEFORE).up()
    assert _az_delete(stack, "system2").returncode == 0
    stack.assert_state_is_what_exists()
    assert stack.engine(**BEFORE).up().changed() == ()
    assert set(stack.counts()) == {"system", "general", "cpuspot"}


def test_a_stack_that_has_moved_can_be_made_anew_and_destroyed(demo: Deployment) -> None:
    after = {"pools": {"general2": NEW_HOME}, "systemPool": {"name": "system2", **SYSTEM}}
    demo.engine(**after).up()
    assert demo.counts() == {"system2": 3, "general2": 2}
    demo.assert_state_is_what_exists()
    demo.engine(**after).destroy()
    demo.assert_nothing_exists()


def test_a_stack_can_be_destroyed_in_the_middle_of_both_moves(demo: Deployment) -> None:
    both = {
        "pools": {
            "general": HOME,
            "general2": {**NEW_HOME, "replaces": "general"},
            "system2": {**SYSTEM, "replaces": "system"},
        }
    }
    demo.engine(**both).up()
    demo.assert_state_is_what_exists()
    demo.engine(**both).destroy()
    demo.assert_nothing_exists()
