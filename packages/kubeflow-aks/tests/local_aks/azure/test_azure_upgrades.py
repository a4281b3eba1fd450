"""Kubernetes upgrades as AKS plays them: the control plane first, then pool by pool, and patches by the channel."""

from typing import Any

import pytest
from azure_bodies import (
    CLUSTER_ID,
    Json,
    cluster,
    put,
    put_pool,
    spot_pool,
    system_pool,
    user_pool,
    with_cluster,
)

from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER, AzureState
from kubeflow_aks.tools.manifest import KUBERNETES_VERSION
from tests.local_aks.azure.channel import apply_patch

LTS: Json = {"supportPlan": "AKSLongTermSupport", "sku": {"name": "Base", "tier": "Premium"}}
PATCHES: Json = {"autoUpgradeProfile": {"upgradeChannel": "patch"}}


def old_cluster(azure: AzureState, **changes: Any) -> ResourceManager:
    """A cluster of 1.32, which only long-term support still has."""
    return with_cluster(azure, kubernetesVersion="1.32", **LTS, **changes)


def upgrade(manager: ResourceManager, version: str, **changes: Any) -> Json:
    return put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(kubernetesVersion=version, **LTS, **changes))


def versions(manager: ResourceManager) -> dict[str, tuple[str, str]]:
    """The requested version of each pool, and the running one."""
    body = manager.get(CLUSTER_ID) or {}
    return {
        pool["name"]: (pool["orchestratorVersion"], pool["currentOrchestratorVersion"])
        for pool in body["agentPoolProfiles"]
    }


def refused(code: str, *words: str) -> Any:
    return pytest.raises(ArmError, match=".*".join((code, *words)))


def test_control_plane_and_pools_are_upgraded_separately(azure: AzureState) -> None:
    manager = old_cluster(azure)
    put_pool(manager, "user", user_pool(orchestratorVersion="1.32"))
    put_pool(manager, "spot", spot_pool(orchestratorVersion="1.32"))
    body = upgrade(manager, "1.33")
    assert (body["kubernetesVersion"], body["currentKubernetesVersion"]) == ("1.33", "1.33.0")
    assert set(versions(manager).values()) == {("1.32", "1.32.0")}
    put_pool(manager, "user", user_pool(orchestratorVersion="1.33"))
    assert versions(manager)["user"] == ("1.33", "1.33.0")
    assert versions(manager)["spot"] == ("1.32", "1.32.0")


def test_only_long_term_support_steps_over_a_minor(azure: AzureState) -> None:
    manager = old_cluster(azure)
    official = cluster(kubernetesVersion="1.34")
    with refused("OperationNotAllowed", r"1\.32\.0 to 1\.34 is not allowed", r"\[1\.33\]"):
        put(manager, MANAGED_CLUSTER, CLUSTER_ID, official)
    assert upgrade(manager, "1.34")["currentKubernetesVersion"] == KUBERNETES_VERSION


def test_nobody_goes_back(azure: AzureState) -> None:
    manager = old_cluster(azure)
    put_pool(manager, "user", user_pool(orchestratorVersion="1.32"))
    upgrade(manager, "1.33")
    put_pool(manager, "user", user_pool(orchestratorVersion="1.33"))
    with refused("OperationNotAllowed", r"1\.33\.0 to 1\.32 is not allowed"):
        upgrade(manager, "1.32")
    with refused("AgentPoolUpgradeVersionNotAllowed", r"from 1\.33\.0 to 1\.32 is not allowed"):
        put_pool(manager, "user", user_pool(orchestratorVersion="1.32"))


def test_a_pool_takes_one_minor_at_a_time_without_long_term_support(azure: AzureState) -> None:
    manager = old_cluster(azure)
    put_pool(manager, "user", user_pool())
    upgrade(manager, "1.34")
    put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(kubernetesVersion="1.34"))
    with refused("AgentPoolUpgradeVersionNotAllowed", "one minor version at a time"):
        put_pool(manager, "user", user_pool(orchestratorVersion="1.34"))
    upgrade(manager, "1.34")
    assert (
        put_pool(manager, "user", user_pool(orchestratorVersion="1.34"))["currentOrchestratorVersion"]
        == KUBERNETES_VERSION
    )


def test_nodes_may_be_three_minors_behind_and_no_more(azure: AzureState) -> None:
    manager = old_cluster(azure)
    upgrade(manager, "1.35")
    with refused(
        "NodePoolMcVersionIncompatible",
        "cannot be more than 3 versions less",
        "is 32 and control plane is 36",
    ):
        upgrade(manager, "1.36")
    put_pool(manager, "system", system_pool(orchestratorVersion="1.33"))
    upgrade(manager, "1.36")
    with refused("NodePoolMcVersionIncompatible", "cannot be more than 3 versions less"):
        put_pool(manager, "user", user_pool(orchestratorVersion="1.32"))


@pytest.mark.parametrize("channels", [("patch", "patch"), ("patch", "none"), ("none", "patch")])
def test_a_channel_keeps_the_control_plane_from_moving_alone(
    azure: AzureState, channels: tuple[str, str]
) -> None:
    before, after = ({"autoUpgradeProfile": {"upgradeChannel": channel}} for channel in channels)
    manager = old_cluster(azure, **before)
    with refused("NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged"):
        upgrade(manager, "1.33", **after)
    assert upgrade(manager, "1.32", autoUpgradeProfile={"upgradeChannel": "none"})
    assert upgrade(manager, "1.33")["currentKubernetesVersion"] == "1.33.0"


def test_a_version_stated_for_some_pools_only_is_refused(azure: AzureState) -> None:
    stated = [system_pool(orchestratorVersion="1.33")]
    manager = old_cluster(azure)
    put_pool(manager, "user", user_pool())
    with refused("NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged"):
        upgrade(manager, "1.33", agentPoolProfiles=stated)
    azure.delete(f"{CLUSTER_ID}/agentPools/user")
    assert upgrade(manager, "1.33", agentPoolProfiles=stated, **PATCHES)
    assert versions(manager) == {"system": ("1.33", "1.33.0")}


def test_a_patch_by_the_channel_stays_when_the_same_minor_is_requested(azure: AzureState) -> None:
    manager = with_cluster(azure, **PATCHES)
    put_pool(manager, "user", user_pool(orchestratorVersion="1.34"))
    apply_patch(azure, CLUSTER_ID, "1.34.30")
    again = put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(tags={"a": "b"}, **PATCHES))
    assert (again["kubernetesVersion"], again["currentKubernetesVersion"]) == ("1.34", "1.34.30")
    put_pool(manager, "user", user_pool(orchestratorVersion="1.34", tags={"a": "b"}))
    put_pool(manager, "late", user_pool(orchestratorVersion="1.34"))
    assert set(versions(manager).values()) == {("1.34", "1.34.30")}


@pytest.mark.parametrize("version", [KUBERNETES_VERSION, "1.34.3", "1.35.1"])
def test_the_channel_goes_forward_within_the_minor(azure: AzureState, version: str) -> None:
    with_cluster(azure, **PATCHES)
    with pytest.raises(ValueError, match="does not move"):
        apply_patch(azure, CLUSTER_ID, version)


def test_a_cluster_without_the_channel_is_not_patched(azure: AzureState) -> None:
    with_cluster(azure)
    with pytest.raises(ValueError, match="does not move"):
        apply_patch(azure, CLUSTER_ID, "1.34.30")
    with pytest.raises(LookupError):
        apply_patch(azure, CLUSTER_ID + "2", "1.34.30")


@pytest.mark.parametrize(
    ("version", "os_sku", "ubuntu"),
    [
        ("1.34", "Ubuntu", "2204"),
        ("1.35", "Ubuntu", "2404"),
        ("1.35", "Ubuntu2204", "2204"),
        ("1.34", "Ubuntu2404", "2404"),
    ],
)
def test_nodes_have_the_image_of_their_system(
    azure: AzureState, version: str, os_sku: str, ubuntu: str
) -> None:
    manager = with_cluster(azure, kubernetesVersion=version)
    put_pool(manager, "user", user_pool())
    assert f"Ubuntu-{ubuntu}" in put_pool(manager, "user", user_pool(osSKU=os_sku))["nodeImageVersion"]
