"""Conditions under which ARM accepts a request, beside the rules about its body; otherwise `ArmError` is raised."""

from collections.abc import Callable
from typing import Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.rules.resources import in_use, references
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, DIAGNOSTIC_SETTING, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.timing import DELETING, Timing
from kubeflow_aks.local_aks.azure.types import FEDERATED_CREDENTIAL, RESOURCE_GROUP, ROLE_ASSIGNMENT, ArmType

_BAD_REQUEST: Final = 400
_NOT_FOUND: Final = 404
_CONFLICT: Final = 409

Get = Callable[[str], Json | None]
"""Body of a resource by its id, None when there is none."""


def require_parents(arm_type: ArmType, arm_id: str, get: Get) -> None:
    """A resource needs its group and its parent, or the resource it applies to.

    The scope of a role assignment may lie in a group this Azure does not know: an existing registry, say.
    """
    group = arm.group_id_of(arm_id)
    if arm_type.pulumi in {ROLE_ASSIGNMENT, DIAGNOSTIC_SETTING}:
        scope = arm_id.rsplit("/providers/", 1)[0]
        if group and get(group) is not None and get(scope) is None:
            raise arm.not_found(scope)
        return
    if group and arm_type.pulumi != RESOURCE_GROUP and get(group) is None:
        name = arm.name_of(group)
        raise ArmError(_NOT_FOUND, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")
    parent = arm.parent_id_of(arm_id)
    if parent and parent.endswith("/blobServices/default"):  # every storage account has one, put or not
        parent = arm.parent_id_of(parent)
    if parent and get(parent) is None:
        kind = arm.provider_type_of(arm_id).partition("/")[2]
        raise ArmError(
            _NOT_FOUND,
            "ParentResourceNotFound",
            f"Failed to perform 'write' on resource(s) of type '{kind}', because the parent resource '{parent}' "
            "could not be found.",
        )


def require_idle(arm_type: ArmType, arm_id: str, state: AzureState, timing: Timing) -> None:
    """AKS changes one thing at a time in a cluster (Azure/AKS#1913), and an identity has one credential written.

    cilium/cilium#25944 and Azure/terraform-azurerm-avm-ptn-aks-production#25 quote the answer.
    """
    if arm_type.pulumi == FEDERATED_CREDENTIAL:
        _require_no_other_write(arm.parent_id_of(arm_id) or "", state, timing)
    cluster_id = {AGENT_POOL: arm.parent_id_of(arm_id), MANAGED_CLUSTER: arm_id}.get(arm_type.pulumi)
    cluster = state.get(cluster_id) if cluster_id else None
    if cluster is None:
        return
    for resource in (cluster, *state.children(cluster.id, AGENT_POOL)):
        if timing.over(resource.busy_until):
            continue
        doing = f"operation ({resource.operation})"
        if resource.type == AGENT_POOL:
            doing = f"agentpool operation ({arm.name_of(resource.id)} - {resource.operation})"
        raise ArmError(
            _CONFLICT,
            "OperationNotAllowed",
            f"Operation is not allowed: Another {doing} is in progress, please wait for it to finish before "
            "starting a new operation. See https://aka.ms/aks-pending-operation for more details",
        )


def _require_no_other_write(identity_id: str, state: AzureState, timing: Timing) -> None:
    """No two federated credentials of one identity are written at once (Azure/bicep-registry-modules#1447).

    A DELETE meets it too (hashicorp/terraform-provider-azurerm#29242).
    """
    if all(
        timing.over(credential.busy_until) for credential in state.children(identity_id, FEDERATED_CREDENTIAL)
    ):
        return
    raise ArmError(
        _CONFLICT,
        "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity",
        f"Too many Federated Identity Credentials are written concurrently for the managed identity '{identity_id}'. "
        "Concurrent Federated Identity Credentials writes under the same managed identity are not supported.",
    )


def require_other_system_pool(arm_id: str, state: AzureState) -> None:
    """A cluster keeps one System pool at least (kubernetes-sigs/cluster-api-provider-azure#1355)."""
    pools = state.children(arm.parent_id_of(arm_id) or "", AGENT_POOL)
    if [arm.key(pool.id) for pool in pools if pool.outputs["mode"] == "System"] == [arm.key(arm_id)]:
        raise ArmError(_BAD_REQUEST, "OperationNotAllowed", "There has to be at least one system agent pool.")


def require_references(arm_type: ArmType, arm_id: str, body: Json, get: Get) -> None:
    """What a body refers to must exist (MicrosoftDocs/azure-docs#81734); ids in a role assignment are no references.

    What lies in a group that this Azure does not know is others' and counts as there: a subnet, a workspace for logs.
    So does what AKS makes in the group of the machines, such as the nodes' identity, which this Azure does not have.
    """
    for reference in () if arm_type.pulumi == ROLE_ASSIGNMENT else references(body):
        group = get(arm.group_id_of(reference) or "")
        if get(reference) is None and group is not None and "managedBy" not in group:
            raise ArmError(
                _BAD_REQUEST,
                "InvalidResourceReference",
                f"Resource {reference} referenced by resource {arm_id} was not found. Please make sure that the "
                "referenced resource exists, and that both resources are in the same region.",
            )


def require_unused(arm_type: ArmType, arm_id: str, state: AzureState) -> None:
    """A resource that another one refers to is not deleted, but by the deletion of its resource group."""
    if arm_type.pulumi == RESOURCE_GROUP:
        return
    doomed = [r for r in state.all() if arm.key(r.id) == arm.key(arm_id) or arm.within(r.id, arm_id)]
    ids = {arm.key(resource.id) for resource in doomed}
    for user in state.all():
        if arm.key(user.id) in ids or user.operation == DELETING:
            continue
        used = {arm.key(reference) for reference in references(user.inputs)}
        for resource in doomed:
            error = in_use(resource.type, resource.id, user.id)
            if error and arm.key(resource.id) in used:
                raise error


def being_deleted() -> ArmError:
    """The answer to a PUT of a resource that is being deleted; azure-native sends the request again."""
    return ArmError(
        _CONFLICT,
        "AnotherOperationInProgress",
        "Another operation on this or dependent resource is in progress.",
    )
