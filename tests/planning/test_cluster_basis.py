"""The output `clusterBasis`: what others need to know of the cluster's settings."""

from planning.cluster_basis import cluster_basis
from tests.planning.given import settings


def test_the_basis_has_every_default_filled_in() -> None:
    assert cluster_basis(settings(), stack="dev") == {
        "stack": "dev",
        "location": "westeurope",
        "production": False,
        "protect": True,
        "kubernetes": {"version": "1.34", "supportPlan": "AKSLongTermSupport"},
        "autoscaler": {"maxNodeProvisionTime": "10m", "scaleDownUnneededTime": "10m"},
        "apiAccess": {"privateCluster": False, "localAccounts": True},
        "network": {"policy": "none"},
        "gpu": {"plugin": "devicePlugin"},
        "kubeflow": {
            "release": "1.11",
            "guards": True,
            "argoRetries": False,
            "inotify": {"enabled": True, "maxUserInstances": 1280, "maxUserWatches": 655360},
        },
    }


def test_the_basis_says_what_a_stack_sets() -> None:
    told = cluster_basis(settings(kubeflow={"argoRetries": True}, location="northeurope"), stack="x")
    assert (told["stack"], told["location"], told["kubeflow"]["argoRetries"]) == ("x", "northeurope", True)
