"""Names of storage classes that AKS makes itself (concepts-storage.md; azure-blob-csi.md)."""

from collections.abc import Iterator
from typing import Final

from settings import Problem, Settings

AKS_CLASSES: Final = frozenset(
    {
        # concepts-storage.md, "Storage classes"
        "default",
        "managed-csi",
        "managed-csi-premium",
        "azurefile-csi",
        "azurefile-csi-premium",
        "azureblob-nfs-premium",
        "azureblob-fuse-premium",
        # of the volumes that were in Kubernetes itself, and still made
        "managed",
        "managed-premium",
        "azurefile",
        "azurefile-premium",
    }
)


def storage_problems(settings: Settings) -> Iterator[Problem]:
    """A class of a name that is taken could not be made."""
    name = settings.kubeflow.storage_class.name
    if name in AKS_CLASSES:
        yield Problem(
            "kubeflow.storageClass.name",
            name,
            "another name, because AKS has a class of this name and keeps it as it is",
        )
