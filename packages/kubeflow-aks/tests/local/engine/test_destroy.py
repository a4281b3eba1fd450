"""The end of a stack: all of it, or, where it is protected, nothing of it."""

from __future__ import annotations

import json
import re

import pytest

from kubeflow_aks.clients.kubernetes.objects import Object, drop
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.local_aks.engine import EngineError
from tests.local.engine import deployment as deployments
from tests.local.engine.deployment import Deployment


def test_destroy_leaves_nothing_and_the_stack_can_be_made_again_and_destroyed_past_a_finalizer(
    demo: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = demo.engine().up().changes
    assert demo.engine().destroy().changes == {"delete": first["create"]}
    demo.assert_nothing_exists()
    assert demo.engine().up().changes == first

    held = _hold(demo)
    with monkeypatch.context() as patience:
        patience.setattr(deployments, "ERASE_SECONDS", 5.0)
        with pytest.raises(EngineError, match="ConfigMap held") as failure:
            demo.engine().destroy()
    drop(held, "metadata", "finalizers")
    demo.cluster.api.apply(held, "tests", force=False)
    assert "Cluster 'kubeflow-aks-demo' can't be deleted" in str(failure.value)
    [cluster] = demo.azure.all(MANAGED_CLUSTER)
    assert cluster.outputs["provisioningState"] == "Failed"
    demo.engine().destroy()
    demo.assert_nothing_exists()


def _hold(stack: Deployment) -> Object:
    """An object with a finalizer that nobody serves."""
    metadata = {"name": "held", "labels": {"made-by": "tests"}}
    namespace: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    held: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "held", "namespace": "held", "finalizers": ["example.org/nobody"]},
    }
    stack.cluster.api.apply(namespace, "tests", force=False)
    stack.cluster.api.apply(held, "tests", force=False)
    return held


def test_a_protected_stack_can_be_updated_and_is_destroyed_only_once_it_gives_up_its_protection(
    dev: Deployment,
) -> None:
    dev.engine().up()
    before = dev.azure.all(), dev.written(), _state(dev)
    with pytest.raises(EngineError, match=r"cannot be deleted\s+because it is protected") as refusal:
        dev.engine().destroy()
    assert refusal.value.result is not None
    assert [step for step in refusal.value.result.steps if step.done] == []
    assert (dev.azure.all(), dev.written(), _state(dev)) == before

    tags = {"owner": "data-science", "environment": "dev"}
    dev.engine(tags=tags).preview()
    updated = dev.engine(tags=tags).up().changed()
    assert {step.op for step in updated} == {"update"}
    assert MANAGED_CLUSTER in {step.type for step in updated}

    unprotected = dev.engine(tags=tags, protect=False)
    assert unprotected.up().changed() == ()
    unprotected.destroy()
    dev.assert_nothing_exists()


def _state(stack: Deployment) -> str:
    """What the state has of all resources, without secrets, which each operation encrypts anew."""
    return re.sub(r'"ciphertext": "[^"]+"', "", json.dumps(stack.engine().export()["resources"]))
