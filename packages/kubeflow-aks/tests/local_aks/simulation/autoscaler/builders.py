"""Small snapshots for tests of the autoscaler's rules."""

from typing import Any

from kubeflow_aks.local_aks.simulation.autoscaler.model import Instance, Node, NodeGroup, Pod, Snapshot
from kubeflow_aks.local_aks.simulation.autoscaler.parse import parse_node, parse_pod
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.nodes import node, scale_set_name, template_node
from tests.local_aks.simulation.simulated import pod_spec, pool


def a_pool(name: str = "cpu", **values: Any) -> AgentPool:
    """An agent pool."""
    return AgentPool.from_wire(pool(name, **values))


def a_node(of: AgentPool, index: int = 0, **taints: str) -> Node:
    """A ready node of a pool; `taints` are effects by key."""
    made = node(of, index)
    made["spec"]["taints"] += [{"key": key, "effect": effect} for key, effect in taints.items()]
    made["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    return parse_node(made)


def a_group(of: AgentPool, *instances: Instance) -> NodeGroup:
    """The pool's node group with these VMs."""
    return NodeGroup(
        id=scale_set_name(of),
        pool=of.name,
        min_size=of.min_count,
        max_size=of.max_count,
        template=parse_node(template_node(of)),
        instances=instances,
    )


def group_with(of: AgentPool, *nodes: Node) -> NodeGroup:
    """The pool's node group with these nodes."""
    return a_group(of, *(Instance(node.name) for node in nodes))


def a_pod(
    name: str = "work",
    *,
    on: Node | None = None,
    owner: str = "Job",
    namespace: str = "default",
    first_observed: float = 0.0,
    spec: dict[str, Any] | None = None,
    status: dict[str, Any] | None = None,
    **metadata: Any,
) -> Pod:
    """A pod on a node, or one that the scheduler found no node for."""
    pending = {"phase": "Pending", "conditions": [_UNSCHEDULABLE]}
    made = {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": name,
            "ownerReferences": [{"kind": owner, "controller": True}] if owner else [],
            **metadata,
        },
        "spec": {**(spec or pod_spec()), **({"nodeName": on.name} if on else {})},
        "status": status or ({"phase": "Running"} if on else pending),
    }
    return parse_pod(made, first_observed)


_UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}


def a_snapshot(*, now: float = 1000.0, profile: Profile | None = None, **values: Any) -> Snapshot:
    """A snapshot; everything not named is empty."""
    empty: dict[str, Any] = {"groups": (), "nodes": (), "pods": ()}
    return Snapshot(now=now, profile=profile or Profile(), **empty | values)
