"""Settings of the places where data outlives a node: the class for checkpoints, and a storage account of the stack."""

from typing import Literal

from settings._model import SettingsModel, setting
from settings.kubeflow import KUBERNETES_NAME

BlobSku = Literal["Standard_ZRS", "Standard_LRS", "Premium_ZRS", "Premium_LRS"]


class CheckpointClass(SettingsModel):
    """The storage class for checkpoints: one container of Blob storage for each claim, mounted by many pods at once."""

    enabled: bool = setting(
        True, about="Run AKS's Blob CSI driver and make the class.", source="azure-blob-csi.md"
    )
    name: str = setting("checkpoints", about="Name of the class.", source="our choice", **KUBERNETES_NAME)
    sku: BlobSku | None = setting(
        None,
        about="Redundancy and speed of the storage account that the driver makes. Left out: Standard_ZRS, or "
        "Standard_LRS in a region without zones.",
        source="docs/facts/aks.md#blob-storage",
    )
    reclaim_policy: Literal["Retain", "Delete"] = setting(
        "Retain",
        about="What happens to the data when its claim is deleted.",
        source='"Kubernetes StorageClass"',
    )


class Profile(SettingsModel):
    """One Kubeflow profile that reads and writes a container of its own, without keys."""

    service_accounts: tuple[str, ...] = setting(
        ("default-editor",),
        about="Service accounts of its namespace that may; Kubeflow's pipelines and notebooks run as default-editor.",
        unit="name of a service account",
        source="workload-identity-federation-considerations.md: up to 20",
        max_length=20,
    )


class DataStore(SettingsModel):
    """A storage account of the stack, which outlives the cluster's nodes and takes no keys."""

    sku: BlobSku | None = setting(
        None,
        about="Redundancy and speed of the account, for life. Left out: as for checkpoints.",
        source="docs/facts/prices.md#blob-storage",
    )
    soft_delete_days: int = setting(
        7,
        about="How long a deleted container can be restored; blobs cannot, for deleted checkpoints would be paid on.",
        unit="days",
        source="docs/facts/aks.md#blob-storage",
        ge=1,
        le=365,
    )
    profiles: dict[str, Profile] = setting(
        {},
        about="Profiles by namespace; each has a container of its name and an identity of its own.",
        source="docs/decisions/0010-checkpoints-on-blob-storage.md",
    )


class Data(SettingsModel):
    """Where data outlives a node."""

    checkpoints: CheckpointClass = setting(
        CheckpointClass(), about="The class for checkpoints.", source="docs/facts/aks.md#blob-storage"
    )
    store: DataStore | None = setting(
        None,
        about="A storage account for the data of Kubeflow's profiles. Left out: none.",
        source="docs/decisions/0010-checkpoints-on-blob-storage.md",
    )
