"""Nodes match the pool contract, and Kubeflow's own pool is the only one without a taint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, condition, fields, items, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed
from kubeflow_aks.verify.findings import (
    CheckResult,
    failed,
    group_by_first,
    passed,
    pools_have,
    unknown,
    will_break,
)
from kubeflow_aks.verify.snapshot import (
    ClusterSnapshot,
    is_ready,
    labels,
    moment,
    pool_of,
    seconds,
    text,
    why,
)

_OURS: Final = "kubeflow-aks/"
_MODE: Final = "kubernetes.azure.com/mode"
_CRITICAL: Final = "CriticalAddonsOnly"
_AUTOSCALERS: Final = ("ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler")
_PASSING: Final = (
    "node.kubernetes.io",
    "node.cloudprovider.kubernetes.io",
    "cluster-autoscaler.kubernetes.io",
    "remediator.kubernetes.azure.com",
    "cilium.io",
)
"""Domains of taints that come and go with a node's state (node-auto-drain.md for AKS's own)."""
_KEEPS_OUT: Final = ("NoSchedule", "NoExecute")
_UP: Final = (
    "run `pulumi up --refresh` if the pool was changed; fix a single node with `kubectl label` or "
    "`kubectl taint`"
)

Pools = Mapping[str, Mapping[str, Any]]


def carried(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Each node of the contract's pools has the contract's labels and taints, and no others of this product."""
    pools, right = _pools(outputs), 0
    wrong: list[tuple[str, str]] = []
    nodes = [node for node in snapshot.nodes.required() if pool_of(node) in pools]
    for node in nodes:
        mistakes = list(_mistakes(node, pools[pool_of(node)]))
        wrong += [(f"of pool {pool_of(node)} {mistake}", name_of(node)) for mistake in mistakes]
        right += not mistakes
    for mistake, names in group_by_first(wrong).items():
        nodes_of = f"{counted(len(names), 'node')} {mistake} ({listed(names)})"
        yield will_break(nodes_of, _UP)
    if right and not wrong:
        yield passed(f"labels and taints match the pool contract on {counted(right, 'node')}")
    if empty := pools.keys() - {pool_of(node) for node in nodes}:
        yield unknown(f"{pools_have(empty)} no node now, so its labels and taints cannot be checked")


def in_stack(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """No node belongs to a pool that is not in the stack."""
    strangers = [
        (pool_of(node), name_of(node))
        for node in snapshot.nodes.required()
        if pool_of(node) not in _pools(outputs) and not _is_system(node)
    ]
    for pool, names in group_by_first(strangers).items():
        of = f"agent pool {pool}, which is not in the stack" if pool else "no agent pool"
        yield will_break(
            f"{counted(len(names), 'node')} of {of} ({listed(names)})",
            "add the pool to the stack file, or delete it: nothing manages its taints",
        )


def one_open(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """One pool accepts pods without tolerations: the one that Kubeflow runs on."""
    pools = _pools(outputs)
    taints = {name: [_keeping_out(taint) for taint in _expected_taints(pool)] for name, pool in pools.items()}
    open_pools = {name for name, kept_out in taints.items() if not any(kept_out)}
    for node in snapshot.nodes.required():
        node_taints = [taint for taint in _taints(node) if not _passes(taint)]
        if not any(map(_keeping_out, node_taints)):
            open_pools.add(pool_of(node) or name_of(node))
    platform_pools = {name for name in open_pools if pools.get(name, {}).get("role") == "general"}
    if len(open_pools) == 1 and platform_pools:
        yield passed(f"pool {listed(platform_pools)} is the only one without a taint, so Kubeflow runs there")
    elif not platform_pools:
        yield failed("no pool for Kubeflow is without a taint, so its pods stay pending", _UP)
    else:
        others = listed(open_pools - platform_pools) or listed(platform_pools)
        yield will_break(
            f"no taint on {others}, besides Kubeflow's own pool: Kubeflow's pods may run there and be evicted",
            _UP,
        )


def system(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Nodes of system pools have the taint that keeps all but AKS's own pods off."""
    nodes = [node for node in snapshot.nodes.required() if _is_system(node)]
    bare = [
        name_of(node)
        for node in nodes
        if not any(taint.startswith(_CRITICAL) and _keeping_out(taint) for taint in _taints(node))
    ]
    if bare:
        yield will_break(
            f"{counted(len(bare), 'system node')} without taint {_CRITICAL} ({listed(bare)})", _UP
        )
    elif not nodes:
        yield unknown("there is no node of a system pool now, so its taint cannot be checked")


def ready(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """No node has been not ready for longer than the autoscaler allows for a new one."""
    nodes, limit = snapshot.nodes.required(), seconds(outputs.basis("autoscaler", "maxNodeProvisionTime"))
    away = [node for node in nodes if not is_ready(node)]
    long = [node for node in away if snapshot.now - _since(node) > limit]
    reasons = ((why(condition(node, "Ready")), name_of(node)) for node in long)
    for reason, names in group_by_first(reasons).items():
        yield failed(
            f"{counted(len(names), 'node')} not ready for longer than {limit.total_seconds() / 60:.0f} min "
            f"({listed(names)}): {reason}",
            "see `kubectl describe node`; if its VM is gone, delete the node",
        )
    if away and not long:
        yield passed(
            f"nodes are ready: {len(nodes) - len(away)} of {len(nodes)}; the others are starting or stopping"
        )
    elif not long:
        yield passed(f"nodes are ready: all {len(nodes)}") if nodes else unknown("there are no nodes")


def _pools(outputs: Outputs) -> Pools:
    return {str(pool["name"]): pool for pool in outputs.pools()}


def _mistakes(node: Object, pool: Mapping[str, Any]) -> Iterator[str]:
    expected = {str(key): str(value) for key, value in fields(pool.get("labels")).items()}
    node_labels, taints = labels(node), {taint for taint in _taints(node) if not _passes(taint)}
    for key, value in expected.items():
        if key not in node_labels:
            yield f"without label {key}={value}"
        elif node_labels[key] != value:
            yield f"with {node_labels[key]!r} as label {key} instead of {value!r}"
    for key in sorted(key for key in node_labels if key.startswith(_OURS) and key not in expected):
        yield f"with label {key}, which is not in the contract"
    for taint in sorted(set(_expected_taints(pool)) - taints):
        yield f"without taint {taint}"
    for taint in sorted(taint for taint in taints - set(_expected_taints(pool)) if _keeping_out(taint)):
        yield f"with taint {taint}, which is not in the contract"


def _expected_taints(pool: Mapping[str, Any]) -> list[str]:
    return [taint.replace("=:", ":") for taint in items(pool.get("taints")) if isinstance(taint, str)]


def _taints(node: Object) -> list[str]:
    """A node's taints as the contract writes them: `key=value:Effect`, `key:Effect`."""
    return [
        f"{text(taint, 'key')}{'=' if text(taint, 'value') else ''}{text(taint, 'value')}:{text(taint, 'effect')}"
        for taint in items(at(node, "spec", "taints"))
    ]


def _passes(taint: str) -> bool:
    key = taint.rpartition(":")[0].partition("=")[0]
    domain, slash, _ = key.partition("/")
    return key in _AUTOSCALERS or (bool(slash) and domain.endswith(_PASSING))


def _keeping_out(taint: str) -> bool:
    return taint.rpartition(":")[2] in _KEEPS_OUT


def _is_system(node: Object) -> bool:
    return labels(node).get(_MODE) == "system"


def _since(node: Object) -> Any:
    """When a node became not ready, or was created."""
    changed = condition(node, "Ready").get("lastTransitionTime")
    return moment(changed or at(node, "metadata", "creationTimestamp"))
