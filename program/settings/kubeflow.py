"""Settings of what Charmed Kubeflow needs before Juju deploys it."""

from components.arguments.choices import DiskSku
from components.arguments.declaration import default_of
from components.azure import azure_names
from components.kubeflow.prerequisites_args import InotifySpec, KubeflowPrerequisitesArgs, StorageClassSpec
from program.settings._model import SettingsModel, setting, setting_of, settings_of

_DISK = default_of(StorageClassSpec, "sku")


class StorageClass(settings_of(StorageClassSpec)):
    """The class Juju uses for the controller and for every charm; not the cluster's default."""

    sku: DiskSku | None = setting_of(
        StorageClassSpec,
        "sku",
        default=None,
        description=f"Kind of disk; ZRS disks can move between zones, LRS disks cannot. Left out: {_DISK}, or "
        "StandardSSD_LRS in a region without zone-redundant disks.",
    )


class Inotify(settings_of(InotifySpec)):
    """Kernel limits on the nodes that host Charmed Kubeflow; only ever raised."""


class _Release(SettingsModel):
    """What only planning uses, and groups."""

    release: str = setting(
        "1.11-ubuntu2",
        "aks_facts/charmed_kubeflow_releases.csv",
        pattern=r"^[0-9]+\.[0-9]+(-ubuntu[0-9]+)?$",
        form="a release, like 1.11-ubuntu2",
    )
    """Release of Charmed Kubeflow."""
    storage_class: StorageClass = setting(StorageClass(), "docs/facts/charmed-kubeflow.md#storage")
    """Storage for Juju and the charms."""
    dns_label: str | None = setting(
        None,
        "docs/facts/charmed-kubeflow.md#ingress-and-dns",
        unit="DNS label, unique in the region",
        **azure_names.DNS_LABEL,
    )
    """First part of the dashboard's name <label>.<location>.cloudapp.azure.com; made from project, stack and
    subscription when left out."""
    inotify: Inotify = setting(Inotify(), "docs/facts/charmed-kubeflow.md#kernel-limits")
    """Kernel limits that Kubeflow's controllers need."""


class Kubeflow(settings_of(KubeflowPrerequisitesArgs, base=_Release)):
    """The release of Charmed Kubeflow and its prerequisites."""

    eviction_handler: bool = setting_of(KubeflowPrerequisitesArgs, "eviction_handler")
    """Where there is a spot pool, run the pod that acts on Azure's notice of an eviction: it cordons the node and
    evicts its pods with the grace that is left."""
    return_to_spot: bool = setting_of(KubeflowPrerequisitesArgs, "return_to_spot")
    """Where a spot pool has a fallback, run the pod that moves work from it back to spot: work that agrees to it by a
    label, once spot has room."""
