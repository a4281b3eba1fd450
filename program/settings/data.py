"""Settings of storage that outlives the nodes: the class for checkpoints, and a storage account of the stack."""

from components.arguments import choices, defaults, limits
from components.data_store import data_checks
from program.settings._model import SettingsModel, setting


class CheckpointClass(SettingsModel):
    """The storage class for checkpoints: one container of Blob storage for each claim, mounted by many pods at once."""

    enabled: bool = setting(
        defaults.CHECKPOINTS,
        about="Run AKS's Blob CSI driver and make the class.",
        source="azure-blob-csi.md",
    )
    name: str = setting(
        defaults.CHECKPOINT_CLASS, about="Name of the class.", source="our choice", **limits.KUBERNETES_NAME
    )
    sku: choices.BlobSku | None = setting(
        None,
        about=f"Redundancy and speed of the storage account that the driver makes. Left out: {defaults.BLOB_SKU}, or "
        "Standard_LRS in a region without zones.",
        source="docs/facts/aks.md#blob-storage",
    )
    reclaim_policy: choices.ReclaimPolicy = setting(
        defaults.CHECKPOINT_RECLAIM_POLICY,
        about="What happens to the data when its claim is deleted.",
        source='"Kubernetes StorageClass"',
    )


class Profile(SettingsModel):
    """One Kubeflow profile that reads and writes a container of its own, without keys."""

    service_accounts: tuple[str, ...] = setting(
        defaults.SERVICE_ACCOUNTS,
        about="Service accounts of its namespace that may; Kubeflow's pipelines and notebooks run as default-editor.",
        unit="name of a service account",
        source="workload-identity-federation-considerations.md: up to 20",
        max_length=data_checks.MAX_ACCOUNTS,
    )


class DataStore(SettingsModel):
    """A storage account of the stack, which outlives the nodes and accepts no keys."""

    sku: choices.BlobSku | None = setting(
        None,
        about="Redundancy and speed of the account, for life. Left out: as for checkpoints.",
        source="docs/facts/prices.md#blob-storage",
    )
    soft_delete_days: int = setting(
        defaults.SOFT_DELETE_DAYS,
        about="How long a deleted container can be restored; blobs cannot, because deleted checkpoints "
        "would still be paid for.",
        unit="days",
        source="docs/facts/aks.md#blob-storage",
        **limits.SOFT_DELETE_DAYS,
    )
    profiles: dict[str, Profile] = setting(
        {},
        about="Profiles by namespace; each has a container of its name and an identity of its own.",
        source="docs/decisions/0010-checkpoints-on-blob-storage.md",
    )


class Data(SettingsModel):
    """Storage for checkpoints and data, which outlives the nodes."""

    checkpoints: CheckpointClass = setting(
        CheckpointClass(), about="The class for checkpoints.", source="docs/facts/aks.md#blob-storage"
    )
    store: DataStore | None = setting(
        None,
        about="A storage account for the data of Kubeflow's profiles. Left out: none.",
        source="docs/decisions/0010-checkpoints-on-blob-storage.md",
    )
