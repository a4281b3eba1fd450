"""The package's examples against the training operator's real CRDs and the API server's own strictness."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ckf_spot import Pools
from kubeflow_aks.local_aks.lifecycle.instance import PROJECT_ROOT
from tests.local.demo_stack import DemoStack

EXAMPLES: Path = PROJECT_ROOT / "ckf_spot" / "examples" / "training"
PLACED = ("job.yaml", "pytorchjob.yaml", "elastic.yaml", "tfjob.yaml")


def _dry_run(demo: DemoStack, document: dict[str, Any], namespace: str) -> str:
    placed = {**document, "metadata": {**document["metadata"], "namespace": namespace}}
    command = ("create", "--namespace", namespace, "--dry-run=server", "--validate=strict", "--output=name")
    return demo.kubectl.run(*command, "--filename=-", given=json.dumps(placed))


@pytest.mark.parametrize("example", PLACED)
def test_a_placed_example_has_no_field_that_the_api_server_does_not_know(
    example: str, demo: DemoStack, pools: Pools, namespace: str
) -> None:
    document = yaml.safe_load((EXAMPLES / example).read_text(encoding="utf-8"))
    group = pools["gpu" if document["kind"] == "PyTorchJob" else "cpu"]
    placed = group.place(document, elastic=example == "elastic.yaml")
    assert document["kind"].lower() in _dry_run(demo, placed, namespace)


def test_a_pods_fields_beside_the_template_are_refused(demo: DemoStack, pools: Pools, namespace: str) -> None:
    """What the placed examples would get away with if nobody were strict."""
    document = yaml.safe_load((EXAMPLES / "tfjob.yaml").read_text(encoding="utf-8"))
    placed = pools["cpu"].place(document)
    worker = placed["spec"]["tfReplicaSpecs"]["Worker"]
    worker["affinity"] = worker["template"]["spec"].pop("affinity")
    with pytest.raises(AssertionError, match="unknown field"):
        _dry_run(demo, placed, namespace)
