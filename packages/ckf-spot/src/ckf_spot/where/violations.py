"""Rules that the observed pods and nodes break, each with advice."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, get_args

from ckf_spot import durations
from ckf_spot.agent_pool import POOL_LABEL, SPOT_LABEL, AgentPool
from ckf_spot.fields import maps_at
from ckf_spot.pods import fit
from ckf_spot.where.lost_steps import Fate, LostStep
from ckf_spot.where.observations import Look, Node, Pod
from ckf_spot.where.waiting import wait
from ckf_spot.where.work import Role

Rule = Literal[
    "stateful-on-spot",
    "serving-on-spot",
    "notebook-on-spot",
    "platform-on-spot",
    "gpu-node-without-gpu-work",
    "stuck-on-spot",
    "stuck-without-pool",
    "stuck-terminating",
    "step-lost",
]
RULES: Final[tuple[Rule, ...]] = get_args(Rule)
_LASTING: Final[Mapping[Role, tuple[Rule, str]]] = {
    "stateful": ("stateful-on-spot", "it keeps state"),
    "serving": ("serving-on-spot", "it serves requests"),
    "notebook": ("notebook-on-spot", "a person works in it"),
    "platform": ("platform-on-spot", "it is part of the platform"),
}
"""Work that an eviction harms: its rule, and why."""
_MANAGED_BY_AKS: Final = "kube-"
"""How namespaces begin whose pods AKS places itself."""
_IDLE: Final = timedelta(minutes=30)
"""The autoscaler removes an idle node after 10 minutes by default, and the program's profile does so earlier."""
_NAMED: Final = 3
"""A line names at most this many pods and counts the others."""


@dataclass(frozen=True)
class Violation:
    """One of them, as a line.

    Attributes:
        rule: its name.
        namespace: of the pod or the step, empty for a node.
        name: of the pod or the node; a step's work.
        message: what is so.
        advice: what to do.
    """

    rule: Rule
    namespace: str
    name: str
    message: str
    advice: str

    def __str__(self) -> str:
        thing = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.rule}: {thing}: {self.message}; {self.advice}"


def violations(look: Look, patience: timedelta) -> tuple[Violation, ...]:
    """All of them, in the order of the rules.

    Args:
        look: what was seen.
        patience: how long spot work may wait for a spot node, and a pod may outlive its grace period, before it
            counts as stuck.
    """
    rows = [
        *(violation for pod in look.pods if pod.active for violation in _on_spot(pod, look)),
        *_gpu_nodes(look),
        *(violation for pod in look.pods if pod.active for violation in _stuck(pod, look, patience)),
        *(violation for pod in look.pods if pod.active for violation in _terminating(pod, look, patience)),
        *(_lost(step, look) for step in look.lost_steps if step.fate in _NOT_TRIED_AGAIN),
    ]
    return tuple(
        sorted(rows, key=lambda violation: (RULES.index(violation.rule), violation.namespace, violation.name))
    )


def blind_spots(look: Look) -> Iterator[str]:
    """What could not be judged, a sentence each."""
    if look.since is not None and any(pod.work.kind == "Workflow" for pod in look.pods):
        yield "lost steps were not judged: a record has no workflows"
    if look.pools is None:
        yield "stuck work was not judged: that needs the pool contract (--pools FILE)"
    if look.nodes is None:
        yield "GPU nodes were not judged: the nodes may not be read"
    elif look.namespace is not None and any(node.gpus and not node.gone for node in look.nodes):
        yield "GPU nodes were not judged: that needs the pods of all namespaces (-A)"


def awaited(look: Look) -> Iterator[str]:
    """Steps that lost their pod and are tried again, or may be, a sentence each."""
    for step in look.lost_steps:
        if next_step := _AWAITED.get(step.fate):
            lost = f"{step.work.namespace}/{step.work} lost its pod{_was_on(step, look)}"
            yield f"{lost}: Argo shows {step.shown!r}, and {next_step}"


def _on_spot(pod: Pod, look: Look) -> Iterator[Violation]:
    if pod.role not in _LASTING or pod.namespace.startswith(_MANAGED_BY_AKS):
        return
    rule, reason = _LASTING[pod.role]
    advice = f"take the toleration of {SPOT_LABEL} from {_maker(pod)}"
    if pod.node:
        place = look.place(pod.node)
        if place.spot:
            message = (
                f"{reason}, and runs on {place.pool}, which is spot: Azure may take the node back within 30 s"
            )
            yield Violation(rule, pod.namespace, pod.name, message, advice)
        return
    open_to_it = [pool.name for pool in fit.takers(pod.spec, (look.pools or {}).values()) if pool.spot]
    if open_to_it:
        message = f"{reason}, waits for a node, and may get one of {', '.join(open_to_it)}, which is spot"
        yield Violation(rule, pod.namespace, pod.name, message, advice)


def _maker(pod: Pod) -> str:
    return "the pod" if pod.work.kind == "Pod" else f"{pod.work.kind} {pod.work.name}"


def _gpu_nodes(look: Look) -> Iterator[Violation]:
    if look.nodes is None or look.namespace is not None:
        return
    on: Mapping[str, list[Pod]] = defaultdict(list)
    for pod in look.pods:
        if pod.role != "daemon":
            on[pod.node].append(pod)
    for node in look.nodes:
        if not node.gpus or node.gone:
            continue
        active = [pod for pod in on[node.name] if pod.active]
        if any(pod.gpus for pod in active):
            continue
        rule: Rule = "gpu-node-without-gpu-work"
        if active:
            names = sorted(f"{pod.namespace}/{pod.name}" for pod in active)
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            message = f"a node of {node.pool} runs {', '.join(names[:_NAMED])}{more}, and nothing on it asks for a GPU"
            advice = "take the toleration of the GPU taint from that work, or let it ask for nvidia.com/gpu"
            yield Violation(rule, "", node.name, message, advice)
        elif (idle := look.time - _busy_until(node, on[node.name])) >= _IDLE:
            message = (
                f"a node of {node.pool} is idle for {durations.text(int(idle / timedelta(minutes=1)) * 60)}"
            )
            advice = "lower the pool's minCount, or ask the autoscaler's events what keeps the node"
            yield Violation(rule, "", node.name, message, advice)


def _busy_until(node: Node, pods: list[Pod]) -> datetime:
    """The last moment at which it is known to have had work, or else its beginning."""
    return max([node.created, *(pod.ended or pod.created for pod in pods)])


def _stuck(pod: Pod, look: Look, patience: timedelta) -> Iterator[Violation]:
    why = wait(pod, look, patience)
    if why is None or pod.waiting_since is None:
        return
    waited = look.time - pod.waiting_since
    since = f"it waits for {_length(waited)}"
    pools = look.pools or {}
    against = {pool.name: _against(pod, pool) for pool in pools.values()}
    takers = [pool for pool in pools.values() if not against[pool.name]]
    missing = _missing_pools(pod, pools)
    wishes_spot = bool(pools) and fit.tolerates(maps_at(pod.spec, "tolerations"), fit.SPOT_TAINT)
    if wishes_spot and not takers:
        spot = [f"{pool.name}: {against[pool.name]}" for pool in pools.values() if pool.spot]
        closed = _does_not_exist(missing) if missing else "; ".join(spot) or "there is no spot pool"
        message = f"{since} and no pool will ever take it ({closed})"
        advice = f"name one of {', '.join(pools)}, or place it with ckf_spot"
        yield Violation("stuck-without-pool", pod.namespace, pod.name, message, advice)
    elif why.cause == "never":
        message = f"{since} and no pool will ever take it ({why.text})"
        advice = f"change its {' and '.join(why.fields)}, or place it with ckf_spot"
        yield Violation("stuck-without-pool", pod.namespace, pod.name, message, advice)
    elif wishes_spot and all(pool.spot for pool in takers) and waited >= patience:
        reason = f" ({why.text})" if why.cause in {"sold out", "full"} else ""
        names = ", ".join(pool.name for pool in takers)
        message = f"{since} for a node of {names}, and nothing else takes it{reason}"
        advice = _way_out(takers, missing, against, pools)
        yield Violation("stuck-on-spot", pod.namespace, pod.name, message, advice)


def _terminating(pod: Pod, look: Look, patience: timedelta) -> Iterator[Violation]:
    """A pod whose node does not end it, while nothing goes on with its work.

    A Job waits for such a pod with `podReplacementPolicy: Failed`, the default where it has a podFailurePolicy.
    """
    if pod.deletion is None or pod.role == "daemon" or look.lost(pod.node):
        return
    late = look.time - pod.deletion
    replaced = any(other.work == pod.work and other.active and not other.deletion for other in look.pods)
    if late < patience or replaced or not pod.node:
        return
    node = look.nodes_by_name.get(pod.node)
    silent = f"silent for {_length(look.time - node.silent)}" if node and node.silent else ""
    waits = ": a Job with a podFailurePolicy waits for that" if pod.maker and pod.maker.kind == "Job" else ""
    message = (
        f"it should have ended {_length(late)} ago, its node {pod.node} "
        f"{f'has been {silent}' if silent else 'has not ended it'}, and no other pod goes on with its work{waits}"
    )
    remove = f"delete the node: kubectl delete node {pod.node}"
    if silent:
        advice = f"let an administrator {remove}"
    elif node:
        advice = (
            "see its events: a volume that can't be unmounted, or a container that can't be killed, keeps it"
        )
    else:
        advice = f"if the node is silent, let an administrator {remove}"
    yield Violation("stuck-terminating", pod.namespace, pod.name, message, advice)


def _length(span: timedelta) -> str:
    return durations.text(max(int(span.total_seconds()), 0))


_AWAITED: Final[Mapping[Fate, str]] = {
    "tried again": "tries it again after that",
    "unjudged expression": "whether it tries it again was not judged: that depends on its retryStrategy.expression",
}
_NOT_TRIED_AGAIN: Final[Mapping[Fate, tuple[str, str, str]]] = {
    "driver": ("Kubeflow gives its drivers no retries", "", ""),
    "policy": (
        "its retry policy does not cover lost pods",
        "let an administrator set kubeflow.argoRetries: true in the stack's settings",
        "set retryPolicy: Always in its retryStrategy",
    ),
    "expression": (
        "the expression of its retryStrategy is false for it",
        "let the expression be true for lastRetry.status == 'Error' and for exit code 143",
        "let the expression be true for lastRetry.status == 'Error' and for exit code 143",
    ),
    "no retries": (
        "it has no retries",
        "place it with ckf_spot, which sets them (they need kubeflow.argoRetries: true)",
        "place the workflow with ckf-spot place, which gives it a retryStrategy",
    ),
    "retries used up": (
        "it has used up its retries",
        "give it more with set_retry",
        "raise the limit of its retryStrategy",
    ),
    "too late": (
        "its time for retries is over",
        "give set_retry a longer backoff_max_duration",
        "raise backoff.maxDuration of its retryStrategy",
    ),
    "over": ("the workflow ended before it was tried again", "", ""),
}
"""Why a lost step is not tried again, and what to do first in a pipeline and in a workflow of one's own."""


def _lost(step: LostStep, look: Look) -> Violation:
    why, of_pipeline, of_workflow = _NOT_TRIED_AGAIN[step.fate]
    first = of_pipeline if step.of_pipeline else of_workflow
    advice = f"{first}, then run it again" if first else "run it again"
    if step.waits:
        message = f"Argo shows {step.shown!r}, but {why}: after that the step ends with {step.ended!r}"
    else:
        message = f"Argo shows {step.shown!r}: its pod{_was_on(step, look)} was lost, and {why}"
    return Violation("step-lost", step.work.namespace, str(step.work), message, advice)


def _was_on(step: LostStep, look: Look) -> str:
    pool = look.place(step.node).pool
    return f" on {pool}" if pool else ""


def _way_out(
    takers: list[AgentPool], missing: list[str], against: Mapping[str, str], pools: Mapping[str, AgentPool]
) -> str:
    """What opens on-demand nodes to work that only spot pools take."""
    names = {pool.fallback for pool in takers}
    fallbacks = [pool.name for pool in pools.values() if pool.shared_name in names]
    if missing:
        return f"{_does_not_exist(missing)}: name {' or '.join(fallbacks) or 'an on-demand pool'} instead"
    if fallbacks:
        reasons = ", ".join(f"{fallback} is closed to it: {against[fallback]}" for fallback in fallbacks)
        return f"place it with prefer='spot' ({reasons})"
    closed = " and ".join(pool.name for pool in takers)
    return f"wait, or let an administrator give {closed} an on-demand fallback in the stack's settings"


def _against(pod: Pod, pool: AgentPool) -> str:
    """The first reason why no node of a pool ever takes a pod; empty: one may."""
    return next((f"the pod {one.text}" for one in fit.obstacles(pod.spec, pool)), "")


def _missing_pools(pod: Pod, pools: Mapping[str, AgentPool]) -> list[str]:
    """Names of pools that a pod asks for and that do not exist."""
    names = (
        value
        for term in (fit.selector(pod.spec), *fit.required_terms(pod.spec))
        for requirement in term
        if requirement.key in {POOL_LABEL, "agentpool"} and requirement.operator == "In"
        for value in requirement.values
    )
    return [name for name in dict.fromkeys(names) if name not in pools]


def _does_not_exist(names: list[str]) -> str:
    return f"pool {', '.join(map(repr, names))} does not exist"
