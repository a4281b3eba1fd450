"""What keeps a cluster from being adopted, whatever a stack file says; each with the way out."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubeflow_aks.adopt.existing import ExistingCluster, find
from kubeflow_aks.json_values import at, text, texts


def refusals(cluster: ExistingCluster, rejected: Mapping[str, str] | None = None) -> list[str]:
    """A line for each, after one with the cluster's name; empty for a cluster without.

    Args:
        cluster: the cluster.
        rejected: why the program refuses pools, by name.
    """
    reasons = [*_cluster_refusals(cluster), *_pool_refusals(cluster, rejected or {})]
    return [f"{cluster.name} can't be adopted:", *(f"  {it}" for it in reasons)] if reasons else []


def _cluster_refusals(cluster: ExistingCluster) -> Iterator[str]:
    """Sentences about the cluster itself.

    Sources: aks-automatic-sku-migration.md, local-accounts.md, egress-outboundtype.md,
    docs/decisions/0017-agent-pools-not-node-auto-provisioning.md.
    """
    body = cluster.body
    update = f"az aks update --resource-group {cluster.group} --name {cluster.name}"
    entra, network = find(body, "aadProfile"), find(body, "networkProfile")
    if cluster.automatic:
        yield (
            "sku: AKS Automatic decides over pools itself; with a system pool of your own, "
            f"`{update} --sku base` makes it a cluster whose pools are yours"
        )
    if text(find(body, "identity", "type")) not in {"SystemAssigned", "UserAssigned"}:
        yield f"identity: a service principal or none; run `{update} --enable-managed-identity` first"
    if find(body, "enableRBAC") is False:
        yield "enableRbac: false; AKS never turns Kubernetes RBAC on later, so a new cluster is needed"
    if find(entra, "managed") is False or text(find(entra, "serverAppID")):
        yield f"aadProfile: Entra sign-in of the old kind; run `{update} --enable-aad` first"
    groups, by_role = texts(find(entra, "adminGroupObjectIDs")), find(entra, "enableAzureRBAC") is True
    if find(body, "disableLocalAccounts") is True and not (groups or by_role):
        yield (
            "disableLocalAccounts: true, and neither a group of admins nor Azure RBAC, so nobody can sign in; run "
            f"`{update} --enable-aad --aad-admin-group-object-ids GROUP` first"
        )
    if text(find(network, "loadBalancerSku")).lower() == "basic":
        yield (
            "networkProfile.loadBalancerSku: basic; a cluster with spot pools needs Standard, to which "
            f"`{update} --load-balancer-sku standard` moves it"
        )
    if text(find(network, "outboundType")) == "block":
        yield (
            "networkProfile.outboundType: block; nodes could not pull Charmed Kubeflow's images; run "
            f"`{update} --outbound-type loadBalancer` first, or another type that lets them out"
        )
    provisioning = find(body, "nodeProvisioningProfile")
    if text(find(provisioning, "mode")) == "Auto" and text(find(provisioning, "defaultNodePools")) != "None":
        yield (
            "nodeProvisioningProfile.mode: Auto; its default NodePools and the autoscaled pools would both make nodes "
            f"for a pod that waits; run `{update} --node-provisioning-mode Manual` first, or with NodePools of your "
            f"own, each with a taint, `{update} --node-provisioning-default-pools None`"
        )
    version = find(body, "kubernetesVersion")
    if not text(version):
        fault = "missing" if version is None else f"{version!r} is not allowed"
        yield f"kubernetesVersion: {fault}; expected the version that the cluster runs, as text"


def _pool_refusals(cluster: ExistingCluster, rejected: Mapping[str, str]) -> Iterator[str]:
    """A sentence on a cluster without a pool that `systemPool` could describe, after one on its availability sets.

    Source: availability-sets-on-aks.md.
    """
    reasons = {text(find(pool, "name")): system_pool_reason(pool, rejected) for pool in cluster.pools}
    if "" in reasons.values():
        return
    place = f"--resource-group {cluster.group}"
    if any(find(pool, "type") == "AvailabilitySet" for pool in cluster.pools):
        yield (
            "agentPoolProfiles: availability sets, whose support ended on 2025-09-30; run "
            f"`az aks update {place} --name {cluster.name} --migrate-vmas-to-vms` first"
        )
    name = next(
        it for it in ("system", *(f"system{number}" for number in range(2, 102))) if it not in reasons
    )
    yield (
        "agentPoolProfiles: no pool that can be the system pool "
        f"({'; '.join(f'{pool}: {reason}' for pool, reason in reasons.items()) or 'none is listed'}); add one by "
        f"`az aks nodepool add {place} --cluster-name {cluster.name} --name {name} "
        "--mode System --node-count 2 --node-vm-size Standard_D4s_v5`"
    )


def system_pool_reason(pool: Mapping[str, Any], rejected: Mapping[str, str]) -> str:
    """Why a pool can't be the one that `systemPool` describes; empty if it can."""
    mode = text(find(pool, "mode")) or "User"
    return (f"mode {mode}" if mode != "System" else "") or _kind(pool) or rejected.get(at(pool, "name"), "")


def user_pool_reason(pool: Mapping[str, Any]) -> str:
    """Why the settings can't describe a pool beside the system pool; empty if they may."""
    mode = text(find(pool, "mode")) or "User"
    other = "a second system pool; the settings describe one" if mode == "System" else f"mode {mode}"
    return _kind(pool) or (other if mode != "User" else "")


def _kind(pool: Mapping[str, Any]) -> str:
    if text(find(pool, "osType")) not in {"", "Linux"}:
        return f"{text(find(pool, 'osType'))}, not Linux"
    kind = text(find(pool, "type"))
    if kind not in {"", "VirtualMachineScaleSets"}:
        return f"of the type {kind}, not VirtualMachineScaleSets"
    return ""
