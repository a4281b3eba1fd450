"""Nodes carry what the pool contract says, and Kubeflow's home is the only pool that lets everything in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from deployed.outputs import Outputs
from kube.objects import Object, at, condition, items, name_of
from story.formatting import counted
from verify.findings import Told, broken, by_first, kept, names, pools_named, unseen
from verify.seen import Seen, is_ready, labels, moment, pool_of, seconds, text

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
    "run `pulumi up --refresh` if the pool was changed; a single node is put right by `kubectl label` or "
    "`kubectl taint`"
)

Pools = Mapping[str, Mapping[str, Any]]


def carried(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """Each node of the contract's pools wears what the contract says and nothing else of ours."""
    pools, right = _pools(outputs), 0
    wrong: list[tuple[str, str]] = []
    nodes = [node for node in seen.nodes.known() if pool_of(node) in pools]
    for node in nodes:
        mistakes = list(_mistakes(node, pools[pool_of(node)]))
        wrong += [(f"of pool {pool_of(node)} {mistake}", name_of(node)) for mistake in mistakes]
        right += not mistakes
    for mistake, found in by_first(wrong).items():
        nodes_of = f"{counted(len(found), 'node')} {mistake} ({names(found)})"
        yield broken(nodes_of, _UP)
    if right and not wrong:
        yield kept(f"labels and taints are what the pool contract says on {counted(right, 'node')}")
    if empty := pools.keys() - {pool_of(node) for node in nodes}:
        yield unseen(f"{pools_named(empty)} no node now, so its labels and taints can't be seen")


def known(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """No node is of a pool that the stack does not know."""
    strangers = [
        (pool_of(node), name_of(node))
        for node in seen.nodes.known()
        if pool_of(node) not in _pools(outputs) and not _is_system(node)
    ]
    for pool, found in by_first(strangers).items():
        of = f"agent pool {pool}, which the stack does not know" if pool else "no agent pool"
        yield broken(
            f"{counted(len(found), 'node')} of {of} ({names(found)})",
            "add the pool to the stack file, or delete it: nothing here looks after its taints",
        )


def one_open(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """One pool takes pods without tolerations, and it is Kubeflow's home."""
    pools = _pools(outputs)
    taints = {name: [_keeping_out(taint) for taint in _wanted(pool)] for name, pool in pools.items()}
    open_pools = {name for name, kept_out in taints.items() if not any(kept_out)}
    for node in seen.nodes.known():
        worn = [taint for taint in _taints(node) if not _passes(taint)]
        if not any(map(_keeping_out, worn)):
            open_pools.add(pool_of(node) or name_of(node))
    homes = {name for name in open_pools if pools.get(name, {}).get("role") == "general"}
    if len(open_pools) == 1 and homes:
        yield kept(f"pool {names(homes)} is the only one without a taint, so Kubeflow's parts run there")
    elif not homes:
        yield broken("no pool for Kubeflow is without a taint, so its pods stay pending", _UP)
    else:
        others = names(open_pools - homes) or names(homes)
        yield broken(
            f"beside Kubeflow's home, {others} has no taint: Kubeflow's pods may run there and be evicted",
            _UP,
        )


def system(seen: Seen, _: Outputs) -> Iterator[Told]:
    """Nodes of system pools keep everything out that does not belong to AKS."""
    nodes = [node for node in seen.nodes.known() if _is_system(node)]
    bare = [
        name_of(node)
        for node in nodes
        if not any(taint.startswith(_CRITICAL) and _keeping_out(taint) for taint in _taints(node))
    ]
    if bare:
        yield broken(f"{counted(len(bare), 'system node')} without taint {_CRITICAL} ({names(bare)})", _UP)
    elif not nodes:
        yield unseen("there is no node of a system pool now, so its taint can't be seen")


def ready(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """Nodes that are not ready have become so, or will be, within the time that the autoscaler gives them."""
    nodes, given = seen.nodes.known(), seconds(outputs.basis("autoscaler", "maxNodeProvisionTime"))
    away = [node for node in nodes if not is_ready(node)]
    long = [node for node in away if seen.now - _since(node) > given]
    for why, found in by_first((_why(node), name_of(node)) for node in long).items():
        yield broken(
            f"{counted(len(found), 'node')} not ready for longer than {given.total_seconds() / 60:.0f} min "
            f"({names(found)}): {why}",
            "look at it with `kubectl describe node`; where its machine is gone, delete the node",
        )
    if away and not long:
        yield kept(f"nodes are ready: {len(nodes) - len(away)} of {len(nodes)}; the rest come or go")
    elif not long:
        yield kept(f"nodes are ready: all {len(nodes)}") if nodes else unseen("there is no node")


def _pools(outputs: Outputs) -> Pools:
    return {str(pool["name"]): pool for pool in outputs.pools()}


def _mistakes(node: Object, pool: Mapping[str, Any]) -> Iterator[str]:
    wanted = {str(key): str(value) for key, value in _mapping(pool.get("labels")).items()}
    worn, taints = labels(node), {taint for taint in _taints(node) if not _passes(taint)}
    for key, value in wanted.items():
        if key not in worn:
            yield f"without label {key}={value}"
        elif worn[key] != value:
            yield f"with {worn[key]!r} as label {key} instead of {value!r}"
    for key in sorted(key for key in worn if key.startswith(_OURS) and key not in wanted):
        yield f"with label {key}, which is not in the contract"
    for taint in sorted(set(_wanted(pool)) - taints):
        yield f"without taint {taint}"
    for taint in sorted(taint for taint in taints - set(_wanted(pool)) if _keeping_out(taint)):
        yield f"with taint {taint}, which is not in the contract"


def _wanted(pool: Mapping[str, Any]) -> list[str]:
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
    """When a node that is not ready stopped being so, or was made."""
    changed = condition(node, "Ready").get("lastTransitionTime")
    return moment(changed or at(node, "metadata", "creationTimestamp"))


def _why(node: Object) -> str:
    told = text(condition(node, "Ready"), "message") or text(condition(node, "Ready"), "reason")
    return " ".join(told.split()) or "it says nothing"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
