"""Settings of what Charmed Kubeflow needs before Juju deploys it."""

from typing import Literal

from settings._model import SettingsModel, setting

KUBERNETES_NAME = r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"


class StorageClass(SettingsModel):
    """The class Juju uses for the controller and for every charm; not the cluster's default."""

    name: str = setting("ckf-zrs", about="Name of the class.", source="ckf.md §1.4", pattern=KUBERNETES_NAME)
    sku: Literal["StandardSSD_ZRS", "Premium_ZRS", "StandardSSD_LRS", "Premium_LRS"] = setting(
        "StandardSSD_ZRS",
        about="Kind of disk; ZRS disks can move between zones, LRS disks cannot.",
        source="ckf.md §1.4",
    )
    reclaim_policy: Literal["Delete", "Retain"] = setting(
        "Delete", about="What happens to a disk when its claim goes.", source="Kubernetes StorageClass"
    )


class Inotify(SettingsModel):
    """Kernel limits on the nodes that host Charmed Kubeflow; only ever raised."""

    enabled: bool = setting(True, about="Run the DaemonSet that raises the limits.", source="ckf.md §1.6")
    max_user_instances: int = setting(
        1280, about="fs.inotify.max_user_instances.", unit="instances", source="ckf.md §1.6", ge=128, le=65536
    )
    max_user_watches: int = setting(
        655360,
        about="fs.inotify.max_user_watches.",
        unit="watches",
        source="ckf.md §1.6",
        ge=8192,
        le=2097152,
    )


class Kubeflow(SettingsModel):
    """The release of Charmed Kubeflow and its prerequisites."""

    release: str = setting(
        "1.11", about="Release of Charmed Kubeflow.", source="ckf.md §1.1", pattern=r"^[0-9]+\.[0-9]+$"
    )
    storage_class: StorageClass = setting(
        StorageClass(), about="Storage for Juju and the charms.", source="ckf.md §1.4"
    )
    dns_label: str | None = setting(
        None,
        about="First part of the dashboard's name <label>.<location>.cloudapp.azure.com; made from project, stack and "
        "owner when left out.",
        unit="DNS label, unique in the region",
        source="ckf.md §1.5",
        pattern=r"^[a-z][-a-z0-9]{1,61}[a-z0-9]$",
    )
    inotify: Inotify = setting(
        Inotify(), about="Kernel limits that Kubeflow's controllers need.", source="ckf.md §1.6"
    )
    guards: bool = setting(
        True, about="Refuse platform and notebook pods that tolerate spot nodes.", source="ckf.md §2, §3.1"
    )
    argo_retries: bool = setting(
        False,
        about="Retry pipeline steps whose pods vanished. A second stage: switch it on once Charmed Kubeflow is there.",
        source="placement.md §2",
    )
