"""What a cluster was asked for, beside its pools: for whoever hands it over, verifies it or drills on it."""

from typing import Any

from settings import Settings

_KEPT = {
    "location": True,
    "production": True,
    "protect": True,
    "kubernetes": {"version", "support_plan"},
    "autoscaler": {"max_node_provision_time", "scale_down_unneeded_time"},
    "api_access": {"private_cluster", "local_accounts"},
    "network": {"policy"},
    "gpu": {"plugin"},
    "kubeflow": {"release", "inotify", "guards", "argo_retries"},
}


def cluster_basis(settings: Settings, *, stack: str) -> dict[str, Any]:
    """The output `clusterBasis`, JSON types: settings under their own keys, every default filled in.

    Args:
        settings: the stack's.
        stack: its name, so that nobody takes the outputs of one stack for another's.
    """
    return {"stack": stack, **settings.model_dump(mode="json", by_alias=True, include=_KEPT)}
