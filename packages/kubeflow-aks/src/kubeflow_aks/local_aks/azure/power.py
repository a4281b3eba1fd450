"""Stopping and starting clusters: conditions, states meanwhile, and refused requests to a stopped cluster.

Written from start-stop-cluster.md, "About the cluster stop/start feature", and operationnotallowed.md, whose messages
these are but for the times at their end. No source quotes the answer to a change of a stopped cluster: that is ours.
"""

from dataclasses import replace
from typing import Final, Protocol

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.state import (
    AGENT_POOL,
    MANAGED_CLUSTER,
    RUNNING,
    STOPPED,
    AzureState,
    StoredResource,
    power_of,
)
from kubeflow_aks.local_aks.azure.timing import STARTING, STOPPING, Timing

FUNCTIONS: Final = {"local-aks:stopManagedCluster": False, "local-aks:startManagedCluster": True}
"""Functions for the local `az`, which azure-native does not have, and whether the cluster runs afterwards."""
_CONFLICT: Final = 409


class Switch(Protocol):
    """Stops or starts the parts that a stopped cluster lacks: its nodes and its API server."""

    def __call__(self, *, on: bool) -> None:
        """Returns when it is done."""
        ...


def change(state: AzureState, timing: Timing, cluster_id: str, *, run: bool) -> StoredResource:
    """Begins to stop or to start a cluster; its pools go with it and keep their counts.

    Returns:
        The cluster, busy.

    Raises:
        ArmError: there is no such cluster, it is in that state already, or another operation is under way.
    """
    cluster = state.get(cluster_id)
    if cluster is None or cluster.type != MANAGED_CLUSTER:
        raise arm.not_found(cluster_id)
    pools = state.children(cluster.id, AGENT_POOL)
    _require_idle(cluster, pools, timing, run=run)
    if (power_of(cluster) == RUNNING) == run:
        raise _refused(
            "managed cluster is in Provisioning State(Succeeded) and Power State(Running), starting cannot be performed"
            if run
            else "managed cluster is not currently running, stopping cannot be performed"
        )
    code, operation = (RUNNING, STARTING) if run else (STOPPED, STOPPING)
    for pool in pools:
        state.put(replace(pool, outputs={**pool.outputs, "powerState": {"code": code}}))
    changed = replace(
        cluster,
        outputs={**cluster.outputs, "powerState": {"code": code}},
        operation=operation,
        busy_until=timing.ends_at(MANAGED_CLUSTER, operation),
    )
    state.put(changed)
    state.note(cluster.id, "start/action" if run else "stop/action", timing.now())
    return changed


def require_running(type_token: str, arm_id: str, state: AzureState) -> None:
    """Neither a stopped cluster nor anything in it is made, changed or deleted; the cluster itself may be deleted.

    Raises:
        ArmError: 409.
    """
    cluster = state.get(arm_id if type_token == MANAGED_CLUSTER else arm.parent_id_of(arm_id) or "")
    if cluster is None or cluster.type != MANAGED_CLUSTER or power_of(cluster) == RUNNING:
        return
    name = cluster.outputs["name"]
    raise _refused(
        f"managed cluster '{name}' is in Power State({STOPPED}): only start and delete are allowed; start it first. "
        "(The simulated Azure's words.)"
    )


def _require_idle(cluster: StoredResource, pools: list[StoredResource], timing: Timing, *, run: bool) -> None:
    verb = "starting" if run else "stopping"
    if not timing.over(cluster.busy_until):
        raise _refused(
            f"managed cluster is in Provisioning State({cluster.operation}) and Power State({power_of(cluster)}), "
            f"{verb} cannot be performed"
        )
    for pool in pools:
        if not timing.over(pool.busy_until):
            raise _refused(
                f"Managed Cluster operation is not allowed: Another operation ({pool.operation}) is in progress on "
                f"agent pool ({arm.name_of(pool.id)}), please wait for it to finish before starting a new operation. "
                "See https://aka.ms/aks-pending-operation for more details"
            )


def _refused(message: str) -> ArmError:
    return ArmError(_CONFLICT, "OperationNotAllowed", message)
