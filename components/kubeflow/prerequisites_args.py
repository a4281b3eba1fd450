"""Arguments of `KubeflowPrerequisites`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Required, TypedDict

from ..arguments import limits
from ..arguments.choices import BlobSku, DiskSku, OnAdvisory, ReclaimPolicy, Weekday
from ..arguments.declaration import Argument, Input, TextsByName
from ..pools.pool_specs import ContractPool
from .headroom_checks import MAX_IMAGES

WORKDAYS: Final[tuple[Weekday, ...]] = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


class StorageClassSpec(TypedDict, total=False):
    """The class; not the cluster's default, because AKS keeps that one as it is.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/concepts-storage.md (2026-08-21).
    """

    name: Annotated[Input[str], Argument("ckf-zrs", "our choice", **limits.KUBERNETES_NAME)]
    """Name of the class."""
    sku: Annotated[Input[DiskSku], Argument("StandardSSD_ZRS", "docs/facts/charmed-kubeflow.md#storage")]
    """Kind of disk; ZRS disks can move between zones, LRS disks cannot."""
    reclaim_policy: Annotated[Input[ReclaimPolicy], Argument("Delete", '"Kubernetes StorageClass"')]
    """What happens to a disk when its claim is deleted."""


class CheckpointClassSpec(TypedDict, total=False):
    """The class for checkpoints: each claim is a container of Blob storage that many pods mount."""

    enabled: Annotated[bool, Argument(True, "azure-blob-csi.md")]
    """Whether to make it; the cluster must run the Blob CSI driver."""
    name: Annotated[Input[str], Argument("checkpoints", "our choice", **limits.KUBERNETES_NAME)]
    """Name of the class."""
    sku: Annotated[Input[BlobSku], Argument("Standard_ZRS", "docs/facts/aks.md#blob-storage")]
    """Redundancy and speed of the storage account that the driver makes."""
    reclaim_policy: Annotated[Input[ReclaimPolicy], Argument("Retain", '"Kubernetes StorageClass"')]
    """What happens to the data when its claim is deleted."""


class InotifySpec(TypedDict, total=False):
    """Least values of the limits."""

    enabled: Annotated[bool, Argument(True, "docs/facts/charmed-kubeflow.md#kernel-limits")]
    """Run the DaemonSet that raises the limits."""
    max_user_instances: Annotated[
        Input[int],
        Argument(1280, "docs/facts/charmed-kubeflow.md#kernel-limits", unit="instances", ge=128, le=65536),
    ]
    """fs.inotify.max_user_instances."""
    max_user_watches: Annotated[
        Input[int],
        Argument(655360, "docs/facts/charmed-kubeflow.md#kernel-limits", unit="watches", ge=8192, le=2097152),
    ]
    """fs.inotify.max_user_watches."""


class HoursSpec(TypedDict, total=False):
    """Hours of the week."""

    time_zone: Annotated[
        Required[str], Argument(..., "our choice", unit="name in the IANA database, like Europe/London")
    ]
    """Time zone of the local time."""
    days: Annotated[Sequence[Weekday], Argument(WORKDAYS, "our choice")]
    """Days of the week."""
    opens: Annotated[str, Argument("07:00", "our choice", unit="HH:MM", **limits.TIME_OF_DAY)]
    """Local time at which they begin."""
    closes: Annotated[str, Argument("19:00", "our choice", unit="HH:MM", **limits.TIME_OF_DAY)]
    """Local time at which they end."""


class HeadroomSpec(TypedDict, total=False):
    """Spot nodes that are kept warm for work to come, beside those that have work."""

    pool: Required[str]
    """Name of the spot pool; of several VM sizes the one that they share."""
    nodes: Annotated[int, Argument(1, "docs/reference/waiting-for-nodes.md", unit="nodes", ge=1, le=100)]
    """Nodes without work, each held by a placeholder, a pod that does nothing and ends as soon as work needs the
    node."""
    images: Annotated[
        Sequence[str],
        Argument((), "docs/reference/waiting-for-nodes.md", unit="images", max_length=MAX_IMAGES),
    ]
    """Images that these nodes pull beforehand; each has a shell, `/bin/sh`, and needs no pull secret."""
    hours: HoursSpec | None
    """When. Default: whenever the cluster runs."""


class KubeflowPrerequisitesArgs(TypedDict, total=False):
    """Arguments of `KubeflowPrerequisites`."""

    pools: Required[Input[Sequence[ContractPool]]]
    """The pools that take work, as `AgentPools.contract` has them: for tools in the cluster and the autoscaler."""
    namespace: Input[str]
    """Namespace of everything of ours; never one that Juju creates. Default: kubeflow-aks."""
    storage_class: StorageClassSpec
    """Storage for Juju and the charms."""
    checkpoints: CheckpointClassSpec
    """Storage for checkpoints, on the Blob CSI driver."""
    general_labels: TextsByName
    """Labels of the nodes that host Charmed Kubeflow. Default: kubeflow-aks/workload platform."""
    inotify: InotifySpec
    """Kernel limits on those nodes."""
    device_plugin: bool
    """Whether to run NVIDIA's device plugin on GPU nodes. Default: true."""
    gpu_slices: bool
    """Whether some GPUs are cut into slices, for which the plugin needs more rights. Default: false."""
    gpu_time_slices: Sequence[int]
    """The numbers of time slices that pools have (`gpu_time_slices` of `AgentPools`), each once. Default: none."""
    network_policies: bool
    """Whether the cluster enforces network policies, so that our namespace gets one. Default: false."""
    guards: Annotated[bool, Argument(True, "docs/facts/charmed-kubeflow.md#charms-and-tolerations")]
    """Refuse platform and notebook pods that tolerate spot nodes; and, in namespaces with the label
    kubeflow-aks/keep-off-spot, StatefulSets, Deployments with a claim and InferenceServices that do."""
    eviction_handler: Annotated[bool, Argument(True, "docs/how-to/act-on-eviction-notices.md")]
    """Whether to act on Azure's notice that it takes a spot node."""
    on_advisory: Annotated[
        OnAdvisory, Argument("checkpoint", "docs/reference/work-lost-to-evictions.md#advisories")
    ]
    """What the eviction handler does on Azure's advisory that it may take a spot node: `ignore` it; `checkpoint`: have
    pods save themselves that agree by an annotation; `cordon`: that, and let nothing new start there for 20 minutes."""
    return_to_spot: Annotated[bool, Argument(False, "docs/how-to/return-work-to-spot.md")]
    """Whether to move pods that agree to it from fallbacks back to spot, once it has room."""
    node_prices: Input[Mapping[str, Input[float]]]
    """Price of a node in USD per hour, by the name of its pool: what pays for a move back to spot. Default: none, so
    that every move is worth its cost."""
    headroom: Sequence[HeadroomSpec]
    """Spot nodes that are kept warm for work to come. Default: none."""
    argo_retries: Annotated[bool, Argument(False, "docs/decisions/0008-argo-retries.md")]
    """Retry pipeline steps whose pods vanished with their node. Set it once Charmed Kubeflow is deployed."""
    managed_prometheus: bool
    """Whether AKS's managed Prometheus runs, so that it is told what to collect. Default: false."""
    pipelines: str
    """Backend of Kubeflow Pipelines that the cluster is for, such as 2.16: for tools in the cluster. Default: none."""
    protect: bool
    """Whether a destroy of the stack must stop before it deletes anything. Default: true."""
