"""Arguments that are known only later: an Output ends in the same request as the value itself."""

from typing import Any, cast

import pulumi
import pytest

from components.arguments.errors import ArgumentsError
from components.arguments.inputs import mapped, merged
from components.cluster.aks_cluster import AksCluster
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.monitoring.monitoring import Monitoring
from components.pools.agent_pools import AgentPools
from components.pools.pool_contract import priorities
from components.pools.pool_specs import AgentPoolSpec
from components.registry.container_registry import ContainerRegistry
from tests.components.conftest import Cloud, value
from tests.components.sample_arguments import CLUSTER, CONTRACT

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"


def later(value: Any) -> Any:
    """The value as another resource would give it."""
    return pulumi.Output.from_input(value)


def test_a_pool_takes_outputs(cloud: Cloud) -> None:
    plain = AgentPoolSpec(
        name="spot",
        priority="Spot",
        gpus=1,
        vm_size="Standard_NC24ads_A100_v4",
        min_count=1,
        max_count=3,
        eviction_policy="Delete",
        max_price=1.5,
        labels={"team": "a"},
        taints=["team=a:NoSchedule"],
        zones=["1"],
        max_pods=50,
        gpu_instance_profile="MIG2g",
        encryption_at_host=True,
        tags={"cost": "a"},
        os_disk={"type": "Managed", "size_gib": 64},
    )
    fixed = {"name", "priority", "gpus"}
    awaited = {key: value if key in fixed else later(value) for key, value in plain.items()}
    awaited["os_disk"] = {key: later(value) for key, value in plain.get("os_disk", {}).items()}
    for name, pool in (("plain", plain), ("awaited", cast(AgentPoolSpec, awaited))):
        AgentPools(
            name,
            {
                "resource_group_name": "group",
                "cluster": cloud.managed_cluster,
                "pools": [pool],
                "os_sku": "Ubuntu2404" if name == "plain" else later("Ubuntu2404"),
                "kubernetes_version": "1.34" if name == "plain" else later("1.34"),
                "tags": {"owner": "ml"} if name == "plain" else later({"owner": "ml"}),
            },
            cloud.opts,
        )

    bodies = [cloud.inputs("plain-spot"), cloud.inputs("awaited-spot")]
    assert bodies[0]["nodeTaints"][-1] == "team=a:NoSchedule"
    assert bodies[0]["tags"] == {"owner": "ml", "cost": "a"}
    assert bodies[1] == bodies[0]


def test_a_cluster_takes_outputs(cloud: Cloud) -> None:
    AksCluster(
        "awaited",
        {
            **CLUSTER,
            "kubernetes": {"version": later("1.35"), "tier": later("Premium")},
            "network": {"service_cidr": later("10.1.0.0/16")},
            "api_access": {
                "local_accounts": False,
                "admin_group_object_ids": [later("11111111-2222-3333-4444-555555555555")],
                "kubelogin_mode": later("msi"),
            },
            "autoscaler": {"max_graceful_termination_sec": later(60)},
            "ssh": {"public_key": later(KEY)},
            "tags": {"owner": later("ml")},
        },
        cloud.opts,
    )
    body = cloud.inputs("awaited")
    assert body["kubernetesVersion"] == "1.35"
    assert body["sku"]["tier"] == "Premium"
    assert body["networkProfile"]["dnsServiceIP"] == "10.1.0.10"
    assert body["aadProfile"]["adminGroupObjectIDs"] == ["11111111-2222-3333-4444-555555555555"]
    assert body["autoScalerProfile"]["maxGracefulTerminationSec"] == "60"
    assert body["linuxProfile"]["ssh"]["publicKeys"] == [{"keyData": KEY}]
    assert body["tags"] == {"owner": "ml"}


def test_what_others_own_may_be_an_output(cloud: Cloud) -> None:
    place = {"resource_group_name": "group", "location": "westeurope"}
    theirs = "/subscriptions/1234/resourceGroups/other/providers/Microsoft.X/things/theirs"
    registry = ContainerRegistry(
        "images", cast(Any, {**place, "puller_object_id": "id", "attach": later(theirs)}), cloud.opts
    )
    logs = Monitoring(
        "watched",
        cast(
            Any,
            {**place, "cluster_id": later("cluster"), "logs": later(["guard"]), "workspace": later(theirs)},
        ),
        cloud.opts,
    )
    assert (value(registry.registry_id), value(logs.workspace_id)) == (theirs, theirs)
    assert cloud.inputs("watched-control-plane")["logs"] == [{"category": "guard", "enabled": True}]


def test_the_prerequisites_take_outputs(cloud: Cloud) -> None:
    made = KubeflowPrerequisites(
        "awaited-objects",
        {
            "pools": later(CONTRACT),
            "namespace": later("ours"),
            "storage_class": {"name": later("fast"), "sku": later("Premium_ZRS")},
            "inotify": {"max_user_watches": later(9000)},
            "general_labels": later({"team": "a"}),
        },
        cloud.opts,
    )

    [name, expander, daemon] = (
        value(made.storage_class),
        cloud.inputs("awaited-objects-expander"),
        cloud.inputs("awaited-objects-inotify"),
    )
    assert name == "fast"
    assert expander["data"] == {"priorities": priorities(CONTRACT)}
    pod = daemon["spec"]["template"]["spec"]
    assert "-ge 9000 ]" in pod["initContainers"][0]["command"][2]
    assert pod["nodeSelector"] == {"kubernetes.io/os": "linux", "team": "a"}
    assert daemon["metadata"]["namespace"] == "ours"


def test_a_plain_mistake_is_refused_at_once_beside_an_output(cloud: Cloud) -> None:
    pool: AgentPoolSpec = {"name": "a", "vm_size": later("D8"), "max_count": later(3), "max_pods": 1}
    with pytest.raises(ArgumentsError) as refusal:
        AgentPools(
            "refused", {"resource_group_name": "group", "cluster": cloud.managed_cluster, "pools": [pool]}
        )
    assert [mistake.key for mistake in refusal.value.mistakes] == ["pools[0].maxPods"]


def test_of_plain_values_nothing_has_to_be_awaited() -> None:
    entry = later("b")
    assert merged({"a": "1"}, {"a": entry}) == {"a": entry}
    assert mapped(["a", entry], lambda value: (value,)) == [("a",), (entry,)]
