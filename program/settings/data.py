"""Settings of storage that outlives the nodes: the class for checkpoints, and a storage account of the stack."""

from components.arguments.choices import BlobSku
from components.arguments.declaration import default_of
from components.data_store.data_store_args import DataProfileSpec, DataStoreArgs
from components.kubeflow.prerequisites_args import CheckpointClassSpec
from program.settings._model import SettingsModel, setting, setting_of, settings_of

_SKU = default_of(CheckpointClassSpec, "sku")


class CheckpointClass(settings_of(CheckpointClassSpec)):
    """The storage class for checkpoints: one container of Blob storage for each claim, mounted by many pods at once."""

    enabled: bool = setting_of(CheckpointClassSpec, "enabled")
    """Run AKS's Blob CSI driver and make the class."""
    sku: BlobSku | None = setting_of(
        CheckpointClassSpec,
        "sku",
        default=None,
        description="Redundancy and speed of the storage account that the driver makes. Left out: "
        f"{_SKU}, or Standard_LRS in a region without zones.",
    )


class Profile(settings_of(DataProfileSpec)):
    """One Kubeflow profile that reads and writes a container of its own, without keys."""


class DataStore(settings_of(DataStoreArgs)):
    """A storage account of the stack, which outlives the nodes and accepts no keys."""

    sku: BlobSku | None = setting_of(DataStoreArgs, "sku", default=None)
    """Redundancy and speed of the account, for life. Left out: as for checkpoints."""
    profiles: dict[str, Profile] = setting({}, "docs/decisions/0010-checkpoints-on-blob-storage.md")
    """Profiles by namespace; each has a container of its name and an identity of its own."""


class Data(SettingsModel):
    """Storage for checkpoints and data, which outlives the nodes."""

    checkpoints: CheckpointClass = setting(CheckpointClass(), "docs/facts/aks.md#blob-storage")
    """The class for checkpoints."""
    store: DataStore | None = setting(None, "docs/decisions/0010-checkpoints-on-blob-storage.md")
    """A storage account for the data of Kubeflow's profiles. Left out: none."""
