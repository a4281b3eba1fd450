"""Objects of the SDKs that Canonical's acceptance tests pin are placed as the same object in YAML is.

Katib's SDK can't be installed beside kfp, nor beside another release of the training SDK, so each gets an environment
of its own, from its lock file.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from ckf_spot import Pools

FOLDER: Final = Path(__file__).parents[2]
UV: Final = FOLDER.parents[1] / ".venv/bin/uv"


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


def in_environment(name: str, folder: Path) -> Any:
    """What the script of that name says, run where the packages of its lock file are installed.

    Args:
        name: `katib` or `training`.
        folder: of the environment; one from an earlier run is kept, for a new one takes seconds to load.
    """
    python = folder / "bin/python"
    try:
        uv("venv", "--allow-existing", "--python", sys.executable, str(folder))
        uv("pip", "sync", "--python", str(python), "--require-hashes", f"requirements-{name}.txt")
    except (OSError, subprocess.SubprocessError) as error:
        if os.environ.get("KUBEFLOW_AKS_REQUIRE_TOOLS"):
            raise
        pytest.skip(f"the SDK can't be installed here: {error}")
    ran = subprocess.run(
        [python, Path(__file__).with_name(f"{name}_objects.py")],
        env={"PYTHONPATH": str(FOLDER / "src")},
        stdout=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    return json.loads(ran.stdout)


def uv(*arguments: str) -> None:
    subprocess.run([UV, *arguments], cwd=FOLDER, check=True, capture_output=True, timeout=300)


@pytest.mark.parametrize(("name", "document"), [("katib", KATIB), ("training", TRAINING)])
@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_an_object_is_placed_as_its_yaml_is(pytestconfig: pytest.Config, name: str, document: Any) -> None:
    result = in_environment(name, pytestconfig.cache.mkdir(f"sdk-{name}"))
    assert result["plain"] == document
    placed = Pools.sample()["cpu"].place(document)
    assert result["placed"] == placed
    if name == "katib":  # as its client sends it
        assert result["sent"] == ["kubeflow.org", "v1beta1", "team-a", "experiments", placed]
