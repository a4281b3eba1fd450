"""What the program registers while a pool moves, and after it."""

from typing import Any

import pytest

from kubeflow_aks.preview.pools import pool_table
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.monitor import Resource
from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import AS_OF, CLUSTER, POOL

HOST = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3}
OWN = {"vmSize": "Standard_D8s_v5", "minCount": 3, "maxCount": 4, "maxPods": 60, "zones": ["1", "2"]}
"""Settings of the new system pool, in either place."""
BEFORE: dict[str, Any] = {"pools": {"general": HOST}}
BOTH: dict[str, Any] = {
    "pools": {
        "general": HOST,
        "general2": {**HOST, "vmSize": "Standard_D16s_v5", "replaces": "general"},
        "system2": {**OWN, "osDisk": {"sizeGib": 256}, "replaces": "system"},
    }
}
AFTER: dict[str, Any] = {
    "systemPool": {"name": "system2", "osDiskGib": 256, **OWN},
    "pools": {"general2": {**HOST, "vmSize": "Standard_D16s_v5"}},
}


@pytest.fixture(scope="module")
def both() -> Record:
    """The protected stack while both pools move."""
    return record("dev", extra={**BOTH, "asOf": AS_OF})


@pytest.fixture(scope="module")
def after() -> Record:
    """The same stack at the end of both moves."""
    return record("dev", extra={**AFTER, "asOf": AS_OF})


def pools(recording: Record) -> dict[str, Resource]:
    return {pool.inputs["agentPoolName"]: pool for pool in recording.of(POOL)}


def test_the_clusters_own_profile_stays_as_it_is_while_both_are_there(both: Record) -> None:
    assert both.one(CLUSTER).inputs == record("dev", extra={**BEFORE, "asOf": AS_OF}).one(CLUSTER).inputs


def test_in_the_end_the_cluster_asks_nothing_else_of_the_new_system_pool(both: Record, after: Record) -> None:
    """What differs, Azure would refuse or change on running nodes."""
    [profile] = after.one(CLUSTER).inputs["agentPoolProfiles"]
    made = pools(both)["system2"].inputs
    assert {key: made.get(key) for key in profile if key != "name"} == {
        key: value for key, value in profile.items() if key != "name"
    }
    assert made["agentPoolName"] == profile["name"] == "system2"
    # The pool's own resource says more: its name and place, AKS's default, and the version that it has already.
    more = {"agentPoolName", "resourceGroupName", "resourceName", "scaleDownMode", "orchestratorVersion"}
    assert set(made) - set(profile) == more


def test_in_the_end_nothing_of_the_old_pools_is_left(after: Record) -> None:
    assert list(pools(after)) == ["general2"]
    assert not pools(after)["general2"].inputs.get("nodeTaints")


def test_the_table_of_pools_shows_both(both: Record) -> None:
    document = plan_document(both)
    assert [(pool["name"], pool["role"]) for pool in document["pools"]] == [
        ("system", "system"),
        ("system2", "system"),
        ("general", "general"),
        ("general2", "general"),
    ]
    assert pool_table(document["pools"], 120)
