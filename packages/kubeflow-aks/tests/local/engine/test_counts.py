"""The number of nodes belongs to the autoscaler: no update sets a pool back to what it was made with."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from kubeflow_aks.local_aks.azure.state import AGENT_POOL
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import STACK, Edit

SCALED = {"system": 3, "general": 3, "cpuspot": 5, "cpuod": 0, "gpuspot": 0, "gpuod": 0}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    """The stack, made with the counts of its file."""
    with deployment(tmp_path_factory.mktemp("counts") / "run", tools, cluster, STACK) as stack:
        stack.engine().up()
        yield stack


def test_an_update_repeats_the_count_of_the_creation_and_keeps_the_nodes(demo: Deployment) -> None:
    demo.set_counts(**SCALED)
    edit = Edit({"pools.cpuspot.labels": {"team": "a"}, "tags.owner": "another-team"})
    done = demo.engine(**edit.config()).up()
    assert {step.inputs["count"] for step in done.changed() if step.name.endswith("-cpuspot")} == {0}
    assert demo.counts() == SCALED
    demo.engine(**edit.config()).refresh()
    demo.engine(**edit.config()).up()
    assert demo.counts() == SCALED


def test_a_replaced_pool_starts_at_the_fewest_nodes_of_today(demo: Deployment) -> None:
    more = {"pools.cpuspot.minCount": 2}
    demo.engine(**Edit(more).config()).up()
    demo.set_counts(cpuspot=5)
    edit = Edit({**more, "pools.cpuspot.vmSize": "Standard_D16ds_v5"})
    done = demo.engine(**edit.config()).up()
    assert {step.op for step in done.changed() if step.type == AGENT_POOL} >= {"replace"}
    assert demo.counts()["cpuspot"] == 2
