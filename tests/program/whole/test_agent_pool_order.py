"""Pools are made one after the other, because AKS refuses a second pool operation with 409 (Azure/AKS#1913)."""

from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import AS_OF, CLUSTER, POOL

ELSEWHERE = "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/hub/providers"


def test_the_first_pool_waits_for_the_cluster_and_no_pool(up: Record) -> None:
    first = up.outputs["poolContract"][0]["name"]
    [pool] = (pool for pool in up.of(POOL) if pool.inputs["agentPoolName"] == first)
    assert up.one(CLUSTER).urn in pool.depends_on
    assert {urn for urn in pool.depends_on if "AgentPool::" in urn} == set()


def test_the_cluster_waits_for_its_right_to_a_route_table_elsewhere() -> None:
    table = f"{ELSEWHERE}/Microsoft.Network/routeTables/to-firewall"
    network = {"outboundType": "userDefinedRouting", "routeTableId": table}
    routed = record("dev", extra={"network": network, "asOf": AS_OF})
    rights = {r.name: r for r in routed.of("azure-native:authorization:RoleAssignment")}
    assert rights["kubeflow-aks-dev-routes"].inputs["scope"] == table
    assert rights["kubeflow-aks-dev-routes"].urn in routed.one(CLUSTER).depends_on


def test_pools_are_registered_in_the_order_of_the_contract(up: Record) -> None:
    made = [pool.inputs["agentPoolName"] for pool in up.of(POOL)]
    assert made == [entry["name"] for entry in up.outputs["poolContract"]]
