"""Facts as data: VM sizes, prices, regions and version support windows, each file with its source and date."""

from aks_facts.prices import INCOMPLETE, PRICES_FILE, PRICES_READ, ondemand_prices, priced_regions
from aks_facts.regions import clouds, region, regions
from aks_facts.services import FREE_OUTBOUND_GB, Meter, os_disk, service_price, services
from aks_facts.spot_points import assumed_spot_share, quoted_sizes, quoted_spot_price
from aks_facts.versions import (
    Charm,
    CharmedKubeflowRelease,
    KubeflowOption,
    KubernetesVersion,
    UbuntuRelease,
    charmed_kubeflow_releases,
    kubeflow_options,
    kubernetes_version,
    kubernetes_versions,
    minor,
    ubuntu,
    ubuntu_releases,
)
from aks_facts.vm_sizes import VmSize, restricted_families, retired_series, vm_size, vm_sizes

__all__ = [
    "FREE_OUTBOUND_GB",
    "INCOMPLETE",
    "PRICES_FILE",
    "PRICES_READ",
    "Charm",
    "CharmedKubeflowRelease",
    "KubeflowOption",
    "KubernetesVersion",
    "Meter",
    "UbuntuRelease",
    "VmSize",
    "assumed_spot_share",
    "charmed_kubeflow_releases",
    "clouds",
    "kubeflow_options",
    "kubernetes_version",
    "kubernetes_versions",
    "minor",
    "ondemand_prices",
    "os_disk",
    "priced_regions",
    "quoted_sizes",
    "quoted_spot_price",
    "region",
    "regions",
    "restricted_families",
    "retired_series",
    "service_price",
    "services",
    "ubuntu",
    "ubuntu_releases",
    "vm_size",
    "vm_sizes",
]
