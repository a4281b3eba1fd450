"""The settings of a cluster, pools aside, that hand-off, verify and drill need."""

from typing import Any

from aks_facts import charmed_kubeflow_releases
from program.planning.redundancy import blob_sku, disk_sku
from program.settings import Settings

_INCLUDED = {
    "location": True,
    "production": True,
    "protect": True,
    "kubernetes": {"version", "support_plan", "accept_unvalidated"},
    "autoscaler": {"max_node_provision_time", "scale_down_unneeded_time"},
    "api_access": {"private_cluster", "local_accounts"},
    "network": {"policy"},
    "gpu": {"plugin"},
    "data": {"checkpoints"},
    "kubeflow": {
        "release",
        "options",
        "storage_class",
        "inotify",
        "guards",
        "eviction_handler",
        "return_to_spot",
        "argo_retries",
    },
}


def cluster_basis(settings: Settings, *, stack: str) -> dict[str, Any]:
    """The output `clusterBasis`, JSON types: settings under their own keys, every default filled in.

    `kubeflow.pipelines` is the backend of Kubeflow Pipelines that the release has.

    Args:
        settings: the stack's.
        stack: its name, so that the outputs of two stacks are not confused.
    """
    basis = settings.model_dump(mode="json", by_alias=True, include=_INCLUDED)
    basis["kubeflow"]["storageClass"]["sku"] = disk_sku(settings)
    basis["kubeflow"]["pipelines"] = charmed_kubeflow_releases()[settings.kubeflow.release].pipelines
    basis["data"]["checkpoints"]["sku"] = blob_sku(settings.data.checkpoints.sku, settings.location)
    return {"stack": stack, **basis}
