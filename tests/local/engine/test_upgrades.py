"""Kubernetes upgrades on the real engine, as in `docs/how-to/upgrade-kubernetes.md`."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Final

import pytest

from kubeflow_aks.local_aks.azure.channel import apply_patch
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.tools import Tools
from tests.local.engine.by_hand import upgrade_by_hand
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import BASE, STACK

USER_POOLS: Final = ["general", "cpuspot", "cpuod", "gpuspot", "gpuod"]
"""In the order in which the program makes them."""
OFFICIAL: Final = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}


@pytest.fixture
def old(tmp_path: Any, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    """The stack on Kubernetes 1.32 with automatic patches, deployed."""
    with deployment(tmp_path / "run", tools, cluster, STACK) as stack:
        engine_for(stack, version="1.32").up()
        yield stack


def engine_for(stack: Deployment, **kubernetes: str) -> Engine:
    """The engine, with other settings of Kubernetes."""
    return stack.engine(kubernetes={**BASE["kubernetes"], **kubernetes})


def running(stack: Deployment) -> dict[str, str]:
    """What the control plane and each pool run."""
    [control_plane] = stack.azure.all(MANAGED_CLUSTER)
    pools = {pool["name"]: pool["currentOrchestratorVersion"] for pool in stack.azure.agent_pools()}
    return {"control plane": control_plane.outputs["currentKubernetesVersion"], **pools}


def all_on(stack: Deployment, version: str) -> Mapping[str, str]:
    return dict.fromkeys(running(stack), version)


def upgrade(stack: Deployment, version: str, now: str) -> list[str]:
    """The how-to's steps; the names of what the upgrade itself changed, in order."""
    engine_for(stack, version=now, upgradeChannel="none").up()
    done = engine_for(stack, version=version, upgradeChannel="none").up()
    upgrade_by_hand(stack, "system", version)
    engine_for(stack, version=version).up()
    assert engine_for(stack, version=version).preview().changed() == ()
    assert {step.op for step in done.changed()} == {"update"}
    return [step.name.removeprefix(f"kubeflow-aks-{STACK}").lstrip("-") for step in done.changed()]


def test_minor_by_minor_the_control_plane_goes_first_and_then_pool_by_pool(old: Deployment) -> None:
    assert running(old) == all_on(old, "1.32.0")
    assert upgrade(old, "1.33", now="1.32") == ["", *USER_POOLS]
    assert running(old) == all_on(old, "1.33.0")
    assert upgrade(old, "1.34", now="1.33") == ["", *USER_POOLS]
    assert running(old) == all_on(old, "1.34.4")
    old.assert_state_is_what_exists()


def test_long_term_support_goes_over_a_minor_at_once(old: Deployment) -> None:
    upgrade(old, "1.34", now="1.32")
    assert running(old) == all_on(old, "1.34.4")


def test_with_the_channel_on_azure_refuses_and_nothing_has_changed(old: Deployment) -> None:
    with pytest.raises(EngineError, match="NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged"):
        engine_for(old, version="1.33").up()
    assert running(old) == all_on(old, "1.32.0")
    assert engine_for(old, version="1.32").up().changed() == ()


def test_a_system_pool_that_is_upgraded_by_hand_stays_upgraded(old: Deployment) -> None:
    engine_for(old, version="1.32", upgradeChannel="none").up()
    engine_for(old, version="1.33", upgradeChannel="none").up()
    assert running(old)["system"] == "1.32.0"
    upgrade_by_hand(old, "system", "1.33")
    after = engine_for(old, version="1.33", upgradeChannel="none")
    after.refresh()
    after.up()
    assert after.preview().changed() == ()
    assert running(old) == all_on(old, "1.33.0")


def test_patches_of_the_channel_show_no_difference(old: Deployment) -> None:
    stack = engine_for(old, version="1.32")
    stack.refresh()
    stack.up()  # after the first refresh the cluster's state lists the pools made apart, once
    [control_plane] = old.azure.all(MANAGED_CLUSTER)
    apply_patch(old.azure, control_plane.id, "1.32.7")
    assert stack.preview().changed() == ()
    stack.refresh()
    assert stack.preview().changed() == ()
    stack = old.engine(
        kubernetes={**BASE["kubernetes"], "version": "1.32"}, tags={**BASE["tags"], "owner": "another-team"}
    )
    stack.up()
    assert running(old) == all_on(old, "1.32.7")
