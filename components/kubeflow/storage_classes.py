"""Names of storage classes. Pure: planning calls the same rule without the SDKs."""

from collections.abc import Iterator
from typing import Final

from ..arguments.mistakes import Mistake

AKS_CLASSES: Final = frozenset(
    {
        # concepts-storage.md, "Storage classes"; azure-blob-csi.md
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


def class_name_mistakes(*names: str | None, keys: tuple[str, ...]) -> Iterator[Mistake]:
    """Names that AKS has, or that a class before has already.

    Args:
        names: of the classes; None for one that is not made.
        keys: the path of each name.
    """
    made = [(key, name) for key, name in zip(keys, names, strict=True) if name is not None]
    for key, name in made:
        if name in AKS_CLASSES:
            yield Mistake(
                key, name, "another name, because AKS has a class of this name and keeps it as it is"
            )
    first: dict[str, str] = {}
    for key, name in made:
        if (other := first.setdefault(name, key)) != key:
            yield Mistake(key, name, f"another name than {other}")
