"""What keeps a cluster from being adopted, whatever a stack file says; each with the way out."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubeflow_aks.adopt.existing import ExistingCluster, find
from kubeflow_aks.json_values import at, text


def refusals(cluster: ExistingCluster) -> Iterator[str]:
    """One sentence for each."""
    body = cluster.body
    update = f"az aks update --resource-group {cluster.group} --name {cluster.name}"
    if text(find(body, "sku", "name")).lower() == "automatic":
        yield "sku: AKS Automatic decides over pools itself; expected a cluster of the SKU Base"
    if text(find(body, "identity", "type")) not in {"SystemAssigned", "UserAssigned"}:
        yield f"identity: a service principal or none; run `{update} --enable-managed-identity` first"
    if find(body, "enableRBAC") is False:
        yield "enableRbac: false; AKS never turns Kubernetes RBAC on later, so a new cluster is needed"
    if find(body, "aadProfile", "managed") is False or text(find(body, "aadProfile", "serverAppID")):
        yield f"aadProfile: Entra sign-in of the old kind; run `{update} --enable-aad` first"
    if text(find(body, "networkProfile", "loadBalancerSku")).lower() == "basic":
        yield (
            "networkProfile.loadBalancerSku: basic; a cluster with spot pools needs Standard, to which "
            f"`{update} --load-balancer-sku standard` moves it"
        )
    if not text(find(body, "kubernetesVersion")):
        yield "kubernetesVersion: missing; expected the version that the cluster runs"
    if not any(system_pool_reason(pool) == "" for pool in cluster.pools):
        reasons = "; ".join(f"{at(pool, 'name')}: {system_pool_reason(pool)}" for pool in cluster.pools)
        yield (
            f"agentPoolProfiles: no pool that can be the system pool ({reasons}); add one by "
            f"`az aks nodepool add --resource-group {cluster.group} --cluster-name {cluster.name} --name system "
            "--mode System --node-count 2 --node-vm-size Standard_D4s_v5`"
        )


def system_pool_reason(pool: Mapping[str, Any]) -> str:
    """Why a pool can't be the one that `systemPool` describes; empty if it can."""
    if text(find(pool, "mode")) != "System":
        return "mode User"
    return _kind(pool)


def user_pool_reason(pool: Mapping[str, Any]) -> str:
    """Why the settings can't describe a user pool; empty if they may."""
    mode = text(find(pool, "mode")) or "User"
    if mode == "System":
        return "a second system pool; the settings describe one"
    return (f"mode {mode}" if mode != "User" else "") or _kind(pool)


def _kind(pool: Mapping[str, Any]) -> str:
    if text(find(pool, "osType")) not in {"", "Linux"}:
        return f"{text(find(pool, 'osType'))}, not Linux"
    kind = text(find(pool, "type"))
    if kind not in {"", "VirtualMachineScaleSets"}:
        return f"of the type {kind}, not VirtualMachineScaleSets"
    return ""
