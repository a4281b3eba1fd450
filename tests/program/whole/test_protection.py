"""Nothing is protected in a demo; elsewhere a destroy of the stack refuses before it deletes anything."""

from collections.abc import Iterator

import pytest

from kubeflow_aks.recorder.monitor import Resource
from kubeflow_aks.recorder.run import Record
from tests.program.whole.records import POOL, in_cluster, pool_contract, recorded

STATEFUL = {
    ("ResourceGroup", ""),
    ("VirtualNetwork", "-vnet"),
    ("PublicIPAddress", "-ingress"),
    ("UserAssignedIdentity", "-identity"),
    ("ManagedCluster", ""),
    ("MaintenanceConfiguration", "-aksManagedAutoUpgradeSchedule"),
    ("MaintenanceConfiguration", "-aksManagedNodeOSUpgradeSchedule"),
    ("AgentPool", "-general"),
    ("ConfigMap", "-agent-pools"),
}


def protected(recording: Record) -> set[tuple[str, str]]:
    """Type and name of every protected resource, without the stack's part of the name."""
    base = f"kubeflow-aks-{recording.stack}"
    return {
        (resource.type.rpartition(":")[2], resource.name.removeprefix(base))
        for resource in recording.resources.values()
        if resource.custom and resource.options.get("protect")
    }


def test_nothing_is_protected_in_the_demo() -> None:
    every = recorded("demo").resources.values()
    assert [resource.urn for resource in every if resource.options.get("protect")] == []


def test_in_dev_exactly_what_would_hurt_to_lose_is_protected() -> None:
    assert protected(recorded("dev")) == STATEFUL | {("Registry", "kubeflowaksdev")}


def test_in_prod_the_way_out_and_the_audit_logs_are_protected_as_well() -> None:
    outbound = {("NatGateway", "-nat"), ("PublicIPAddress", "-outbound")}
    kept = {("Registry", "kubeflowaksprod"), ("Workspace", "-logs")}
    assert protected(recorded("prod")) == STATEFUL | outbound | kept


def test_rights_are_not_protected_because_a_preview_may_plan_to_replace_them(up: Record) -> None:
    rights = up.of("azure-native:authorization:RoleAssignment")
    assert [right.options["protect"] for right in rights] == [False, False, False]


def waits_for(recording: Record, resource: Resource) -> Iterator[Resource]:
    """Everything a resource waits for, and so what a destroy deletes only after it."""
    visited: set[str] = set()
    ahead = [resource.urn]
    while ahead:
        urn = ahead.pop()
        if urn in visited or urn not in recording.resources:
            continue
        visited.add(urn)
        child = recording.resources[urn]
        yield child
        provider = child.options.get("provider", "").rpartition("::")[0]
        by_property = [other for urns in child.property_dependencies.values() for other in urns]
        ahead += [child.parent, provider, *child.depends_on, *by_property]


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_a_destroy_deletes_nothing_before_it_comes_to_something_protected(stack: str) -> None:
    recording = recorded(stack)
    contract = pool_contract(recording)
    later = {resource.urn for resource in waits_for(recording, contract)}
    first = [
        candidate
        for candidate in recording.resources.values()
        if candidate.custom and candidate.urn not in later
    ]
    assert contract.options["protect"]
    assert [resource.urn for resource in first if not resource.options.get("protect")] == []


def test_the_contract_waits_for_every_object_and_every_pool(up: Record) -> None:
    later = {resource.urn for resource in waits_for(up, pool_contract(up))}
    assert {resource.urn for resource in [*in_cluster(up), *up.of(POOL)]} <= later
