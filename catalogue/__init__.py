"""Facts as data: VM sizes and version support windows, each file with its source and date."""

from catalogue.versions import (
    CharmedKubeflowRelease,
    KubernetesVersion,
    charmed_kubeflow_release,
    charmed_kubeflow_releases,
    kubernetes_version,
    kubernetes_versions,
)
from catalogue.vm_sizes import (
    RetiredVmSeries,
    VmSize,
    restricted_families,
    retired_series,
    vm_size,
    vm_sizes,
)

__all__ = [
    "CharmedKubeflowRelease",
    "KubernetesVersion",
    "RetiredVmSeries",
    "VmSize",
    "charmed_kubeflow_release",
    "charmed_kubeflow_releases",
    "kubernetes_version",
    "kubernetes_versions",
    "restricted_families",
    "retired_series",
    "vm_size",
    "vm_sizes",
]
