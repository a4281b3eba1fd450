"""A stack's life with the real Kubernetes provider, and what the simulated one would do at each turn of it.

All other stacks of these tests live with the simulated one.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import pytest

from kubeflow_aks.local_aks.azure.state import AGENT_POOL
from kubeflow_aks.local_aks.engine import EngineError, Result
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import Edit
from tests.local.required import required

CONTRACT = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "agent-pools", "namespace": "kubeflow-aks"},
}
EDITS = Edit(
    {
        "kubeflow.inotify.maxUserInstances": 2560,
        "kubeflow.returnToSpot": True,
        "kubeflow.guards": False,
        "data.checkpoints.name": "models",
        "pools.cpuspot.fallback.maxCount": 6,
    }
)
"""Kubernetes objects are replaced, updated, created and deleted."""
STORAGE = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "ckf-zrs"}}


@dataclass(frozen=True)
class Deployed:
    """A stack after its first `up`, with the result of the preview before it."""

    stack: Deployment
    promised: Result
    done: Result


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> Generator[Deployed]:
    tools = required("kubernetes-provider")
    with deployment(tmp_path_factory.mktemp("life") / "run", tools, cluster, "demo") as stack:
        yield Deployed(stack, stack.engine().preview(), stack.engine().up())


@pytest.fixture
def simulated(deployed: Deployed, tools: Tools) -> Deployment:
    """The same stack for an engine with the simulated provider."""
    return replace(deployed.stack, tools=tools)


def _steps(result: Result) -> list[tuple[object, ...]]:
    """What changes, by what."""
    return sorted(
        (step.urn, step.op, step.replace_keys, sorted(step.differences.items())) for step in result.changed()
    )


@pytest.fixture
def demo(deployed: Deployed) -> Generator[Deployment]:
    """The stack as it should be, before and after each test."""
    yield deployed.stack
    deployed.stack.engine().up()
    deployed.stack.assert_state_is_what_exists()


def _changed(result: Result) -> set[tuple[str, str]]:
    """Kind and operation of what changed."""
    return {(step.type.rpartition(":")[2], step.op) for step in result.changed()}


def test_up_does_what_preview_promised(deployed: Deployed) -> None:
    promised, done = deployed.promised, deployed.done
    assert {(step.urn, step.op) for step in promised.steps} == {(step.urn, step.op) for step in done.steps}
    assert promised.changes == done.changes
    assert set(done.changes) == {"create"}
    assert all(step.done for step in done.steps)


def test_all_that_exists_is_in_the_state_and_the_other_way_round(deployed: Deployed) -> None:
    deployed.stack.assert_state_is_what_exists()


def test_a_second_up_changes_nothing(deployed: Deployed) -> None:
    demo = deployed.stack
    before = demo.azure.all(), demo.written()
    again = demo.engine().up()
    assert again.changes == {"same": deployed.done.changes["create"]}
    assert again.changed() == ()
    assert (demo.azure.all(), demo.written()) == before


def test_credentials_among_the_outputs_are_secret(deployed: Deployed) -> None:
    assert deployed.stack.engine().outputs().secret_names == {"kubeconfig", "jujuToken"}


def test_nodes_that_the_autoscaler_added_are_no_drift(demo: Deployment) -> None:
    demo.set_counts(cpuspot=7, system=3)
    assert demo.engine().preview().changed() == ()
    demo.engine(autoscaler={"scanInterval": "20s"}).up()
    assert demo.counts()["cpuspot"] == 7
    assert demo.counts()["system"] == 3


def test_refresh_reports_what_was_changed_or_deleted_by_hand_and_up_restores_it(demo: Deployment) -> None:
    api, pool = demo.cluster.api, demo.pool("cpuspot")
    intended = api.get(CONTRACT)["data"]
    api.apply({**CONTRACT, "data": {"pools.json": "[]"}}, "kubectl", force=True)
    api.delete(STORAGE, "Background")
    demo.azure.put(replace(pool, outputs={**pool.outputs, "maxCount": 99}))
    refreshed, restored = demo.engine().refresh(), demo.engine().up()
    assert {("ConfigMap", "update"), ("StorageClass", "delete")} <= _changed(refreshed)
    assert {("ConfigMap", "update"), ("StorageClass", "create")} <= _changed(restored)
    assert api.get(CONTRACT)["data"] == intended
    for result in (refreshed, restored):
        pools = [(step.name, step.op) for step in result.changed() if step.type == AGENT_POOL]
        assert pools == [("kubeflow-aks-demo-cpuspot", "update")]
    assert demo.pool("cpuspot").outputs["maxCount"] == pool.outputs["maxCount"]


def test_both_providers_plan_the_same_for_edits_of_every_kind(
    demo: Deployment, simulated: Deployment
) -> None:
    assert simulated.engine().preview().changed() == ()
    config = EDITS.config()
    promised = demo.engine(**config).preview()
    assert _steps(simulated.engine(**config).preview()) == _steps(promised)
    kinds = {op for type_, op in _types(promised) if type_.startswith("kubernetes:")}
    assert kinds >= {"create", "update", "delete", "replace"}
    demo.engine(**config).up()
    demo.assert_state_is_what_exists()
    retained = {**config, **Edit({"kubeflow.storageClass.reclaimPolicy": "Retain"}).config()}
    assert simulated.engine(**retained).preview().changed()
    with pytest.raises(EngineError, match="updates to reclaimPolicy are forbidden"):
        demo.engine(**retained).preview()  # before 4.29 the preview of a create is an apply
    assert simulated.engine(**config).preview().changed() == ()


def test_what_one_provider_has_made_the_other_destroys(deployed: Deployed, simulated: Deployment) -> None:
    simulated.engine(**EDITS.config()).up()
    deployed.stack.engine().destroy()
    deployed.stack.assert_nothing_exists()


def _types(result: Result) -> set[tuple[str, str]]:
    return {(step.type, step.op) for step in result.changed()}
