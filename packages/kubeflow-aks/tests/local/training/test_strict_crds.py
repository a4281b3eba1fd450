"""The package's examples against the training operator's real CRDs and the API server's own strictness."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ckf_spot import Pools
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.local_aks.lifecycle.instance import PROJECT_ROOT
from tests.local.demo_stack import MANAGER, DemoStack, Object

EXAMPLES: Path = PROJECT_ROOT / "ckf_spot" / "examples" / "training"
PLACED = ("job.yaml", "pytorchjob.yaml", "elastic.yaml", "tfjob.yaml")


def _dry_run(demo: DemoStack, document: Object) -> Object:
    name = document["metadata"]["name"]
    in_default = {**document, "metadata": {"name": name, "namespace": "default"}}
    return demo.api.create(in_default, MANAGER, dry_run=True, strict=True)


@pytest.mark.parametrize("example", PLACED)
def test_a_placed_example_has_no_field_that_the_api_server_does_not_know(
    example: str, demo: DemoStack, pools: Pools
) -> None:
    document = yaml.safe_load((EXAMPLES / example).read_text(encoding="utf-8"))
    group = pools["gpu" if document["kind"] == "PyTorchJob" else "cpu"]
    placed = group.place(document, elastic=example == "elastic.yaml")
    assert _dry_run(demo, placed)["kind"] == document["kind"]


def test_a_pods_fields_beside_the_template_are_refused(demo: DemoStack, pools: Pools) -> None:
    """What the placed examples would get away with if nobody were strict."""
    document = yaml.safe_load((EXAMPLES / "tfjob.yaml").read_text(encoding="utf-8"))
    placed = pools["cpu"].place(document)
    worker = placed["spec"]["tfReplicaSpecs"]["Worker"]
    worker["affinity"] = worker["template"]["spec"].pop("affinity")
    with pytest.raises(ApiError, match="unknown field"):
        _dry_run(demo, placed)
