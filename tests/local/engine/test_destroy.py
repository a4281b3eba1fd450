"""The end of a stack: all of it, or, where it is protected, nothing of it."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from kubeflow_aks.clients.kubernetes.objects import Object, drop, put
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.local_aks.engine import EngineError
from kubeflow_aks.tools import Tools
from tests.local.engine import deployment as deployments
from tests.local.engine.deployment import Cluster, Deployment, deployment


@pytest.fixture(scope="module")
def protected(
    tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster
) -> Generator[Deployment]:
    """The `dev` stack after its first `up`."""
    with deployment(tmp_path_factory.mktemp("protected") / "run", tools, cluster, "dev") as stack:
        stack.engine().up()
        yield stack


def test_destroy_leaves_nothing_and_the_stack_can_be_made_again(demo: Deployment) -> None:
    first = demo.engine().up().changes
    assert demo.engine().destroy().changes == {"delete": first["create"]}
    demo.assert_nothing_exists()
    assert demo.engine().up().changes == first


def test_destroy_of_a_protected_stack_deletes_nothing(protected: Deployment) -> None:
    before = protected.azure.all(), protected.written(), protected.engine().export()["resources"]
    with pytest.raises(EngineError, match=r"cannot be deleted\s+because it is protected") as refusal:
        protected.engine().destroy()
    assert refusal.value.result is not None
    assert [step for step in refusal.value.result.steps if step.done] == []
    assert (protected.azure.all(), protected.written(), protected.engine().export()["resources"]) == before


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"autoscaler": {"scanInterval": "20s"}}, id="cluster"),
        pytest.param({"tags": {"owner": "data-science", "environment": "dev"}}, id="everything"),
    ],
)
def test_updates_of_a_protected_stack_can_be_previewed(
    protected: Deployment, settings: dict[str, object]
) -> None:
    protected.engine(**settings).preview()
    assert {step.op for step in protected.engine(**settings).up().changed()} == {"update"}


def test_a_stack_that_gives_up_its_protection_can_be_destroyed(dev: Deployment) -> None:
    dev.engine().up()
    assert dev.engine(protect=False).up().changed() == ()
    dev.engine(protect=False).destroy()
    dev.assert_nothing_exists()


def test_a_finalizer_that_nobody_serves_fails_the_destroy_and_the_next_one_goes_on(
    demo: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo.engine().up()
    metadata = {"name": "held", "labels": {"made-by": "tests"}}
    namespace: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    held: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "held", "namespace": "held"},
    }
    demo.cluster.api.apply(namespace, "tests", force=False)
    put(held, ["example.org/nobody"], "metadata", "finalizers")
    demo.cluster.api.apply(held, "tests", force=False)
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
