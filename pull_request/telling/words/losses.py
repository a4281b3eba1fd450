"""Resources whose deletion or replacement loses what nobody can make anew, or opens what was shut."""

from collections.abc import Iterator, Mapping
from typing import Final

from pull_request.telling.words.sides import Sides, forced_by, refused
from pull_request.telling.words.word import Level, Word, quoted

_OPEN: Final = "without it what it refuses is allowed"
HOLDS: Final[Mapping[str, tuple[Level, str]]] = {
    "azure-native:resources:ResourceGroup": ("danger", "everything in it is lost"),
    "azure-native:containerregistry:Registry": ("danger", "all images in it are lost"),
    "azure-native:storage:StorageAccount": ("danger", "all data in it is lost"),
    "azure-native:storage:BlobContainer": (
        "danger",
        "its data can be restored only while soft delete keeps it",
    ),
    "azure-native:operationalinsights:Workspace": ("danger", "its logs go with it"),
    "azure-native:network:PublicIPAddress": ("danger", "its address is lost for whoever relies on it"),
    "azure-native:managedidentity:UserAssignedIdentity": (
        "caution",
        "whatever was granted to it outside this stack is gone",
    ),
    "azure-native:monitor:DiagnosticSetting": (
        "caution",
        "while it is gone, no log of the control plane is kept",
    ),
    "kubernetes:core/v1:Namespace": ("danger", "everything in it is lost"),
    "kubernetes:core/v1:PersistentVolumeClaim": (
        "danger",
        "its data is lost unless its class retains volumes",
    ),
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": (
        "danger",
        "all objects of its kind are lost",
    ),
}
"""By type: how bad it is that a resource goes, and what goes with it. Our choice."""


def words(seen: Sides) -> Iterator[Word]:
    """A word for each of them that goes."""
    for change in seen.changes.values():
        if change.type in HOLDS and change.action in ("delete", "replace"):
            level, means = HOLDS[change.type]
            kind = change.type.rpartition(":")[2]
            yield {
                "kind": f"{change.action}d",
                "level": level,
                "subject": change.name,
                "text": f"{kind} {quoted(change.name)} is {change.action}d{forced_by(change)}: {means}."
                f"{refused(seen, change.urn)}",
            }
