"""Deleting resources: what is deleted with one, and when the deletion is finished.

A cluster is deleted when the objects inside its control plane are. One finalizer that nobody serves can hold that up,
so it is done in a thread of its own and outside the state's lock: other requests are answered meanwhile. Until then the
cluster, its pools, the group of its machines and, if that is deleted too, its resource group are in state `Deleting`.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER, AzureState, StoredResource, goes_with
from kubeflow_aks.local_aks.azure.timing import DELETING, Timing

_SERVER_ERROR: Final = 500

_Outcome = Future[ArmError | None]
"""How the deletion of a cluster ended: with an error, or None when it is deleted."""


class Deletions:
    """The deletions of one Azure.

    Args:
        state: what this Azure holds.
        timing: how long a deletion takes.
        empty_cluster: deletes what is inside the control plane and raises when it can't; None where there is none.
    """

    def __init__(self, state: AzureState, timing: Timing, empty_cluster: Callable[[], object] | None) -> None:
        self._state = state
        self._timing = timing
        self._empty_cluster = empty_cluster
        self._outcomes: dict[str, _Outcome] = {}
        """Outcome of the last deletion of each cluster, by the key of its id."""
        self._lock = threading.Lock()

    def begin(self, arm_id: str, ends_at: float) -> tuple[str, ...]:
        """Start to delete a resource, everything below it, and the machines' group of every cluster among them.

        Args:
            arm_id: the resource.
            ends_at: wall-clock time (seconds since the epoch) at which Azure is done with it.

        Returns:
            Ids of the clusters among them.
        """
        clusters: list[str] = []
        for resource in self._state.all():
            if not goes_with(resource, arm_id):
                continue
            self._state.put(replace(resource, operation=DELETING, busy_until=ends_at))
            if resource.type == MANAGED_CLUSTER:
                clusters.append(resource.id)
                self.begin(node_group_id(resource), ends_at)
        return tuple(clusters)

    def gone(self, resource: StoredResource) -> bool:
        """Whether a stored resource counts as deleted."""
        return self._is_due(resource) and not any(_belongs_to(resource, c) for c in self._clusters())

    def purge(self) -> None:
        """Forget what has been deleted, and start to empty the clusters that only wait for that."""
        for resource in self._state.all():
            if self.gone(resource):
                self._state.delete(resource.id)
            elif self._is_due(resource) and resource.type == MANAGED_CLUSTER:
                self._start(resource)

    def wait(self, cluster_ids: Sequence[str]) -> None:
        """Wait until clusters are deleted that have been `Deleting` for their time.

        Raises:
            ArmError: one of them can't be emptied; it stays, as `Failed`.
            OperationCancelledError: the engine cancelled.
        """
        keys = {arm.key(cluster_id) for cluster_id in cluster_ids}
        for cluster in self._clusters():
            if arm.key(cluster.id) in keys:
                self._start(cluster)
        for outcome in [self._outcomes[key] for key in keys if key in self._outcomes]:
            self._timing.wait_for(outcome)
            if error := outcome.result():
                raise error

    def due(self, arm_id: str) -> list[str]:
        """Ids of the clusters that only have to be emptied yet, and that a PUT of a resource must wait for."""
        return [c.id for c in self._clusters() if self._is_due(c) and _blocks(c, arm_id)]

    def _clusters(self) -> list[StoredResource]:
        """Clusters that are being deleted and may have something inside."""
        if self._empty_cluster is None:
            return []
        return [c for c in self._state.all(MANAGED_CLUSTER) if c.operation == DELETING]

    def _is_due(self, resource: StoredResource) -> bool:
        return resource.operation == DELETING and self._timing.over(resource.busy_until)

    def _start(self, cluster: StoredResource) -> None:
        """Empty a cluster in a thread of its own, unless that is under way or done since the cluster was read."""
        key = arm.key(cluster.id)
        running = self._outcomes.get(key)
        if running is not None and not running.done():
            return
        stored = self._state.get(cluster.id)  # outside the lock, which is taken under the state's own
        if stored is None or stored.operation != DELETING:
            return
        with self._lock:
            if self._outcomes.get(key) is not running:  # another thread was quicker
                return
            self._outcomes[key] = outcome = _Outcome()
        threading.Thread(
            target=self._empty, args=(cluster, outcome), name="empty-cluster", daemon=True
        ).start()

    def _empty(self, cluster: StoredResource, outcome: _Outcome) -> None:
        error: ArmError | None = None
        try:
            if self._empty_cluster:
                self._empty_cluster()
            with self._state.transaction():
                self._state.delete(cluster.id)
                self.purge()
        except Exception as failure:  # noqa: BLE001 - any failure fails the deletion, which the engine reports
            error = _not_empty(cluster, failure)
            with suppress(OSError):  # the state's own folder has gone, and with it the cluster
                self._fail(cluster)
        finally:
            outcome.set_result(error)

    def _fail(self, cluster: StoredResource) -> None:
        with self._state.transaction():
            for resource in self._state.all():
                if _belongs_to(resource, cluster) and resource.operation == DELETING:
                    self._state.put(replace(resource, operation="", busy_until=0.0))
            if stored := self._state.get(cluster.id):
                self._state.put(replace(stored, outputs={**stored.outputs, "provisioningState": "Failed"}))


def node_group_id(cluster: StoredResource) -> str:
    """The id of the resource group that AKS makes for a cluster's machines."""
    subscription = cluster.id.split("/resource", 1)[0]
    return f"{subscription}/resourceGroups/{cluster.outputs['nodeResourceGroup']}"


def _belongs_to(resource: StoredResource, cluster: StoredResource) -> bool:
    """Whether a resource is the cluster, lies in it, contains it, or is the group of its machines."""
    same = arm.key(resource.id) in (arm.key(cluster.id), arm.key(node_group_id(cluster)))
    return same or arm.within(resource.id, cluster.id) or arm.within(cluster.id, resource.id)


def _blocks(cluster: StoredResource, arm_id: str) -> bool:
    """Whether a PUT must wait for the deletion of a cluster: all clusters share one control plane."""
    is_cluster = arm.provider_type_of(arm_id).casefold() == "microsoft.containerservice/managedclusters"
    return is_cluster or arm.within(arm_id, cluster.id) or arm.within(cluster.id, arm_id)


def _not_empty(cluster: StoredResource, failure: Exception) -> ArmError:
    return ArmError(
        _SERVER_ERROR,
        "InternalServerError",
        f"Cluster '{cluster.outputs['name']}' can't be deleted, because the simulated Azure can't empty it: {failure}. "
        "It stays, in state Failed, and can be deleted again.",
    )
