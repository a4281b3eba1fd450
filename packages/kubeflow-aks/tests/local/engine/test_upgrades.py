"""Kubernetes upgrades on the real engine, as in `docs/how-to/upgrade-kubernetes.md`."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.tools import Tools
from kubeflow_aks.tools.manifest import KUBERNETES_VERSION
from tests.local.engine.by_hand import upgrade_by_hand
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import BASE, STACK
from tests.local_aks.azure.channel import apply_patch

USER_POOLS: Final = ["general", "cpuspot", "cpuod", "gpuspot", "gpuod"]
"""In the order in which the program makes them."""
OFFICIAL: Final = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}


@pytest.fixture
def old(tmp_path: Path, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
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


def upgrade(stack: Deployment, version: str, now: str, *, refreshing: bool = False) -> list[str]:
    """The how-to's steps; the names of what the upgrade itself changed, in order."""
    engine_for(stack, version=now, upgradeChannel="none").up()
    done = engine_for(stack, version=version, upgradeChannel="none").up()
    assert running(stack)["system"].startswith(f"{now}."), "upgraded by hand only"
    upgrade_by_hand(stack, "system", version)
    if refreshing:
        engine_for(stack, version=version, upgradeChannel="none").refresh()
    engine_for(stack, version=version).up()
    assert engine_for(stack, version=version).preview().changed() == ()
    assert {step.op for step in done.changed()} == {"update"}
    return [step.name.removeprefix(f"kubeflow-aks-{STACK}").lstrip("-") for step in done.changed()]


def test_minor_by_minor_the_control_plane_goes_first_and_then_pool_by_pool(old: Deployment) -> None:
    """With and without a refresh on the way; the system pool, upgraded by hand, stays so."""
    assert running(old) == all_on(old, "1.32.0")
    assert upgrade(old, "1.33", now="1.32", refreshing=True) == ["", *USER_POOLS]
    assert running(old) == all_on(old, "1.33.0")
    assert upgrade(old, "1.34", now="1.33") == ["", *USER_POOLS]
    assert running(old) == all_on(old, KUBERNETES_VERSION)
    old.assert_state_is_what_exists()


def test_patches_show_no_difference_and_no_upgrade_is_possible_with_their_channel_on_but_over_a_minor_without(
    old: Deployment,
) -> None:
    with pytest.raises(EngineError, match="NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged"):
        engine_for(old, version="1.33").up()
    assert running(old) == all_on(old, "1.32.0")

    stack = engine_for(old, version="1.32")
    assert stack.up().changed() == ()
    stack.refresh()
    stack.up()  # after the first refresh the cluster's state lists the pools made apart, once
    [control_plane] = old.azure.all(MANAGED_CLUSTER)
    apply_patch(old.azure, control_plane.id, "1.32.7")
    assert stack.preview().changed() == ()
    stack.refresh()
    assert stack.preview().changed() == ()
    other_tags = {**BASE["tags"], "owner": "another-team"}
    old.engine(kubernetes={**BASE["kubernetes"], "version": "1.32"}, tags=other_tags).up()
    assert running(old) == all_on(old, "1.32.7")

    upgrade(old, "1.34", now="1.32")
    assert running(old) == all_on(old, KUBERNETES_VERSION)
