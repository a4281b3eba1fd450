"""The arguments of each component, made from a plan: what the plan decides reaches the component that makes it."""

import asyncio
from collections import defaultdict
from collections.abc import Generator, Mapping
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest

from program import arguments
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, planned

GROUP: Final[Any] = SimpleNamespace(name="group", id="group-id")
REGISTRY: Final[Any] = SimpleNamespace(registry_id="/registry")
CLUSTER: Final[Any] = SimpleNamespace(
    managed_cluster="cluster", cluster_id="arm-id", fqdn="address", kubeconfig="config", kubelet_object_id="k"
)
POOLS: Final[Any] = SimpleNamespace(contract="contract")
MOVING: Final = {
    "general": GENERAL,
    "home": {**GENERAL, "replaces": "general"},
    "addons": {**GENERAL, "replaces": "system"},
}


class Subnets(defaultdict[str, str]):
    """The id of every subnet is its name."""

    def __missing__(self, key: str) -> str:
        return key


def network(outbound_address: str | None = None) -> Any:
    return SimpleNamespace(subnet_ids=Subnets(), outbound_address=outbound_address)


def pools(**keys: Any) -> dict[str, dict[str, Any]]:
    """The arguments of each pool of a stack, by name."""
    args = arguments.pools(planned(**keys), GROUP, network(), CLUSTER)
    return {pool["name"]: cast(dict[str, Any], pool) for pool in args["pools"]}


def prerequisites(**keys: Any) -> dict[str, Any]:
    return cast(dict[str, Any], arguments.prerequisites(planned(**keys), POOLS))


def test_pools_of_gpu_sizes_are_gpu_pools_with_their_fallback_and_no_others() -> None:
    fallback = {"vmSize": "Standard_NC4as_T4_v3", "maxCount": 2}
    made = pools(pools={"general": GENERAL, "cpuspot": SPOT, "gpuspot": {**GPU_SPOT, "fallback": fallback}})
    assert {name for name, pool in made.items() if pool["gpus"]} == {"gpuspot", "gpuod"}


def test_a_pool_stands_in_the_subnet_of_its_kind() -> None:
    made = pools(pools={"general": GENERAL, "cpuspot": SPOT, "gpuspot": GPU_SPOT})
    subnets = {name: pool["subnet_id"] for name, pool in made.items() if "od" not in name}
    assert subnets == {"general": "general", "cpuspot": "cpu", "gpuspot": "gpu"}


def test_only_the_pool_that_hosts_kubeflow_is_protected_and_only_until_it_is_replaced() -> None:
    def protected(**keys: Any) -> set[str]:
        return {name for name, pool in pools(**keys).items() if pool["protect"]}

    assert protected(pools={"general": GENERAL, "cpuspot": SPOT}) == {"general"}
    assert protected(pools=MOVING) == {"home"}
    assert protected(pools={"general": GENERAL}, protect=False) == set()


def test_a_pool_that_takes_over_from_the_clusters_own_is_a_system_pool() -> None:
    assert {name: pool["mode"] for name, pool in pools(pools=MOVING).items()} == {
        "general": "User",
        "home": "User",
        "addons": "System",
    }


def test_what_holds_for_every_pool_is_passed_on() -> None:
    kubernetes = {"version": "1.33", "osSku": "Ubuntu2404"}
    plan = planned(
        pools={"general": GENERAL}, kubernetes=kubernetes, gpu={"driver": "None", "plugin": "none"}
    )
    args = arguments.pools(plan, GROUP, network(), CLUSTER)
    assert (args.get("kubernetes_version"), args.get("os_sku"), args.get("gpu_driver")) == (
        "1.33",
        "Ubuntu2404",
        "None",
    )
    assert (args["cluster"], args.get("tags")) == ("cluster", {"owner": "ml", "environment": "dev"})


@pytest.mark.parametrize(("gpu", "runs"), [(GPU_SPOT, True), (SPOT, False)])
def test_the_device_plugin_runs_where_there_are_gpus(gpu: dict[str, Any], runs: bool) -> None:
    made = prerequisites(pools={"general": GENERAL, "work": gpu})
    assert (made["device_plugin"], made["gpu_slices"]) == (runs, False)


def test_the_handler_of_evictions_runs_where_there_is_a_spot_pool() -> None:
    def runs(**keys: Any) -> bool:
        return prerequisites(**keys)["eviction_handler"]

    assert runs(pools={"general": GENERAL, "cpuspot": SPOT})
    assert not runs(pools={"general": GENERAL})
    assert not runs(pools={"general": GENERAL, "cpuspot": SPOT}, kubeflow={"evictionHandler": False})


def test_work_returns_to_spot_where_the_stack_asks_for_it_and_has_a_fallback() -> None:
    def runs(spot: Mapping[str, Any], *, setting: bool) -> bool:
        pools = {"general": GENERAL, "cpuspot": spot}
        return prerequisites(pools=pools, kubeflow={"returnToSpot": setting})["return_to_spot"]

    both = {**SPOT, "fallback": {"maxCount": 5}}
    assert runs(both, setting=True)
    assert not runs(both, setting=False)
    assert not runs(SPOT, setting=True)


def test_the_contract_is_that_of_the_pools() -> None:
    assert prerequisites(pools={"general": GENERAL})["pools"] == "contract"


def test_slices_are_announced_where_a_pool_has_them() -> None:
    sliced = {**GPU_SPOT, "vmSize": "Standard_NC24ads_A100_v4", "gpuInstanceProfile": "MIG1g"}
    assert prerequisites(pools={"general": GENERAL, "work": sliced})["gpu_slices"] is True


def test_there_is_a_device_plugin_for_each_number_of_time_slices() -> None:
    pools = {
        "general": GENERAL,
        "whole": GPU_SPOT,
        "eight": {**GPU_SPOT, "gpuTimeSlices": 8, "fallback": {"maxCount": 1}},
        "four": {**GPU_SPOT, "gpuTimeSlices": 4},
        "more": {**GPU_SPOT, "gpuTimeSlices": 4},
    }
    assert prerequisites(pools=pools)["gpu_time_slices"] == [4, 8]


@pytest.mark.parametrize(("policy", "kept"), [("none", False), ("cilium", True)])
def test_a_network_policy_is_made_where_an_engine_keeps_it(policy: str, kept: bool) -> None:
    made = prerequisites(pools={"general": GENERAL}, network={"policy": policy})
    assert made["network_policies"] is kept


@pytest.mark.parametrize("protect", [True, False])
def test_the_contract_protects_a_protected_stack(protect: bool) -> None:
    assert prerequisites(pools={"general": GENERAL}, protect=protect)["protect"] is protect


@pytest.mark.parametrize(
    ("location", "disk", "blobs"),
    [
        ("westeurope", "StandardSSD_ZRS", "Standard_ZRS"),
        ("northcentralus", "StandardSSD_LRS", "Standard_LRS"),
    ],
)
def test_disks_and_accounts_are_as_redundant_as_the_region_allows(
    location: str, disk: str, blobs: str
) -> None:
    plan = planned(pools={"general": GENERAL}, location=location, data={"store": {}})
    made = cast(dict[str, Any], arguments.prerequisites(plan, POOLS))
    assert (made["storage_class"]["sku"], made["checkpoints"]["sku"]) == (disk, blobs)
    store = arguments.data_store(plan, GROUP, SimpleNamespace(oidc_issuer="issuer"))  # pyright: ignore
    assert store is not None
    assert (store.get("sku"), store["oidc_issuer"]) == (blobs, "issuer")


@pytest.mark.parametrize("enabled", [True, False])
def test_the_blob_driver_runs_where_there_is_a_class_for_checkpoints(enabled: bool) -> None:
    plan = planned(pools={"general": GENERAL}, data={"checkpoints": {"enabled": enabled}})
    assert arguments.cluster(plan, GROUP, network()).get("blob_driver") is enabled


def test_the_system_pool_stands_in_its_own_subnet() -> None:
    args = arguments.cluster(planned(pools={"general": GENERAL}), GROUP, network())
    assert args.get("system_pool", {}).get("subnet_id") == "system"


def test_what_no_stack_sets_is_not_made() -> None:
    plan = planned(pools={"general": GENERAL}, monitoring={"logs": []})
    assert arguments.monitoring(plan, GROUP, CLUSTER, REGISTRY) is None
    assert arguments.data_store(plan, GROUP, CLUSTER) is None


def test_objects_survive_a_new_address_of_the_api_server() -> None:
    assert arguments.kubernetes_provider(CLUSTER) == {
        "kubeconfig": "config",
        "cluster_identifier": "arm-id",
        "enable_config_map_mutable": True,
    }


@pytest.fixture
def event_loop() -> Generator[None]:
    """What an Output needs even if nobody waits for it."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)


@pytest.mark.usefixtures("event_loop")
@pytest.mark.parametrize("ranges", [[], ["203.0.113.0/24"]])
def test_the_cluster_and_the_registry_let_the_clusters_own_nodes_in_where_they_let_few_in(
    ranges: list[str],
) -> None:
    access, registry = {"authorizedIpRanges": ranges}, {"sku": "Premium", "authorizedIpRanges": ranges}
    plan = planned(pools={"general": GENERAL}, apiAccess=access, registry=registry)
    behind_nat = network("198.51.100.4")
    cluster = arguments.cluster(plan, GROUP, behind_nat).get("api_access", {})
    taken = arguments.registry(plan, GROUP, behind_nat, CLUSTER)
    for args in (cluster, taken):
        assert len(cast(list[Any], args.get("authorized_ip_ranges", []))) == (2 if ranges else 0)


def test_the_registrys_logs_are_collected_with_others_unless_the_registry_is_somebody_elses() -> None:
    logs = {"monitoring": {"logs": ["guard"]}}
    args = arguments.monitoring(planned(pools={"general": GENERAL}, **logs), GROUP, CLUSTER, REGISTRY)
    assert args
    assert args.get("registry_id") == "/registry"
    assert "registry_setting_name" not in args
    group = "/subscriptions/00000000-0000-0000-0000-000000001234/resourceGroups/hub"
    theirs = f"{group}/providers/Microsoft.ContainerRegistry/registries/images"
    attached = {"registry": {"attach": theirs}}
    other = arguments.monitoring(
        planned(pools={"general": GENERAL}, **logs, **attached), GROUP, CLUSTER, REGISTRY
    )
    assert other
    assert "registry_id" not in other
    named = planned(pools={"general": GENERAL}, **logs, names={"diagnosticSetting": "diag"})
    made = arguments.monitoring(named, GROUP, CLUSTER, REGISTRY)
    assert made
    assert (made.get("setting_name"), made.get("registry_setting_name")) == ("diag", "diag")
