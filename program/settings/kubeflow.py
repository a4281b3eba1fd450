"""Settings of what Charmed Kubeflow needs before Juju deploys it."""

from components.arguments import choices, defaults, limits
from components.azure import azure_names
from program.settings._model import SettingsModel, setting


class StorageClass(SettingsModel):
    """The class Juju uses for the controller and for every charm; not the cluster's default."""

    name: str = setting(
        defaults.STORAGE_CLASS, about="Name of the class.", source="our choice", **limits.KUBERNETES_NAME
    )
    sku: choices.DiskSku | None = setting(
        None,
        about=f"Kind of disk; ZRS disks can move between zones, LRS disks cannot. Left out: {defaults.DISK_SKU}, or "
        "StandardSSD_LRS in a region without zone-redundant disks.",
        source="docs/facts/charmed-kubeflow.md#storage",
    )
    reclaim_policy: choices.ReclaimPolicy = setting(
        defaults.DISK_RECLAIM_POLICY,
        about="What happens to a disk when its claim is deleted.",
        source='"Kubernetes StorageClass"',
    )


class Inotify(SettingsModel):
    """Kernel limits on the nodes that host Charmed Kubeflow; only ever raised."""

    enabled: bool = setting(
        defaults.INOTIFY,
        about="Run the DaemonSet that raises the limits.",
        source="docs/facts/charmed-kubeflow.md#kernel-limits",
    )
    max_user_instances: int = setting(
        defaults.MAX_USER_INSTANCES,
        about="fs.inotify.max_user_instances.",
        unit="instances",
        source="docs/facts/charmed-kubeflow.md#kernel-limits",
        **limits.INOTIFY_INSTANCES,
    )
    max_user_watches: int = setting(
        defaults.MAX_USER_WATCHES,
        about="fs.inotify.max_user_watches.",
        unit="watches",
        source="docs/facts/charmed-kubeflow.md#kernel-limits",
        **limits.INOTIFY_WATCHES,
    )


class Kubeflow(SettingsModel):
    """The release of Charmed Kubeflow and its prerequisites."""

    release: str = setting(
        "1.11",
        about="Release of Charmed Kubeflow.",
        source="docs/reference/supported-versions.rst",
        pattern=r"^[0-9]+\.[0-9]+$",
        form="a release, like 1.11",
    )
    storage_class: StorageClass = setting(
        StorageClass(),
        about="Storage for Juju and the charms.",
        source="docs/facts/charmed-kubeflow.md#storage",
    )
    dns_label: str | None = setting(
        None,
        about="First part of the dashboard's name <label>.<location>.cloudapp.azure.com; made from project, stack and "
        "subscription when left out.",
        unit="DNS label, unique in the region",
        source="docs/facts/charmed-kubeflow.md#ingress-and-dns",
        **azure_names.DNS_LABEL,
    )
    inotify: Inotify = setting(
        Inotify(),
        about="Kernel limits that Kubeflow's controllers need.",
        source="docs/facts/charmed-kubeflow.md#kernel-limits",
    )
    guards: bool = setting(
        defaults.GUARDS,
        about="Refuse platform and notebook pods that tolerate spot nodes.",
        source="docs/facts/charmed-kubeflow.md#charms-and-tolerations",
    )
    eviction_handler: bool = setting(
        defaults.EVICTION_HANDLER,
        about="Where there is a spot pool, run the pod that acts on Azure's notice of an eviction: it cordons the node "
        "and evicts its pods with the grace that is left.",
        source="docs/how-to/act-on-eviction-notices.md",
    )
    return_to_spot: bool = setting(
        defaults.RETURN_TO_SPOT,
        about="Where a spot pool has a fallback, run the pod that moves work from it back to spot: work that agrees to "
        "it by a label, once spot has room.",
        source="docs/how-to/return-work-to-spot.md",
    )
    argo_retries: bool = setting(
        defaults.ARGO_RETRIES,
        about="Retry pipeline steps whose pods vanished with their node. Set it once Charmed Kubeflow is deployed.",
        source="docs/decisions/0008-argo-retries.md",
    )
