"""ARM around the resources: parents, references, nested resources, operations and faults."""

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    LOCATION,
    SPOT_LABEL,
    SPOT_TAINT,
    VNET_ID,
    arm,
    cluster,
    group,
    pool_id,
    put,
    put_pool,
    spot_pool,
    system_pool,
    user_pool,
    wall_clock,
    with_cluster,
    with_network,
    without,
)

from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.faults import Fault
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.timing import OperationCancelledError, Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, SUBNET, TYPES

VNET = "azure-native:network:VirtualNetwork"
NAT_ID = f"{GROUP_ID}/providers/Microsoft.Network/natGateways/nat"
ROOT = Path(__file__).parents[5]
POOL_SECONDS = 120.0
"""What making a pool takes."""


def delete(manager: ResourceManager, token: str, arm_id: str) -> None:
    operation = manager.delete(TYPES[token], arm_id)
    assert operation
    manager.wait(operation)


def test_a_resource_needs_its_group(azure: AzureState) -> None:
    with pytest.raises(ArmError) as refused:
        put(arm(azure), MANAGED_CLUSTER, CLUSTER_ID, cluster())
    assert str(refused.value) == (
        'Status=404 Code="ResourceGroupNotFound" Message="Resource group \'kubeflow\' could not be found."'
    )


def test_a_pool_needs_its_cluster(azure: AzureState) -> None:
    manager = arm(azure)
    put(manager, RESOURCE_GROUP, GROUP_ID, group())
    with pytest.raises(
        ArmError, match="'managedClusters/agentPools', because the parent resource"
    ) as refused:
        put_pool(manager, "pool", user_pool())
    assert (refused.value.status, refused.value.code) == (404, "ParentResourceNotFound")


def test_what_a_body_refers_to_must_exist(azure: AzureState) -> None:
    manager = with_cluster(azure)
    with pytest.raises(ArmError, match=r"subnets/pools referenced by resource .* was not found") as refused:
        put_pool(manager, "pool", user_pool(vnetSubnetID=f"{VNET_ID}/subnets/pools"))
    assert refused.value.code == "InvalidResourceReference"


def test_a_role_may_be_assigned_on_a_registry_this_azure_does_not_know(azure: AzureState) -> None:
    foreign = (
        GROUP_ID.replace("kubeflow", "shared") + "/providers/Microsoft.ContainerRegistry/registries/images"
    )
    name = "providers/Microsoft.Authorization/roleAssignments/8f6e3a52-6d56-4f0e-9a57-0d4c1f1c5f01"
    body = {"principalId": "p", "roleDefinitionId": "/pull", "scope": foreign}
    answer = put(with_cluster(azure), "azure-native:authorization:RoleAssignment", f"{foreign}/{name}", body)
    assert answer["scope"] == foreign


def test_a_role_is_not_assigned_on_a_missing_resource_of_a_known_group(azure: AzureState) -> None:
    name = "providers/Microsoft.Authorization/roleAssignments/8f6e3a52-6d56-4f0e-9a57-0d4c1f1c5f01"
    body = {"principalId": "p", "roleDefinitionId": "/pull"}
    with pytest.raises(ArmError, match="virtualNetworks/vnet' under resource group 'kubeflow' was not found"):
        put(with_cluster(azure), "azure-native:authorization:RoleAssignment", f"{VNET_ID}/{name}", body)


def test_deleting_a_group_deletes_everything_in_it_and_the_machines_group(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "spot", spot_pool())
    with_network(manager)
    assert manager.get(GROUP_ID.replace("kubeflow", "MC_kubeflow_aks_westeurope"))
    delete(manager, RESOURCE_GROUP, GROUP_ID)
    assert azure.all() == []


def test_deleting_a_cluster_deletes_its_pools_and_nothing_else(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "spot", spot_pool())
    delete(manager, MANAGED_CLUSTER, CLUSTER_ID)
    assert [r.id for r in azure.all()] == [GROUP_ID]


def test_deleting_what_is_gone_is_no_error(azure: AzureState) -> None:
    assert arm(azure).delete(TYPES[RESOURCE_GROUP], GROUP_ID) is None


def test_the_last_system_pool_stays(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "user", user_pool())
    with pytest.raises(ArmError, match=r"There has to be at least one system agent pool\."):
        delete(manager, AGENT_POOL, pool_id("system"))
    put_pool(manager, "second", user_pool(mode="System"))
    delete(manager, AGENT_POOL, pool_id("system"))
    assert [pool["name"] for pool in azure.agent_pools()] == ["user", "second"]


@pytest.mark.parametrize(
    ("token", "suffix", "code"),
    [(SUBNET, "/subnets/pools", "InUseSubnetCannotBeDeleted"), (VNET, "", "InUseSubnetCannotBeDeleted")],
)
def test_a_subnet_with_machines_in_it_stays(azure: AzureState, token: str, suffix: str, code: str) -> None:
    manager = with_cluster(azure)
    subnet = with_network(manager)
    put_pool(manager, "user", user_pool(vnetSubnetID=subnet))
    with pytest.raises(ArmError) as refused:
        delete(manager, token, VNET_ID + suffix)
    assert refused.value.code == code
    assert "agentPools/user" in refused.value.message


def test_a_cluster_shows_its_pools_inline_and_own_ones_alike(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "spot", spot_pool())
    body = manager.get(CLUSTER_ID)
    assert body
    assert [(p["name"], p["type"]) for p in body["agentPoolProfiles"]] == [
        ("system", "VirtualMachineScaleSets"),
        ("spot", "VirtualMachineScaleSets"),
    ]


def test_a_put_of_a_cluster_changes_the_inline_pools_it_names_and_leaves_the_others(
    azure: AzureState,
) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "spot", spot_pool())
    put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(agentPoolProfiles=[system_pool(count=3)]))
    assert [(p["name"], p["count"]) for p in azure.agent_pools()] == [("system", 3), ("spot", 0)]


def test_a_put_of_a_cluster_can_name_another_of_its_system_pools(azure: AzureState) -> None:
    """It is how a system pool is replaced; the one left out stays (Azure/AKS#2495, pulumi/pulumi-azure-native#579)."""
    manager = with_cluster(azure)
    second = system_pool(name="second", vmSize="Standard_D8s_v5")
    put_pool(manager, "second", without(second, "name"))
    put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(agentPoolProfiles=[second]))
    assert [(p["name"], p["vmSize"]) for p in azure.agent_pools()] == [
        ("system", "Standard_D4s_v5"),
        ("second", "Standard_D8s_v5"),
    ]
    delete(manager, AGENT_POOL, pool_id("system"))
    with pytest.raises(ArmError, match="A new agent pool was introduced"):
        put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster())


def test_a_network_keeps_its_subnets_unless_a_put_names_others(azure: AzureState) -> None:
    manager = with_cluster(azure)
    with_network(manager)
    network = {"location": LOCATION, "addressSpace": {"addressPrefixes": ["10.0.0.0/8"]}}
    assert [s["name"] for s in put(manager, VNET, VNET_ID, network)["subnets"]] == ["pools"]
    other = network | {"subnets": [{"name": "other", "addressPrefix": "10.30.0.0/24"}]}
    assert [s["name"] for s in put(manager, VNET, VNET_ID, other)["subnets"]] == ["other"]


def test_aks_adds_label_and_taint_to_a_new_spot_pool(azure: AzureState) -> None:
    manager = with_cluster(azure)
    pool = put_pool(manager, "spot", without(spot_pool(nodeTaints=["mine=yes:NoSchedule"]), "nodeLabels"))
    assert pool["nodeLabels"] == SPOT_LABEL
    assert pool["nodeTaints"] == ["mine=yes:NoSchedule", SPOT_TAINT]


def test_a_put_without_the_spot_label_removes_it(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "spot", spot_pool())
    assert "nodeLabels" not in put_pool(manager, "spot", without(spot_pool(), "nodeLabels"))


def test_the_count_of_an_autoscaled_pool_is_the_autoscalers(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "spot", spot_pool())
    azure.set_count(CLUSTER_ID, "spot", 3)
    assert put_pool(manager, "spot", spot_pool(count=0, tags={"a": "b"}))["count"] == 3
    assert put_pool(manager, "spot", spot_pool(count=0, maxCount=2))["count"] == 2


def test_credentials_need_a_cluster_and_local_accounts(azure: AzureState) -> None:
    manager = with_cluster(azure, disableLocalAccounts=True, aadProfile={"managed": True})
    manager.require_credentials(CLUSTER_ID, admin=False)
    with pytest.raises(ArmError, match="Getting static credential is not allowed") as refused:
        manager.require_credentials(CLUSTER_ID, admin=True)
    assert refused.value.status == 400
    with pytest.raises(ArmError, match="was not found"):
        manager.require_credentials(CLUSTER_ID + "2", admin=False)


def test_write_only_secrets_are_neither_answered_nor_stored(azure: AzureState) -> None:
    secret = {"adminUsername": "me", "adminPassword": "hunter2hunter2"}
    manager = with_cluster(azure, windowsProfile=secret)
    body = manager.get(CLUSTER_ID)
    assert body
    assert body["windowsProfile"] == {"adminUsername": "me"}
    assert "hunter2" not in (azure.root / "resources.json").read_text()


def test_a_cluster_does_one_thing_at_a_time(azure: AzureState) -> None:
    with_cluster(azure)
    clock = wall_clock()
    slow = arm(azure, clock=clock)
    first = slow.put(TYPES[AGENT_POOL], pool_id("first"), user_pool())
    with pytest.raises(
        ArmError, match=r"Another agentpool operation \(first - Creating\) is in progress"
    ) as busy:
        slow.put(TYPES[AGENT_POOL], pool_id("second"), user_pool())
    assert (busy.value.status, busy.value.code) == (409, "OperationNotAllowed")
    clock.advance(POOL_SECONDS)
    slow.wait(first)
    second = slow.put(TYPES[AGENT_POOL], pool_id("second"), user_pool())
    clock.advance(POOL_SECONDS)
    slow.wait(second)


def test_pools_wait_for_an_operation_of_their_cluster(azure: AzureState) -> None:
    with_cluster(azure)
    slow = arm(azure, clock=wall_clock())
    slow.put(TYPES[MANAGED_CLUSTER], CLUSTER_ID, cluster(tags={"a": "b"}))
    with pytest.raises(ArmError, match=r"Another operation \(Updating\) is in progress"):
        slow.put(TYPES[AGENT_POOL], pool_id("pool"), user_pool())


def test_an_operation_shows_while_it_lasts(azure: AzureState) -> None:
    with_cluster(azure)
    clock = wall_clock()
    slow = arm(azure, clock=clock)
    operation = slow.put(TYPES[AGENT_POOL], pool_id("pool"), user_pool())
    during = slow.get(pool_id("pool"))
    clock.advance(POOL_SECONDS)
    slow.wait(operation)
    after = slow.get(pool_id("pool"))
    assert during
    assert after
    assert (during["provisioningState"], after["provisioningState"]) == ("Creating", "Succeeded")


def test_an_operation_takes_its_simulated_time(azure: AzureState) -> None:
    with_cluster(azure)
    speed = 2400.0
    manager = ResourceManager(azure, Timing(speed), lambda: pytest.fail("the day is not needed"))
    started = time.time()
    operation = manager.put(TYPES[AGENT_POOL], pool_id("pool"), user_pool())
    assert started <= operation.ends_at - POOL_SECONDS / speed <= time.time()
    manager.wait(operation)
    assert time.time() >= operation.ends_at


def test_a_deletion_ends_although_nobody_waits_for_it(azure: AzureState) -> None:
    with_cluster(azure)
    clock = wall_clock()
    slow = arm(azure, clock=clock)
    operation = slow.delete(TYPES[RESOURCE_GROUP], GROUP_ID)
    assert operation
    assert slow.get(GROUP_ID)
    clock.advance(operation.ends_at - clock.now())
    assert AzureState(azure.root).get(GROUP_ID)
    assert slow.get(GROUP_ID) is None
    slow.put(TYPES[RESOURCE_GROUP], GROUP_ID, group())
    assert [r.id for r in azure.all()] == [GROUP_ID]


def test_cancelling_ends_the_waiting_and_not_the_operation(azure: AzureState) -> None:
    with_cluster(azure)
    timing = Timing(1.0)
    manager = ResourceManager(azure, timing, lambda: pytest.fail("the day is not needed"))
    operation = manager.put(TYPES[AGENT_POOL], pool_id("pool"), user_pool())
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(manager.wait, operation)
        while not waiting.done():  # a cancel that comes before the wait has begun is lost
            timing.cancel()
            time.sleep(0.01)
    with pytest.raises(OperationCancelledError):
        waiting.result()
    assert azure.get(pool_id("pool"))


def test_a_request_that_fails_changes_nothing(azure: AzureState) -> None:
    manager = with_cluster(azure)
    azure.plan_faults([Fault(type=AGENT_POOL, status=409)])
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "pool", user_pool())
    assert (refused.value.status, refused.value.code) == (409, "OperationNotAllowed")
    assert manager.get(pool_id("pool")) is None


def test_an_operation_that_fails_leaves_a_failed_resource_which_another_put_mends(azure: AzureState) -> None:
    manager = with_cluster(azure)
    azure.plan_faults([Fault(type=AGENT_POOL, stage="operation")])
    with pytest.raises(ArmError):
        put_pool(manager, "pool", user_pool())
    failed = manager.get(pool_id("pool"))
    assert failed
    assert failed["provisioningState"] == "Failed"
    assert put_pool(manager, "pool", user_pool())["provisioningState"] == "Succeeded"


def test_a_deletion_that_fails_leaves_the_resource(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "pool", user_pool())
    azure.plan_faults([Fault(method="DELETE", type=AGENT_POOL, stage="operation")])
    with pytest.raises(ArmError):
        delete(manager, AGENT_POOL, pool_id("pool"))
    assert manager.get(pool_id("pool"))


@pytest.mark.parametrize(("stage", "states"), [("request", []), ("operation", ["Succeeded"])])
def test_killed_in_a_request_azure_has_either_nothing_or_all_of_it(
    azure: AzureState, stage: str, states: list[str]
) -> None:
    with_cluster(azure)
    script = (
        "import sys; from datetime import date; from pathlib import Path\n"
        "from kubeflow_aks.local_aks.azure.faults import Fault\n"
        "from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager\n"
        "from kubeflow_aks.local_aks.azure.state import AGENT_POOL, AzureState\n"
        "from kubeflow_aks.local_aks.azure.timing import Timing\n"
        "from kubeflow_aks.local_aks.azure.types import TYPES\n"
        "azure = AzureState(Path(sys.argv[1]))\n"
        "azure.plan_faults([Fault(type=AGENT_POOL, stage=sys.argv[2], kill=True)])\n"
        "manager = ResourceManager(azure, Timing(float('inf')), date.today)\n"
        "manager.put(TYPES[AGENT_POOL], sys.argv[3], {'vmSize': 'Standard_D8s_v5', 'count': 1})\n"
    )
    command = [sys.executable, "-c", script, str(azure.root), stage, pool_id("pool")]
    assert subprocess.run(command, check=False, cwd=ROOT).returncode == -signal.SIGKILL
    pool = arm(azure).get(pool_id("pool"))
    assert [body["provisioningState"] for body in (pool,) if body] == states
