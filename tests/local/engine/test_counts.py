"""The number of nodes belongs to the autoscaler: no update sets a pool back to what it was made with."""

from __future__ import annotations

from kubeflow_aks.local_aks.azure.state import AGENT_POOL
from tests.local.engine.deployment import Deployment
from tests.local.engine.edits import Edit

SCALED = {"system": 3, "general": 3, "cpuspot": 5, "cpuod": 0, "gpuspot": 0, "gpuod": 0}


def test_an_update_repeats_the_count_of_the_creation_and_keeps_the_nodes(demo: Deployment) -> None:
    demo.engine().up()
    demo.set_counts(**SCALED)
    edit = Edit({"pools.cpuspot.labels": {"team": "a"}, "tags.owner": "another-team"})
    done = demo.engine(**edit.config()).up()
    assert {step.inputs["count"] for step in done.changed() if step.name.endswith("-cpuspot")} == {0}
    assert demo.counts() == SCALED
    demo.engine(**edit.config()).refresh()
    demo.engine(**edit.config()).up()
    assert demo.counts() == SCALED


def test_a_replaced_pool_starts_at_the_fewest_nodes_of_today(demo: Deployment) -> None:
    demo.engine().up()
    more = {"pools.cpuspot.minCount": 2}
    demo.engine(**Edit(more).config()).up()
    demo.set_counts(cpuspot=5)
    edit = Edit({**more, "pools.cpuspot.vmSize": "Standard_D16ds_v5"})
    done = demo.engine(**edit.config()).up()
    assert {step.op for step in done.changed() if step.type == AGENT_POOL} >= {"replace"}
    assert demo.counts()["cpuspot"] == 2
