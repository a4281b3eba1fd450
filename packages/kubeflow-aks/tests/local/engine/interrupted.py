"""What a killed engine had begun to create, and what of it exists in the simulated Azure or in the cluster."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import at, identity
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.types import TYPES

_CREATING: Final = "creating"
_DELETING: Final = "Deleting"


@dataclass(frozen=True)
class PendingCreate:
    """A resource whose creation was begun; the state does not tell how it ended.

    Attributes:
        inputs: as the program gave them; secrets are encrypted.
    """

    urn: str
    type: str
    inputs: Mapping[str, Any]


def pending_creates(deployment: Mapping[str, Any]) -> tuple[PendingCreate, ...]:
    """Resources that a deployment has as being created when its engine was killed."""
    operations: list[dict[str, Any]] = deployment.get("pending_operations") or []
    creating = [operation["resource"] for operation in operations if operation["type"] == _CREATING]
    return tuple(PendingCreate(of["urn"], of["type"], of.get("inputs", {})) for of in creating)


@dataclass(frozen=True)
class Existing:
    """Finds the resources whose creation was begun.

    Attributes:
        azure: the simulated Azure.
        kubeconfig: of the cluster's administrator.
    """

    azure: AzureState
    kubeconfig: Path

    def find(self, pending: PendingCreate) -> str | None:
        """The id of a resource, as its provider gives it, if it exists."""
        if pending.type in TYPES:
            return self._in_azure(pending)
        if pending.type.startswith("kubernetes:") and not pending.type.endswith(
            "Patch"
        ):  # a patch owns no object
            return self._in_cluster(pending)
        return None

    def _in_azure(self, pending: PendingCreate) -> str | None:
        """Azure finishes the requests of the killed engine; until then it refuses to change the resource (409)."""
        arm_type = TYPES[pending.type]
        for resource in self.azure.all(pending.type):
            subscription = resource.id.split("/")[2]
            if arm.key(resource.id) == arm.key(arm_type.id_of(pending.inputs, subscription)):
                time.sleep(max(0.0, resource.busy_until - time.time()))
                return None if resource.operation == _DELETING else resource.id
        return None

    def _in_cluster(self, pending: PendingCreate) -> str | None:
        server = ApiServer.of(self.kubeconfig)
        try:
            obj = server.get(identity(dict(pending.inputs)))
        except ApiError as error:
            if error.not_found:
                return None
            raise
        namespace, name = at(obj, "metadata", "namespace"), at(obj, "metadata", "name")
        return f"{namespace}/{name}" if namespace else name
