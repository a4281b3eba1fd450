"""The output `clusterBasis`: what others need to know of the cluster's settings."""

from program.planning.cluster_basis import cluster_basis
from tests.program.planning.small_stack import settings


def test_the_basis_has_every_default_filled_in() -> None:
    assert cluster_basis(settings(), stack="dev") == {
        "stack": "dev",
        "location": "westeurope",
        "production": False,
        "protect": True,
        "kubernetes": {"version": "1.34", "supportPlan": "AKSLongTermSupport", "acceptUnvalidated": False},
        "autoscaler": {"maxNodeProvisionTime": "10m", "scaleDownUnneededTime": "10m"},
        "apiAccess": {"privateCluster": False, "localAccounts": True},
        "network": {"policy": "none"},
        "gpu": {"plugin": "devicePlugin"},
        "data": {
            "checkpoints": {
                "enabled": True,
                "name": "checkpoints",
                "sku": "Standard_ZRS",
                "reclaimPolicy": "Retain",
            }
        },
        "kubeflow": {
            "release": "1.11-ubuntu2",
            "pipelines": "2.16",
            "options": {
                "components": [
                    "pipelines",
                    "katib",
                    "kserve",
                    "notebooks",
                    "tensorboard",
                    "trainingOperator",
                ],
                "mesh": "sidecar",
                "auth": "dex",
                "artifactsEndpoint": None,
                "sparkEndpoint": None,
                "bucket": "mlpipeline",
                "proxy": None,
                "noProxy": [],
                "offers": dict.fromkeys(
                    ("dashboards", "logging", "metrics", "ingressConfig", "oauth", "caCertificate")
                ),
            },
            "storageClass": {"name": "ckf-zrs", "sku": "StandardSSD_ZRS", "reclaimPolicy": "Delete"},
            "guards": True,
            "evictionHandler": True,
            "returnToSpot": False,
            "argoRetries": False,
            "inotify": {"enabled": True, "maxUserInstances": 1280, "maxUserWatches": 655360},
        },
    }


def test_the_basis_says_what_a_stack_sets() -> None:
    basis = cluster_basis(settings(kubeflow={"argoRetries": True}, location="northeurope"), stack="x")
    assert (basis["stack"], basis["location"], basis["kubeflow"]["argoRetries"]) == ("x", "northeurope", True)
