"""Settling creations that a killed engine had begun."""

from __future__ import annotations

from typing import Any

from local_aks.engine.pending import PendingCreate, as_sent, pending_creates, settled

GROUP = {
    "urn": "urn:group",
    "type": "azure-native:resources:ResourceGroup",
    "inputs": {"resourceGroupName": "g"},
}
POOL = {"urn": "urn:pool", "type": "azure-native:containerservice:AgentPool", "parent": "urn:group"}
CLUSTER = {"urn": "urn:cluster", "type": "azure-native:containerservice:ManagedCluster", "id": "/c"}


def _deployment() -> dict[str, Any]:
    operations = [
        {"type": "creating", "resource": GROUP},
        {"type": "creating", "resource": POOL},
        {"type": "updating", "resource": CLUSTER},
    ]
    return {"manifest": {}, "resources": [CLUSTER], "pending_operations": operations}


def test_only_creations_are_pending_creates() -> None:
    assert pending_creates(_deployment()) == (
        PendingCreate("urn:group", "azure-native:resources:ResourceGroup", {"resourceGroupName": "g"}),
        PendingCreate("urn:pool", "azure-native:containerservice:AgentPool", {}),
    )


def test_what_exists_becomes_a_resource_and_the_rest_is_forgotten() -> None:
    after = settled(_deployment(), lambda of: "/groups/g" if of.urn == "urn:group" else None)
    assert after["resources"] == [CLUSTER, {**GROUP, "id": "/groups/g"}]
    assert after["pending_operations"] == [{"type": "updating", "resource": CLUSTER}]
    assert after["manifest"] == {}


def test_a_resource_taken_in_keeps_the_inputs_it_was_sent_and_no_other_is_touched() -> None:
    refreshed = {
        **GROUP,
        "id": "/groups/g",
        "inputs": {"resourceGroupName": "g", "managedBy": ""},
        "outputs": {"a": 1},
    }
    group, _ = pending_creates(_deployment())
    after = as_sent({"manifest": {}, "resources": [CLUSTER, refreshed]}, [group])
    assert after == {"manifest": {}, "resources": [CLUSTER, {**refreshed, "inputs": GROUP["inputs"]}]}


def test_a_stack_without_state_has_none() -> None:
    assert pending_creates({}) == ()
