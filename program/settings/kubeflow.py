"""Settings of what Charmed Kubeflow needs before Juju deploys it."""

from typing import Literal

from components.arguments.choices import DiskSku
from components.arguments.declaration import default_of
from components.azure import azure_names
from components.kubeflow.prerequisites_args import InotifySpec, KubeflowPrerequisitesArgs, StorageClassSpec
from program.settings._model import SettingsModel, setting, setting_of, settings_of

_LAYOUT = "terraform/products/kubeflow/variables.tf"
_OFFER = {
    "pattern": r"^([\w.-]+:)?[\w.@-]+/[a-z0-9-]+\.[a-z0-9-]+$",
    "form": "an offer's URL, like admin/cos.grafana-dashboards",
}
_ADDRESS = {"pattern": r"^https?://[^\s/]+\S*$", "form": "an address, like https://s3.example.org"}
Component = Literal[
    "pipelines",
    "katib",
    "kserve",
    "notebooks",
    "tensorboard",
    "trainingOperator",
    "trainer",
    "mlflow",
    "feast",
    "spark",
    "observability",
]
"""Parts of Charmed Kubeflow that can be left out or added."""
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


class Offers(SettingsModel):
    """Offers of other models of Juju that Charmed Kubeflow is related to."""

    dashboards: str | None = setting(None, _LAYOUT, unit="Juju offer URL", **_OFFER)
    """Where Canonical's observability stack (COS) takes dashboards."""
    logging: str | None = setting(None, _LAYOUT, unit="Juju offer URL", **_OFFER)
    """Where COS takes logs."""
    metrics: str | None = setting(None, _LAYOUT, unit="Juju offer URL", **_OFFER)
    """Where COS takes metrics."""
    ingress_config: str | None = setting(None, _LAYOUT, unit="Juju offer URL", **_OFFER)
    """Configuration of the mesh's gateways, from the model of Istio."""
    oauth: str | None = setting(None, _LAYOUT, unit="Juju offer URL", **_OFFER)
    """Sign-in of the identity platform."""
    ca_certificate: str | None = setting(None, _LAYOUT, unit="Juju offer URL", **_OFFER)
    """Certificate authority of the identity platform."""


class Options(SettingsModel):
    """What of Charmed Kubeflow is deployed, and how: the hand-off passes it to Canonical's Terraform.

    Logins of stores are no settings: they go by the environment (docs/how-to/choose-kubeflow-options.md).
    """

    components: tuple[Component, ...] = setting(
        ("pipelines", "katib", "kserve", "notebooks", "tensorboard", "trainingOperator"), _LAYOUT
    )
    """Components that are deployed beside the dashboard and the profiles; a list replaces the default."""
    mesh: Literal["sidecar", "ambient"] = setting("sidecar", "docs/facts/charmed-kubeflow.md#two-layouts")
    """How Istio gets into a pod; the ambient mode has no Knative, so KServe runs without it."""
    auth: Literal["dex", "iam"] = setting("dex", _LAYOUT)
    """Who signs people in: Dex, or Canonical's identity platform, which brings github-profiles-automator."""
    artifacts_endpoint: str | None = setting(
        None, "docs/facts/charmed-kubeflow.md#two-layouts", unit="URL", **_ADDRESS
    )
    """S3 that keeps artifacts instead of MinIO in the cluster. Azure's Blob storage is none."""
    spark_endpoint: str | None = setting(None, _LAYOUT, unit="URL", **_ADDRESS)
    """S3 that keeps Spark's history."""
    bucket: str = setting(
        "mlpipeline",
        _LAYOUT,
        pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$",
        form="3 to 63 lower-case letters, digits, dots and hyphens",
    )
    """Bucket of artifacts, in MinIO as in an S3."""
    proxy: str | None = setting(None, _LAYOUT, unit="URL", **_ADDRESS)
    """Proxy of the charms; nodes pull images without it."""
    no_proxy: tuple[str, ...] = setting((), _LAYOUT, unit="hosts, domains and CIDRs")
    """What charms reach without the proxy, the cluster's own addresses among it."""
    offers: Offers = setting(Offers(), _LAYOUT)
    """Offers of other models."""


class _Release(SettingsModel):
    """What only planning uses, and groups."""

    release: str = setting(
        "1.11-ubuntu2",
        "aks_facts/charmed_kubeflow_releases.csv",
        pattern=r"^[0-9]+\.[0-9]+(-ubuntu[0-9]+)?$",
        form="a release, like 1.11-ubuntu2",
    )
    """Release of Charmed Kubeflow."""
    options: Options = setting(Options(), "aks_facts/kubeflow_options.csv")
    """What of it is deployed, and how."""
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
