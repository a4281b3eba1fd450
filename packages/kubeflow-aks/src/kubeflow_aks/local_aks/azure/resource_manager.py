"""Azure Resource Manager: GET, PUT and DELETE on the resources of `AzureState`, and the POSTs of AKS."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from kubeflow_aks.local_aks.azure import admission, arm, power, preconditions
from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.deletions import Deletions, node_group_id
from kubeflow_aks.local_aks.azure.faults import Fault
from kubeflow_aks.local_aks.azure.power import Switch
from kubeflow_aks.local_aks.azure.requests import Requests
from kubeflow_aks.local_aks.azure.responses import BUILDERS, Put
from kubeflow_aks.local_aks.azure.responses.put import without_secrets
from kubeflow_aks.local_aks.azure.state import (
    AGENT_POOL,
    MANAGED_CLUSTER,
    AzureState,
    StoredResource,
    profile,
)
from kubeflow_aks.local_aks.azure.timing import CREATING, DELETING, UPDATING, Timing
from kubeflow_aks.local_aks.azure.types import FEDERATED_CREDENTIAL, RESOURCE_GROUP, TYPES, ArmType

_BAD_REQUEST: Final = 400


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A long-running operation that ARM has accepted."""

    ends_at: float
    error: ArmError | None = None
    """How it fails, None when it succeeds."""
    clusters: tuple[str, ...] = ()
    """Ids of the clusters that it deletes."""
    run: bool | None = None
    """Whether it starts a cluster (True), stops one (False) or does neither."""


class ResourceManager:
    """ARM of one Azure.

    Its methods raise `ArmError` where ARM or the resource provider refuses, with nothing changed, and
    `OperationCancelledError` where the engine cancels what they wait for.

    Args:
        state: what this Azure holds.
        timing: how long it takes.
        today: the day on which it decides about support of Kubernetes versions.
        empty_cluster: deletes what is inside a cluster that is being deleted; None for clusters with nothing inside.
        switch: stops and starts what a cluster consists of; None for clusters that consist of nothing.
    """

    def __init__(
        self,
        state: AzureState,
        timing: Timing,
        today: Callable[[], date],
        empty_cluster: Callable[[], object] | None = None,
        switch: Switch | None = None,
    ) -> None:
        self._state = state
        self._timing = timing
        self._switch = switch
        self._deletions = Deletions(state, timing, _switched_on(empty_cluster, switch))
        self._requests = Requests(state, self.get, today)

    def get(self, arm_id: str) -> Json | None:
        """Body of a resource, None when there is none."""
        stored = self._state.get(arm_id)
        return self._body(stored) if stored else None

    def read(self, arm_type: ArmType, arm_id: str) -> Json | None:
        """Answer a GET."""
        self._count_request("GET", arm_type.pulumi)
        if self._deletions.due(arm_id):
            with self._state.transaction():
                self._deletions.purge()
        return self.get(arm_id)

    def put(self, arm_type: ArmType, arm_id: str, body: Json) -> Operation:
        """Accept a PUT, after the deletions that it must wait for."""
        fault = self._count_request("PUT", arm_type.pulumi)
        self._wait_for_deletions(arm_id)
        with self._state.transaction():
            self._deletions.purge()
            preconditions.require_parents(arm_type, arm_id, self.get)
            preconditions.require_idle(arm_type, arm_id, self._state, self._timing)
            power.require_running(arm_type.pulumi, arm_id, self._state)
            ends_at = self._store(arm_type, arm_id, body, failed=fault is not None and not fault.kill)
        return self._accepted(fault, ends_at)

    def delete(self, arm_type: ArmType, arm_id: str) -> Operation | None:
        """Accept a DELETE; None when there is nothing to delete."""
        fault = self._count_request("DELETE", arm_type.pulumi)
        clusters: tuple[str, ...] = ()
        with self._state.transaction():
            self._deletions.purge()
            if self._state.get(arm_id) is None:
                return None
            if arm_type.pulumi in {AGENT_POOL, FEDERATED_CREDENTIAL}:
                preconditions.require_idle(arm_type, arm_id, self._state, self._timing)
            if arm_type.pulumi != MANAGED_CLUSTER:
                power.require_running(arm_type.pulumi, arm_id, self._state)
            if arm_type.pulumi == AGENT_POOL:
                preconditions.require_other_system_pool(arm_id, self._state)
            preconditions.require_unused(arm_type, arm_id, self._state)
            ends_at = self._timing.ends_at(arm_type.pulumi, DELETING)
            if fault is None or fault.kill:
                clusters = self._deletions.begin(arm_id, ends_at)
        return self._accepted(fault, ends_at, clusters)

    def power(self, cluster_id: str, *, run: bool) -> Operation:
        """Accept a POST of `start` or `stop`."""
        fault = self._count_request("POST", MANAGED_CLUSTER)
        with self._state.transaction():
            self._deletions.purge()
            cluster = power.change(self._state, self._timing, cluster_id, run=run)
        return replace(self._accepted(fault, cluster.busy_until), run=run)

    def wait(self, operation: Operation) -> None:
        """Wait for the end of an operation; raises the error of one that fails."""
        if operation.run and self._switch:
            self._switch(on=True)
        self._timing.wait_until(operation.ends_at)
        if operation.run is False and self._switch:
            self._switch(on=False)
        with self._state.transaction():
            self._deletions.purge()
        if operation.error:
            raise operation.error
        self._deletions.wait(operation.clusters)

    def require_credentials(self, cluster_id: str, *, admin: bool) -> None:
        """Answer a POST of `listClusterUserCredential` or `listClusterAdminCredential`.

        Raises:
            ArmError: there is no such cluster, or it has no local accounts
                (hashicorp/terraform-provider-azurerm#15489).
        """
        self._count_request("POST", MANAGED_CLUSTER)
        cluster = self.get(cluster_id)
        if cluster is None:
            raise arm.not_found(cluster_id)
        if admin and cluster.get("disableLocalAccounts"):
            raise ArmError(
                _BAD_REQUEST,
                "BadRequest",
                "Getting static credential is not allowed because this cluster is set to disable local accounts.",
            )

    def _count_request(self, method: str, token: str) -> Fault | None:
        """Count a request against the planned faults; the fault of its operation, if one is due."""
        fault = self._state.take_fault(method, token)
        if fault is None or fault.stage == "operation":
            return fault
        if fault.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        raise fault.error()

    def _accepted(self, fault: Fault | None, ends_at: float, clusters: tuple[str, ...] = ()) -> Operation:
        if fault and fault.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        return Operation(ends_at=ends_at, error=fault.error() if fault else None, clusters=clusters)

    def _wait_for_deletions(self, arm_id: str) -> None:
        """Wait for the deletions that must end before a PUT, whether they succeed or not."""
        with suppress(ArmError):
            self._deletions.wait(self._deletions.due(arm_id))

    def _body(self, stored: StoredResource) -> Json | None:
        """Body of a GET: what is stored, its nested resources and the operation under way."""
        if self._deletions.gone(stored):
            return None
        body = dict(stored.outputs)
        busy = stored.operation == DELETING or not self._timing.over(stored.busy_until)
        if busy and "provisioningState" in body:
            body["provisioningState"] = stored.operation
        if inline := TYPES[stored.type].inline:
            nested = self._state.children(stored.id, inline.type)
            body[inline.property] = [profile(n) if n.type == AGENT_POOL else n.outputs for n in nested]
        return body

    def _store(self, arm_type: ArmType, arm_id: str, body: Json, *, failed: bool = False) -> float:
        """Admit a PUT, write its resource and those inline in it; the time at which the operation ends."""
        before = self._state.get(arm_id)
        if before and before.operation == DELETING:
            raise preconditions.being_deleted()
        arm_id = before.id if before else arm_id
        existing = self._body(before) if before else None
        body = {k: v for k, v in body.items() if k not in arm_type.path_inputs or k == "scope"}
        for request in self._requests.of(arm_type, arm_id, body, existing):
            admission.check(request)
        preconditions.require_references(arm_type, arm_id, body, self.get)
        outputs = BUILDERS[arm_type.pulumi](
            Put(id=arm_id, arm_type=arm_type.arm, body=body, existing=existing, get=self.get)
        )
        if failed and "provisioningState" in outputs:
            outputs["provisioningState"] = "Failed"
        operation = UPDATING if existing else CREATING
        resource = StoredResource(
            id=arm_id,
            type=arm_type.pulumi,
            inputs=without_secrets(body),
            outputs=outputs,
            operation=operation,
            busy_until=self._timing.ends_at(arm_type.pulumi, operation),
        )
        self._state.put(resource)
        if arm_type.pulumi == MANAGED_CLUSTER:
            self._state.note(arm_id, "write", self._timing.now())
        self._store_inline(arm_type, arm_id, body)
        if arm_type.pulumi == MANAGED_CLUSTER and existing is None:
            self._store_node_group(resource)
        return resource.busy_until

    def _store_inline(self, arm_type: ArmType, arm_id: str, body: Json) -> None:
        inline = arm_type.inline
        if inline is None or inline.property not in body:
            return
        entries: list[Json] = body[inline.property]
        ids = {f"{arm_id}/{inline.segment}/{entry['name']}": entry for entry in entries}
        for nested_id, entry in ids.items():
            self._store(TYPES[inline.type], nested_id, {k: v for k, v in entry.items() if k != "name"})
        if inline.owned:
            kept = {arm.key(nested_id) for nested_id in ids}
            for nested in self._state.children(arm_id, inline.type):
                if arm.key(nested.id) not in kept:
                    self._state.delete(nested.id)

    def _store_node_group(self, cluster: StoredResource) -> None:
        """AKS makes a resource group of its own for the machines, and deletes it with the cluster."""
        arm_type = TYPES[RESOURCE_GROUP]
        group: Json = {"location": cluster.outputs["location"], "managedBy": cluster.id}
        put = Put(id=node_group_id(cluster), arm_type=arm_type.arm, body=group, existing=None, get=self.get)
        outputs = BUILDERS[RESOURCE_GROUP](put)
        self._state.put(StoredResource(id=put.id, type=RESOURCE_GROUP, inputs=group, outputs=outputs))


def _switched_on(empty: Callable[[], object] | None, switch: Switch | None) -> Callable[[], object] | None:
    """What empties a cluster even where it is stopped: here nothing goes with it by itself."""
    if empty is None or switch is None:
        return empty

    def emptied() -> None:
        switch(on=True)
        empty()

    return emptied
