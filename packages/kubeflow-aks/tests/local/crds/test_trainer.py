"""Placed TrainJobs against the real custom resources of each release of Kubeflow Trainer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ckf_spot import Pools
from ckf_spot.kinds.trainer import APIS
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.project import PROJECT_ROOT
from tests.local.custom_resources import CustomResources
from tests.local.kubectl import eventually
from tests.local.required import required_crds

EXAMPLE = PROJECT_ROOT / "packages/ckf-spot/examples/training/trainjob.yaml"


def placed(api: Any) -> dict[str, Any]:
    document = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    document["metadata"]["namespace"] = "default"
    group: Any = Pools.sample()["gpu"]
    return group.place(document, trainer_api=api)


def taken(crds: CustomResources, document: dict[str, Any]) -> bool:
    """Whether it is taken already: a moment after an installation the release before may still be in force."""
    try:
        return bool(crds.accept(document))
    except ApiError:
        return False


@pytest.mark.parametrize("api", APIS)
def test_a_placed_trainjob_is_one_of_its_release_and_of_no_other_form(
    api: str, crds: CustomResources
) -> None:
    crds.install(f"trainer-{api}")
    ours = placed(api)
    assert eventually(lambda: taken(crds, ours))
    other = [placed(release) for release in APIS if placed(release)["spec"].keys() != ours["spec"].keys()]
    assert len(other) >= 2
    for job in other:
        with pytest.raises(ApiError, match="unknown field"):
            crds.accept(job)


SDK = """\
from kubeflow.trainer import CustomTrainer, TrainerClient

from ckf_spot import Pools, TrainOption


def train() -> None:
    print("trains")


trainer = CustomTrainer(func=train, num_nodes=2, resources_per_node={"gpu": 1})
options = [TrainOption(Pools.sample()["gpu"])]
print(TrainerClient().train(runtime="torch-distributed", trainer=trainer, options=options))
"""

RUNTIMES = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "clustertrainingruntimes.trainer.kubeflow.org"},
    "spec": {
        "group": "trainer.kubeflow.org",
        "names": {"kind": "ClusterTrainingRuntime", "plural": "clustertrainingruntimes"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                },
            }
        ],
    },
}
"""A runtime of which the SDK reads only what Trainer ships; the real one is as long as all of JobSet."""


def runtime_applied(crds: CustomResources, runtime: dict[str, Any]) -> bool:
    """Whether the API server has it; a new kind is known a moment later."""
    try:
        crds.kubectl.apply(runtime)
    except AssertionError:
        return False
    return True


def test_the_api_server_stores_what_the_kubeflow_sdk_creates_with_the_whole_placement(
    crds: CustomResources, tmp_path: Path
) -> None:
    """It drops a field that it does not know in silence."""
    crds.install("trainer-2.3")
    assert eventually(lambda: taken(crds, placed("2.3")))
    files = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in required_crds("trainer-runtimes"))
    [runtime] = [
        document for document in files if document.get("metadata", {}).get("name") == "torch-distributed"
    ]
    crds.kubectl.apply(RUNTIMES)
    assert eventually(lambda: runtime_applied(crds, runtime))
    script = tmp_path / "script.py"
    script.write_text(SDK, encoding="utf-8")

    def trained() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROJECT_ROOT / "packages/ckf-spot/.venv/bin/python", script],
            env={**os.environ, "KUBECONFIG": str(crds.kubectl.kubeconfig)},
            capture_output=True,
            text=True,
            check=False,
        )

    ran = trained()
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "not checked" not in ran.stderr
    stored = crds.kubectl.get("trainjobs.trainer.kubeflow.org", ran.stdout.split()[-1])
    assert stored["spec"]["trainer"]["numNodes"] == 2
    bare = {
        **stored,
        "spec": {key: value for key, value in stored["spec"].items() if key != "runtimePatches"},
    }
    group: Any = Pools.sample()["gpu"]
    ours = group.place(bare, trainer_api="2.2")["spec"]["runtimePatches"]  # what the SDK has a form for
    assert stored["spec"]["runtimePatches"] == ours
    crds.install("trainer-2.1")
    refusal = "the cluster's Kubeflow Trainer would drop it, and has podTemplateOverrides"
    assert eventually(lambda: refusal in trained().stderr)
