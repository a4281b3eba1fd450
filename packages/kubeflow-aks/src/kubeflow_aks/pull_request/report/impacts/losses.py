"""Resources whose deletion or replacement loses data or access, or removes a protection."""

from collections.abc import Iterator, Mapping
from typing import Final

from kubeflow_aks.pull_request.report.impacts.impact import Impact, Level, impact, quoted
from kubeflow_aks.pull_request.report.impacts.sides import GOING, Sides, forced_by, refused

HOLDS: Final[Mapping[str, tuple[Level, str]]] = {
    "azure-native:resources:ResourceGroup": ("danger", "everything in it is lost"),
    "azure-native:containerregistry:Registry": ("danger", "all images in it are lost"),
    "azure-native:storage:StorageAccount": ("danger", "all data in it is lost"),
    "azure-native:storage:BlobContainer": (
        "danger",
        "its data can be restored only while soft delete keeps it",
    ),
    "azure-native:keyvault:Vault": ("danger", "all secrets, keys and certificates in it are lost"),
    "azure-native:compute:Disk": ("danger", "all data on it is lost"),
    "azure-native:operationalinsights:Workspace": ("danger", "its logs go with it"),
    "azure-native:network:PublicIPAddress": ("danger", "its address is lost for all who use it"),
    "azure-native:managedidentity:UserAssignedIdentity": (
        "caution",
        "permissions that it was granted outside this stack are lost",
    ),
    "azure-native:monitor:DiagnosticSetting": (
        "caution",
        "while it is missing, no control plane logs are stored",
    ),
    "kubernetes:core/v1:Namespace": ("danger", "everything in it is lost"),
    "kubernetes:core/v1:PersistentVolume": ("danger", "its data is lost unless its policy retains it"),
    "kubernetes:core/v1:PersistentVolumeClaim": (
        "danger",
        "its data is lost unless its class retains volumes",
    ),
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": (
        "danger",
        "all objects of its kind are lost",
    ),
}
"""By type: the severity of a resource's loss, and what is lost with it. Our choice."""


def impacts(sides: Sides) -> Iterator[Impact]:
    """The loss of each deleted or replaced resource."""
    for change in sides.changes.values():
        if change.type in HOLDS and change.action in GOING:
            level, means = HOLDS[change.type]
            kind = change.type.rpartition(":")[2]
            text = (
                f"{kind} {quoted(change.name)} is {change.action}d{forced_by(change)}: {means}."
                f"{refused(sides, change.urn)}"
            )
            yield impact(f"{change.action}d", level, change.name, text)
