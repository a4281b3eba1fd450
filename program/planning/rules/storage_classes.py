"""Names of storage classes that AKS makes itself (concepts-storage.md; azure-blob-csi.md)."""

from collections.abc import Iterator
from typing import Final

from components.mistakes import Mistake
from program.settings import Settings

AKS_CLASSES: Final = frozenset(
    {
        # concepts-storage.md, "Storage classes"
        "default",
        "managed-csi",
        "managed-csi-premium",
        "managed-csi-premium-v2",  # from Kubernetes 1.35 on
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


def storage_problems(settings: Settings) -> Iterator[Mistake]:
    """Names that no other class has."""
    names = {"kubeflow.storageClass.name": settings.kubeflow.storage_class.name}
    if settings.data.checkpoints.enabled:
        names["data.checkpoints.name"] = settings.data.checkpoints.name
    for key, name in names.items():
        if name in AKS_CLASSES:
            yield Mistake(
                key, name, "another name, because AKS has a class of this name and keeps it as it is"
            )
    disks, *others = names.values()
    if disks in others:
        yield Mistake("data.checkpoints.name", disks, "another name than kubeflow.storageClass.name")
