"""Resources that hold what nobody can make anew: their deletion or replacement loses it."""

from collections.abc import Iterator

from pull_request.telling.words.sides import Sides, refused
from pull_request.telling.words.word import Word, listed, quoted

_HOLDS = {
    "azure-native:resources:ResourceGroup": "everything in it is lost",
    "azure-native:containerregistry:Registry": "all images in it are lost",
    "azure-native:storage:StorageAccount": "all data in it is lost",
    "azure-native:storage:BlobContainer": "all data in it is lost",
    "azure-native:operationalinsights:Workspace": "all logs in it are lost",
    "kubernetes:core/v1:Namespace": "everything in it is lost",
    "kubernetes:core/v1:PersistentVolumeClaim": "its data is lost unless its class keeps volumes",
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": "all objects of its kind are lost",
    "azure-native:network:PublicIPAddress": "its address is lost, and whoever was told the address is cut off",
    "azure-native:managedidentity:UserAssignedIdentity": "whatever was granted to it outside this stack is lost",
}
"""By type: what goes with a resource. Our choice."""


def words(seen: Sides) -> Iterator[Word]:
    """A word for each of them that goes."""
    for change in seen.changes.values():
        if change.type in _HOLDS and change.action in ("delete", "replace"):
            forced = f", forced by {listed(list(change.forced_by))}" if change.forced_by else ""
            yield {
                "kind": f"{change.action}d",
                "level": "loss",
                "subject": change.name,
                "text": f"{change.type.rpartition(':')[2]} {quoted(change.name)} is {change.action}d{forced}: "
                f"{_HOLDS[change.type]}.{refused(seen, change.urn)}",
            }
