"""Facts as data: VM sizes, prices, regions and version support windows, each file with its source and date."""

from catalogue.prices import INCOMPLETE, ondemand_prices, priced_regions
from catalogue.regions import Region, region, regions
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
    "INCOMPLETE",
    "CharmedKubeflowRelease",
    "KubernetesVersion",
    "Region",
    "RetiredVmSeries",
    "VmSize",
    "charmed_kubeflow_release",
    "charmed_kubeflow_releases",
    "kubernetes_version",
    "kubernetes_versions",
    "ondemand_prices",
    "priced_regions",
    "region",
    "regions",
    "restricted_families",
    "retired_series",
    "vm_size",
    "vm_sizes",
]
