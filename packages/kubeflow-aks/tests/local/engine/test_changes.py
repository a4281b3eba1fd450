"""A handful of edits carried out: what changes, in which order, and that all else stays as it was."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from kubeflow_aks.clients.kubernetes.objects import at
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, StoredResource
from kubeflow_aks.local_aks.engine import Result
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import STACK, Edit

EXPANDER = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "cluster-autoscaler-priority-expander", "namespace": "kube-system"},
}


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster
) -> Generator[Deployment]:
    with deployment(tmp_path_factory.mktemp("changes") / "run", tools, cluster, STACK) as stack:
        yield stack


@pytest.fixture
def demo(deployed: Deployment) -> Deployment:
    """The stack as its file has it."""
    deployed.engine().up()
    return deployed


def _others(stack: Deployment, pools: set[str]) -> list[StoredResource]:
    """All of Azure but these pools."""
    return sorted(
        (of for of in stack.azure.all() if of.type != AGENT_POOL or of.outputs["name"] not in pools),
        key=lambda of: of.id,
    )


def _steps(done: Result, type_: str) -> dict[str, tuple[str, ...]]:
    """What was done to the changed resources of a type, in order, by their name without the stack's."""
    steps: dict[str, tuple[str, ...]] = {}
    for step in done.changed():
        assert step.done
        if step.type == type_:
            name = step.name.removeprefix(f"kubeflow-aks-{STACK}-")
            steps[name] = (*steps.get(name, ()), step.op)
    return steps


def test_pools_are_replaced_delete_first_and_all_else_stays(demo: Deployment) -> None:
    """Each pool by an edit of its own: the twins by the size, the spot pool alone by its price, a third by its pods."""
    now = {
        "cpuspot": {"vmSize": "Standard_D16ds_v5"},
        "cpuod": {"vmSize": "Standard_D16ds_v5"},
        "gpuspot": {"spotMaxPrice": 0.2},
        "general": {"maxPods": 60},
    }
    edit = Edit(
        {
            "pools.cpuspot.vmSize": "Standard_D16ds_v5",
            "pools.gpuspot.maxPrice": 0.2,
            "pools.general.maxPods": 60,
        }
    )
    others = _others(demo, set(now))
    done = demo.engine(**edit.config()).up()
    replacement = ("delete-replaced", "replace", "create-replacement")
    assert _steps(done, AGENT_POOL) == dict.fromkeys(now, replacement)
    assert _others(demo, set(now)) == others
    for name, values in now.items():
        assert demo.pool(name).outputs.items() >= values.items()
    demo.assert_state_is_what_exists()


def test_pools_are_updated_in_place_and_all_else_stays(demo: Deployment) -> None:
    """Each pool by an edit of its own; labels that a stack adds stay beside Azure's own."""
    demo.set_counts(cpuspot=4, gpuspot=3)
    edit = Edit(
        {
            "pools.general.maxCount": 4,
            "pools.cpuspot.labels": {"team": "a"},
            "pools.gpuspot.taints": ["team=a:NoSchedule"],
        }
    )
    updated = {"general", "cpuspot", "cpuod", "gpuspot", "gpuod"}
    others = _others(demo, updated)
    done = demo.engine(**edit.config()).up()
    assert _steps(done, AGENT_POOL) == dict.fromkeys(updated, ("update",))
    assert _others(demo, updated) == others
    assert (demo.counts()["cpuspot"], demo.counts()["gpuspot"]) == (4, 3)
    assert demo.pool("general").outputs["maxCount"] == 4
    labels = demo.pool("cpuspot").outputs["nodeLabels"]
    assert labels["team"] == "a"
    assert labels["kubernetes.azure.com/scalesetpriority"] == "spot"
    assert "team=a:NoSchedule" in demo.pool("gpuspot").outputs["nodeTaints"]


def test_the_priority_map_follows_the_pools_and_is_never_absent(demo: Deployment) -> None:
    before = demo.cluster.api.get(EXPANDER)
    extra = {"vmSize": "Standard_D8ads_v5", "priority": "Spot", "maxCount": 2}
    demo.engine(**Edit({"pools.extraspot": extra}).config()).up()
    after = demo.cluster.api.get(EXPANDER)
    assert at(after, "metadata", "uid") == at(before, "metadata", "uid")
    assert "extraspot" in at(after, "data", "priorities")
    assert "extraspot" not in at(before, "data", "priorities")


def test_an_update_of_the_cluster_leaves_role_assignments_and_pools_alone(demo: Deployment) -> None:
    done = demo.engine(**Edit({"autoscaler.scanInterval": "20s"}).config()).up()
    assert [(step.type, step.op) for step in done.changed()] == [(MANAGED_CLUSTER, "update")]
