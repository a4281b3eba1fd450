"""What Azure holds on disk, shared by threads and processes."""

import json
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    cluster,
    pool_id,
    put_pool,
    spot_pool,
    system_pool,
    with_cluster,
)

from kubeflow_aks.local_aks.azure.faults import Fault
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, AzureState, StoredResource
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP
from kubeflow_aks.tools.manifest import KUBERNETES_VERSION

NAMES = 40
ROOT = Path(__file__).parents[5]


def resource(arm_id: str) -> StoredResource:
    return StoredResource(id=arm_id, type=RESOURCE_GROUP, inputs={}, outputs={})


def test_ids_ignore_case(azure: AzureState) -> None:
    azure.put(resource(GROUP_ID))
    assert azure.get(GROUP_ID.upper()) == azure.get(GROUP_ID)


def test_deleting_a_resource_deletes_what_lies_below_it_and_nothing_else(azure: AzureState) -> None:
    for name in ("a", "a/b/c", "ab"):
        azure.put(resource(f"/subscriptions/s/resourceGroups/{name}"))
    azure.delete("/subscriptions/s/resourcegroups/A")
    assert [r.id for r in azure.all()] == ["/subscriptions/s/resourceGroups/ab"]


def test_resources_keep_the_order_of_their_creation(azure: AzureState) -> None:
    for name in ("c", "a", "b"):
        azure.put(resource(name))
    azure.put(replace(resource("a"), outputs={"changed": True}))
    assert [r.id for r in azure.all()] == ["c", "a", "b"]


def test_two_openings_of_one_folder_see_one_azure(tmp_path: Path) -> None:
    AzureState(tmp_path).put(resource(GROUP_ID))
    assert AzureState(tmp_path).get(GROUP_ID) == resource(GROUP_ID)


def test_threads_lose_no_write(azure: AzureState) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(azure.put, [resource(f"r{i}") for i in range(NAMES)]))
    assert len(azure.all()) == NAMES


def test_processes_lose_no_write(azure: AzureState) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from kubeflow_aks.local_aks.azure.state import AzureState, StoredResource\n"
        "azure = AzureState(Path(sys.argv[1]))\n"
        "for i in range(20):\n"
        "    azure.put(StoredResource(id=f'{sys.argv[2]}{i}', type='t', inputs={}, outputs={}))\n"
    )
    command = [sys.executable, "-c", script, str(azure.root)]
    processes = [subprocess.Popen([*command, name], cwd=ROOT) for name in ("a", "b")]
    assert [process.wait() for process in processes] == [0, 0]
    assert len(azure.all()) == 40


def test_a_failed_transaction_changes_nothing(azure: AzureState) -> None:
    azure.put(resource("kept"))

    def interrupted() -> None:
        with azure.transaction():
            azure.delete("kept")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [r.id for r in azure.all()] == ["kept"]


def test_only_the_owner_can_read_it(azure: AzureState) -> None:
    azure.put(resource(GROUP_ID))
    folder = azure.root
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "resources.json").stat().st_mode) == 0o600


def test_the_file_is_plain_json_that_a_person_can_edit(azure: AzureState) -> None:
    with_cluster(azure)
    file = azure.root / "resources.json"
    resources = json.loads(file.read_text())
    resources[0]["outputs"]["tags"] = {"owner": "someone"}
    file.write_text(json.dumps(resources))
    assert azure.all()[0].outputs["tags"] == {"owner": "someone"}


def test_a_write_that_fails_leaves_the_old_file_and_no_other(azure: AzureState) -> None:
    azure.put(resource("kept"))
    with pytest.raises(TypeError):
        azure.put(replace(resource("bad"), outputs={"not": object()}))
    assert [r.id for r in azure.all()] == ["kept"]
    assert sorted(file.name for file in azure.root.iterdir()) == ["lock", "resources.json"]


def test_agent_pools_are_inline_ones_and_own_ones_alike(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "spot", spot_pool())
    system, spot = azure.agent_pools()
    assert (system["name"], spot["name"]) == ("system", "spot")
    assert system["type"] == spot["type"] == "VirtualMachineScaleSets"
    expected = {
        "mode": "User",
        "scaleSetPriority": "Spot",
        "minCount": 0,
        "maxCount": 4,
        "count": 0,
        "maxPods": 250,
        "osSKU": "Ubuntu",
        "clusterName": "aks",
        "clusterId": CLUSTER_ID,
        "location": "westeurope",
        "nodeResourceGroup": "MC_kubeflow_aks_westeurope",
        "currentOrchestratorVersion": KUBERNETES_VERSION,
    }
    assert {k: spot[k] for k in expected} == expected


def test_the_autoscaler_sets_the_count_of_a_pool(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "spot", spot_pool())
    azure.set_count(CLUSTER_ID, "spot", 3)
    assert [pool["count"] for pool in azure.agent_pools()] == [2, 3]
    live = manager.get(pool_id("spot"))
    assert live
    assert live["count"] == 3


def test_every_claim_gets_instances_of_its_own_in_every_process(azure: AzureState) -> None:
    assert list(azure.claim_instances("aks-a-1-vmss", 2)) == [0, 1]
    assert list(AzureState(azure.root).claim_instances("aks-a-1-vmss", 3)) == [2, 3, 4]
    assert list(azure.claim_instances("aks-b-1-vmss", 1)) == [0]


def test_setting_the_count_of_no_pool_fails(azure: AzureState) -> None:
    with_cluster(azure)
    with pytest.raises(LookupError, match="has no agent pool 'gone'"):
        azure.set_count(CLUSTER_ID, "gone", 1)


def test_the_autoscaler_profile_has_the_defaults_of_aks(azure: AzureState) -> None:
    with_cluster(azure, autoScalerProfile={"expander": "priority"})
    profile = azure.autoscaler_profile(CLUSTER_ID)
    assert (profile["expander"], profile["maxNodeProvisionTime"]) == ("priority", "15m")


def test_an_autoscaled_inline_pool_brings_the_profile(azure: AzureState) -> None:
    scaled = system_pool(enableAutoScaling=True, minCount=1, maxCount=3)
    with_cluster(azure, agentPoolProfiles=[scaled])
    assert azure.autoscaler_profile(CLUSTER_ID)["expander"] == "random"


def test_without_autoscaling_there_is_no_profile(azure: AzureState) -> None:
    assert "autoScalerProfile" not in cluster()
    with_cluster(azure)
    assert azure.autoscaler_profile(CLUSTER_ID) == {}


def test_the_profile_of_no_cluster_fails(azure: AzureState) -> None:
    with pytest.raises(LookupError, match="no cluster"):
        azure.autoscaler_profile(CLUSTER_ID)


def test_faults_are_due_on_the_planned_requests_only(azure: AzureState) -> None:
    azure.plan_faults([Fault(type=AGENT_POOL, nth=2, times=2, status=429)])
    answers = [azure.take_fault("PUT", AGENT_POOL) for _ in range(4)]
    assert [fault is not None for fault in answers] == [False, True, True, False]


def test_faults_count_requests_of_their_own_kind_only(azure: AzureState) -> None:
    azure.plan_faults([Fault(type=AGENT_POOL, nth=1)])
    assert azure.take_fault("DELETE", AGENT_POOL) is None
    assert azure.take_fault("PUT", RESOURCE_GROUP) is None
    assert azure.take_fault("PUT", AGENT_POOL)


def test_faults_are_counted_across_processes(azure: AzureState) -> None:
    azure.plan_faults([Fault(type=AGENT_POOL, nth=2)])
    assert AzureState(azure.root).take_fault("PUT", AGENT_POOL) is None
    assert azure.take_fault("PUT", AGENT_POOL)
