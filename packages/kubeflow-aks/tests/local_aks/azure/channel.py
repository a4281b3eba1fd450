"""The channel of automatic upgrades: AKS moves a cluster to a newer patch, control plane first, pools after it."""

from __future__ import annotations

from dataclasses import replace

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.responses.kubernetes import node_image
from kubeflow_aks.local_aks.azure.rules.upgrades import parts
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, AzureState


def apply_patch(state: AzureState, cluster_id: str, version: str) -> None:
    """Move a cluster on the channel `patch`, and its pools of the same minor, to a newer patch.

    The requested version stays in the inputs: `1.34` stands for every patch (auto-upgrade-cluster.md;
    managedClusters.json, currentOrchestratorVersion).

    Args:
        state: the Azure of the cluster.
        cluster_id: its ARM id.
        version: `major.minor.patch`.

    Raises:
        LookupError: there is no such cluster.
        ValueError: its channel is another one, or the version is no newer patch of its minor.
    """
    with state.transaction():
        cluster = state.get(cluster_id)
        if cluster is None:
            raise LookupError(f"no cluster {cluster_id}")
        channel, has = arm.at(cluster.outputs, "autoUpgradeProfile.upgradeChannel"), cluster.outputs
        now = str(has["currentKubernetesVersion"])
        if channel != "patch" or parts(version)[:2] != parts(now)[:2] or parts(version) <= parts(now):
            raise ValueError(f"the channel {channel} does not move {now} to {version}")
        state.put(replace(cluster, outputs=has | {"currentKubernetesVersion": version}))
        for pool in state.children(cluster_id, AGENT_POOL):
            if parts(pool.outputs["currentOrchestratorVersion"])[:2] == parts(version)[:2]:
                image = node_image(pool.outputs["osSKU"], version)
                moved = {"currentOrchestratorVersion": version, "nodeImageVersion": image}
                state.put(replace(pool, outputs=pool.outputs | moved))
