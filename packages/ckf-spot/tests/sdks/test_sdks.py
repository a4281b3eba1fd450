"""Objects of the SDKs that Canonical's acceptance tests pin are placed as the same object in YAML is.

Katib's SDK can't be installed beside kfp, nor beside another release of the training SDK, so each gets an environment
of its own, from its lock file.
"""

import json
from typing import Any, Final

import pytest
from installed import environment, output, packages

from ckf_spot import Pools


def replicas(count: int) -> dict[str, Any]:
    container = {"name": "pytorch", "image": "i", "env": [{"name": "a_b", "value": "c"}]}
    return {
        "replicas": count,
        "restartPolicy": "OnFailure",
        "template": {"spec": {"containers": [container]}},
    }


TRAINING: Final = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "train"},
    "spec": {
        "runPolicy": {"cleanPodPolicy": "None"},
        "pytorchReplicaSpecs": {"Master": replicas(1), "Worker": replicas(2)},
    },
}
KATIB: Final = {
    "apiVersion": "kubeflow.org/v1beta1",
    "kind": "Experiment",
    "metadata": {"name": "tune"},
    "spec": {
        "maxTrialCount": 3,
        "objective": {"type": "maximize", "objectiveMetricName": "accuracy"},
        "algorithm": {"algorithmName": "random"},
        "parameters": [
            {"name": "rate", "parameterType": "double", "feasibleSpace": {"min": "0.1", "max": "0.5"}}
        ],
        "trialTemplate": {
            "primaryContainerName": "main",
            "trialParameters": [{"name": "rate", "reference": "rate"}],
            "trialSpec": {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "spec": {
                    "template": {
                        "spec": {
                            "restartPolicy": "Never",
                            "containers": [
                                {"name": "main", "image": "i", "command": ["${trialParameters.rate}"]}
                            ],
                        }
                    }
                },
            },
        },
    },
}
DOCUMENTS: Final = {"training": TRAINING, "katib": KATIB}


@pytest.mark.parametrize(
    ("name", "lock", "more"),
    [
        ("training", "training", []),
        ("training", "katib", []),  # 1.9.0, which Katib's requires
        ("training", "katib", ["kubeflow-training==1.9.1"]),
        ("training", "katib", ["kubeflow-training==1.9.2"]),
        ("training", "katib", ["kubeflow-training==1.9.3"]),
        ("training", "katib", ["kubeflow-training==1.9.4"]),
        ("katib", "katib", []),
        ("katib", "katib", ["kubeflow-katib==0.18.0"]),
    ],
)
@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_an_object_is_placed_as_its_yaml_is_and_never_sent_without(
    pytestconfig: pytest.Config, name: str, lock: str, more: list[str]
) -> None:
    folders = [packages(pytestconfig, *more)] if more else []
    document: Any = DOCUMENTS[name]
    result = json.loads(output(environment(lock, pytestconfig), f"{name}_objects.py", *folders))
    placed = Pools.sample()["cpu"].place(document)
    sent = ["kubeflow.org", "v1beta1", "team-a", "experiments", placed] if name == "katib" else []
    assert result == {"plain": document, "placed": placed, "sent": sent}
