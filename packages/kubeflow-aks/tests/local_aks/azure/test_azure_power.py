"""Stopping and starting a cluster: what Azure shows, keeps and refuses (`docs/facts/aks.md#stopping-and-starting`)."""

import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    arm,
    cluster,
    pool_id,
    put_pool,
    spot_pool,
    wall_clock,
    with_cluster,
)

from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, TYPES


def stop(manager: ResourceManager) -> None:
    manager.wait(manager.power(CLUSTER_ID, run=False))


def start(manager: ResourceManager) -> None:
    manager.wait(manager.power(CLUSTER_ID, run=True))


def shown(manager: ResourceManager) -> tuple[str, str, set[str]]:
    """Provisioning and power state of the cluster, and power states of its pools."""
    body = manager.get(CLUSTER_ID)
    assert body
    pools = {pool["powerState"]["code"] for pool in body["agentPoolProfiles"]}
    return body["provisioningState"], body["powerState"]["code"], pools


def refusal(manager: ResourceManager, *, run: bool) -> str:
    with pytest.raises(ArmError) as refused:
        manager.power(CLUSTER_ID, run=run)
    return str(refused.value)


def test_a_stopped_cluster_has_no_machines_and_a_started_one_as_many_as_before(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "cpuspot", spot_pool())
    azure.set_count(CLUSTER_ID, "cpuspot", 3)
    stop(manager)
    assert shown(manager) == ("Succeeded", "Stopped", {"Stopped"})
    assert azure.agent_pools() == []
    start(manager)
    assert shown(manager) == ("Succeeded", "Running", {"Running"})
    assert {pool["name"]: pool["count"] for pool in azure.agent_pools()} == {"system": 2, "cpuspot": 3}


def test_while_it_stops_or_starts_azure_shows_that_and_refuses_other_changes(azure: AzureState) -> None:
    with_cluster(azure)
    clock = wall_clock()
    manager = arm(azure, clock=clock)
    manager.power(CLUSTER_ID, run=False)
    assert shown(manager)[:2] == ("Stopping", "Stopped")
    assert "Provisioning State(Stopping) and Power State(Stopped), starting cannot" in refusal(
        manager, run=True
    )
    with pytest.raises(ArmError, match=r"Another operation \(Stopping\) is in progress"):
        manager.put(TYPES[AGENT_POOL], pool_id("cpuspot"), spot_pool())
    clock.advance(300)
    manager.power(CLUSTER_ID, run=True)
    assert shown(manager)[:2] == ("Starting", "Running")


def test_a_pool_that_changes_holds_up_the_stop(azure: AzureState) -> None:
    with_cluster(azure)
    manager = arm(azure, clock=wall_clock())
    manager.put(TYPES[AGENT_POOL], pool_id("cpuspot"), spot_pool())
    assert "Another operation (Creating) is in progress on agent pool (cpuspot)" in refusal(
        manager, run=False
    )


def test_what_it_is_already_it_does_not_become_again(azure: AzureState) -> None:
    manager = with_cluster(azure)
    assert refusal(manager, run=True) == (
        'Status=409 Code="OperationNotAllowed" Message="managed cluster is in Provisioning State(Succeeded) and Power '
        'State(Running), starting cannot be performed"'
    )
    stop(manager)
    assert refusal(manager, run=False) == (
        'Status=409 Code="OperationNotAllowed" Message="managed cluster is not currently running, stopping cannot be '
        'performed"'
    )


def test_a_stopped_cluster_takes_no_change_but_its_deletion(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "cpuspot", spot_pool())
    stop(manager)
    window = f"{CLUSTER_ID}/maintenanceConfigurations/aksManagedAutoUpgradeSchedule"
    for token, arm_id, body in (
        (MANAGED_CLUSTER, CLUSTER_ID, cluster()),
        (AGENT_POOL, pool_id("cpuspot"), spot_pool(maxCount=5)),
        (AGENT_POOL, pool_id("more"), spot_pool()),
        ("azure-native:containerservice:MaintenanceConfiguration", window, {}),
    ):
        with pytest.raises(ArmError, match=r"Power State\(Stopped\): only start and delete"):
            manager.put(TYPES[token], arm_id, body)
    with pytest.raises(ArmError, match=r"Power State\(Stopped\)"):
        manager.delete(TYPES[AGENT_POOL], pool_id("cpuspot"))
    group = manager.delete(TYPES[RESOURCE_GROUP], GROUP_ID)
    assert group
    manager.wait(group)
    assert azure.all() == []


def test_what_is_around_a_stopped_cluster_can_change(azure: AzureState) -> None:
    manager = with_cluster(azure)
    stop(manager)
    manager.wait(manager.put(TYPES[RESOURCE_GROUP], GROUP_ID, {"location": "westeurope", "tags": {"a": "b"}}))


def test_nodes_and_api_server_go_at_the_end_of_a_stop_and_are_back_before_a_start_ends(
    azure: AzureState,
) -> None:
    observed: list[tuple[bool, str]] = []
    manager = with_cluster(azure)

    def switch(*, on: bool) -> None:
        observed.append((on, shown(manager)[1]))

    switched = ResourceManager(
        azure, Timing(float("inf")), lambda: pytest.fail("the day is not needed"), switch=switch
    )
    stop(switched)
    start(switched)
    assert observed == [(False, "Stopped"), (True, "Running")]


def test_the_activity_log_has_the_operations(azure: AzureState) -> None:
    manager = with_cluster(azure)
    stop(manager)
    start(manager)
    assert [entry["action"] for entry in azure.activity(CLUSTER_ID.upper())] == [
        "write",
        "stop/action",
        "start/action",
    ]


def test_no_cluster_can_not_be_stopped(azure: AzureState) -> None:
    manager = with_cluster(azure)
    with pytest.raises(ArmError) as refused:
        manager.power(f"{CLUSTER_ID}x", run=False)
    assert refused.value.status == 404
