"""Whether a pod can ever start on the nodes of a pool: one judgement for `place`, `doctor` and `where`.

It looks at what the scheduler and the API server's admission look at, as far as the pool contract answers it, and names
the rest as not judged.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from ckf_spot.agent_pool import SPOT_LABEL, AgentPool, Taint
from ckf_spot.errors import ABSENT, Mistake
from ckf_spot.fields import Object, is_map, map_at, maps_at
from ckf_spot.placement import REQUIRED
from ckf_spot.pods import gpu_limits
from ckf_spot.pods.node_labels import HOST, NodeLabels, Requirement
from ckf_spot.quantities import quantity

SPOT_TAINT: Final = Taint(SPOT_LABEL, "spot", "NoSchedule")
"""The taint of every spot node (spot-node-pool.md)."""
PRIORITY_CLASSES: Final = (
    "kubeflow-aks-batch",
    "kubeflow-aks-interactive",
    "system-cluster-critical",
    "system-node-critical",
)
"""The program's PriorityClasses (`components/kubeflow/scheduling.py`) and Kubernetes' own."""
TOLERATIONS: Final = "tolerations"
"""Path of the obstacle of a taint."""
_COMPUTE: Final = ("cpu", "memory")
_AFFINITY: Final = "affinity.nodeAffinity"
_RUNS: Final = "see that it runs in the cluster; otherwise the pod waits for ever"
_THERE: Final = "see that the cluster has it; otherwise the pods are refused"
_HAVE_IT: Final = "see that they have it; otherwise the pod waits for ever"
_ELSEWHERE: Final[Sequence[tuple[str, Sequence[str], str, str]]] = (
    ("schedulerName", ("default-scheduler",), "is a scheduler that is not known here", _RUNS),
    ("priorityClassName", PRIORITY_CLASSES, "is no PriorityClass of the program", _THERE),
    ("runtimeClassName", (), "is a RuntimeClass that is not known here", _THERE),
    ("schedulingGates", (), "the pod waits until somebody takes its gates away", "see that somebody does"),
)
"""Field, the values that need no line, and the line."""

FIELDS: Final = (
    "topologySpreadConstraints",
    "resources",
    "overhead",
    "os",
    "hostNetwork",
    *(row[0] for row in _ELSEWHERE),
)
"""Fields of a pod that are looked at, beside its containers and those by which it chooses nodes."""


@dataclass(frozen=True)
class Obstacle:
    """What of a pod keeps it off a pool's nodes.

    Attributes:
        path: its field in the pod's spec.
        text: what the pod does, as in `requires agentpool=other`.
        value: of the field, for a line that begins with the path; ABSENT: `what` says it.
        what: the same as a noun.
        allowed: what the nodes would take; empty: nothing.
    """

    path: str
    text: str
    value: object = ABSENT
    what: str = ""
    allowed: str = ""


@dataclass(frozen=True)
class NotJudged:
    """What of a pod may keep it off a pool's nodes.

    Attributes:
        path: its field in the pod's spec.
        value: of the field; ABSENT: `text` says it.
        text: what is not known; `{pools}` stands for the pools' names.
        advice: what to do.
    """

    path: str
    value: object
    text: str
    advice: str

    def mistake(self, where: str, pools: Iterable[AgentPool]) -> Mistake:
        """A line of it; `where` is the path of the pod's spec, and may be empty."""
        path = f"{where}.{self.path}".removeprefix(".")
        text = self.text.replace("{pools}", ", ".join(pool.name for pool in pools))
        return Mistake(path, self.value, self.advice, text, certain=False)


def obstacles(spec: Object, pool: AgentPool) -> list[Obstacle]:
    """Why no node of a pool ever takes a pod; none: one may.

    Args:
        spec: a well-formed pod's spec, or a part of one.
        pool: the pool.
    """
    return [one for one in judged(spec, pool, None) if isinstance(one, Obstacle)]


def takers(spec: Object, pools: Iterable[AgentPool]) -> list[AgentPool]:
    """The pools of which a node may take a pod; see `obstacles`."""
    return [pool for pool in pools if not obstacles(spec, pool)]


def judged(
    spec: Object, pool: AgentPool, labels: Object | None, *, devices: bool = True
) -> list[Obstacle | NotJudged]:
    """Why no node of a pool ever takes a pod, and what of it is not judged.

    Args:
        spec: a well-formed pod's spec, or a part of one.
        pool: the pool.
        labels: the pod's own; None: not known.
        devices: whether GPUs and other devices count.
    """
    nodes = NodeLabels(pool)
    return [
        *_taints(spec, pool),
        *(_devices(spec, pool) if devices else ()),
        *_selection(spec, nodes),
        *_neighbours(spec, nodes, labels),
        *_amounts(spec, pool),
        *_decided_elsewhere(spec),
    ]


def tolerates(tolerations: Iterable[Object], taint: Taint) -> bool:
    """Whether one of the tolerations matches the taint, as the scheduler matches them."""
    return any(
        toleration.get("key") in (None, "", taint.key)
        and toleration.get("effect") in (None, "", taint.effect)
        and (
            toleration.get("operator") == "Exists"
            or (toleration.get("key") == taint.key and (toleration.get("value") or "") == taint.value)
        )
        for toleration in tolerations
    )


def required_terms(spec: Object) -> list[list[Requirement]]:
    """The terms of a pod's required node affinity, of which one must be met in full; none: any node will do."""
    return [
        [
            *map(Requirement.read, term.get("matchExpressions") or ()),
            # `metadata.name` is the only field, and a node's name its hostname on AKS.
            *(Requirement.read({**field, "key": HOST}) for field in maps_at(term, "matchFields")),
        ]
        for term in map_at(spec, "affinity", "nodeAffinity", REQUIRED).get("nodeSelectorTerms") or ()
    ]


def selector(spec: Object) -> list[Requirement]:
    """A pod's node selector."""
    return [Requirement(key, "In", (value,)) for key, value in map_at(spec, "nodeSelector").items()]


def _taints(spec: Object, pool: AgentPool) -> Iterator[Obstacle]:
    repelling = [
        f"{taint.key}={taint.value}:{taint.effect}"
        for taint in pool.taints
        if taint.effect != "PreferNoSchedule" and not tolerates(maps_at(spec, "tolerations"), taint)
    ]
    if repelling:
        yield Obstacle(TOLERATIONS, f"does not tolerate {' and '.join(repelling)}")


def _selection(spec: Object, nodes: NodeLabels) -> Iterator[Obstacle | NotJudged]:
    """Node selector and required node affinity."""
    for wish in selector(spec):
        yield from _unmet(f"nodeSelector: {wish.key}", wish, nodes, wish.values[0])
    terms = required_terms(spec)
    doubts = [[(wish, doubt) for wish in term if (doubt := wish.doubt(nodes)) is not None] for term in terms]
    if not all(doubts):
        return
    possible = [term for term in doubts if all(doubt for _, doubt in term)]
    for wish, _ in possible[0] if possible else ():
        yield from _unmet(f"{_AFFINITY}: {wish.key}", wish, nodes, list(wish.values) or wish.operator)
    if not possible and terms:
        misses = [next(wish for wish, doubt in term if not doubt) for term in doubts]
        what = f"{misses[0].key} {misses[0].operator} {', '.join(misses[0].values)}".rstrip()
        text = f"requires {' or '.join(dict.fromkeys(map(str, misses)))}"
        yield Obstacle(_AFFINITY, text, what=what, allowed=nodes.shown(misses[0].key))


def _unmet(path: str, wish: Requirement, nodes: NodeLabels, value: object) -> Iterator[Obstacle | NotJudged]:
    doubt = wish.doubt(nodes)
    if doubt:
        yield NotJudged(path, value, doubt, _HAVE_IT)
    elif doubt is not None:
        yield Obstacle(path, f"requires {wish}", value, allowed=nodes.shown(wish.key))


def _neighbours(spec: Object, nodes: NodeLabels, labels: Object | None) -> Iterator[Obstacle | NotJudged]:
    """Spread, affinity and anti-affinity among pods; a node without the label takes no pod that spreads by it.

    Source: docs/facts/aks.md#node-labels.
    """
    for number, constraint in enumerate(maps_at(spec, "topologySpreadConstraints")):
        if constraint.get("whenUnsatisfiable") != "ScheduleAnyway":
            yield from _in_domain(f"topologySpreadConstraints[{number}].topologyKey", constraint, nodes)
    for number, term in enumerate(maps_at(spec, "affinity", "podAffinity", REQUIRED)):
        path = f"affinity.podAffinity: {number}"
        missing = list(_in_domain(path, term, nodes))
        yield from missing
        if not missing and not selects(term, labels):
            text = "needs pods beside it that are not known here"
            yield NotJudged(path, ABSENT, text, "see that they run; otherwise the pod waits for ever")
    for number, term in enumerate(maps_at(spec, "affinity", "podAntiAffinity", REQUIRED)):
        if term.get("topologyKey") != HOST and not selects(term, labels):
            path = f"affinity.podAntiAffinity: {number}"
            text = "keeps away from pods that are not known here"
            yield NotJudged(path, ABSENT, text, "the pod waits while they run everywhere")


def _in_domain(path: str, term: Object, nodes: NodeLabels) -> Iterator[Obstacle | NotJudged]:
    key = str(term.get("topologyKey"))
    yield from _unmet(path, Requirement(key, "Exists"), nodes, key)


def selects(term: Object, labels: Object | None) -> bool | None:
    """Whether a term of affinity among pods selects a pod with these labels; None: nobody knows.

    Args:
        term: with a `labelSelector`; without one it selects no pod.
        labels: the pod's, without those that its controller adds; None: not known.
    """
    chosen = term.get("labelSelector")
    if not is_map(chosen):
        return False
    if labels is None or term.get("namespaces") or term.get("namespaceSelector"):
        return None
    wishes = [
        *(Requirement(key, "In", (str(value),)) for key, value in map_at(chosen, "matchLabels").items()),
        *map(Requirement.read, maps_at(chosen, "matchExpressions")),
    ]
    results = [_selects(wish, labels) for wish in wishes]
    return False if False in results else None if None in results else True


def _selects(wish: Requirement, labels: Object) -> bool | None:
    value = labels.get(wish.key)
    if value is None and ("/" in wish.key or wish.key in {"job-name", "controller-uid"}):
        return None  # a label that a controller may add
    match wish.operator:
        case "In":
            return value in wish.values
        case "NotIn":
            return value not in wish.values
        case "Exists":
            return value is not None
        case _:
            return value is None


def crowding(
    spec: Object, labels: Object, pools: Sequence[AgentPool], count: int
) -> Iterator[tuple[str, int]]:
    """What lets only some of a pod's copies run at a time: field, and how many.

    Args:
        spec: a well-formed pod's.
        labels: the pod's own.
        pools: those that take it.
        count: how many copies run at a time otherwise.
    """
    most: dict[str, int] = {}
    for kind in ("initContainers", "containers"):
        for number, container in enumerate(maps_at(spec, kind)):
            for port in maps_at(container, "ports"):
                if port.get("hostPort") or (spec.get("hostNetwork") is True and port.get("containerPort")):
                    most[f"{kind}[{number}].ports"] = sum(pool.max_count for pool in pools)
    for number, term in enumerate(maps_at(spec, "affinity", "podAntiAffinity", REQUIRED)):
        places = _places(term, pools)
        if places is not None and selects(term, labels) is not False:
            most[f"affinity.podAntiAffinity.{REQUIRED}[{number}]"] = places
    for number, constraint in enumerate(maps_at(spec, "topologySpreadConstraints")):
        places, needed, skew = (
            _places(constraint, pools),
            constraint.get("minDomains"),
            constraint.get("maxSkew"),
        )
        # With fewer than `minDomains` none may have more than `maxSkew` ("Pod Topology Spread Constraints").
        short = places is not None and isinstance(needed, int) and places < needed
        # Nodes of other pools, such as AKS's own, count then as well, and stay without any.
        every_node = (
            constraint.get("nodeAffinityPolicy") == "Ignore" and constraint.get("topologyKey") == HOST
        )
        hard = constraint.get("whenUnsatisfiable") != "ScheduleAnyway"
        if hard and places is not None and isinstance(skew, int) and (short or every_node):
            most[f"topologySpreadConstraints[{number}]"] = skew * places
    yield from ((path, at_a_time) for path, at_a_time in most.items() if at_a_time < count)


def _places(term: Object, pools: Sequence[AgentPool]) -> int | None:
    """How many values a topology key has at most on the pools' nodes; None: nobody knows."""
    key = str(term.get("topologyKey"))
    if key == HOST:
        return sum(pool.max_count for pool in pools)
    values = [NodeLabels(pool).shown(key).split(", ") for pool in pools]
    return len({value for some in values for value in some}) if all(map(all, values)) else None


def _amounts(spec: Object, pool: AgentPool) -> Iterator[Obstacle | NotJudged]:
    """CPU and memory, against what AKS leaves to pods on an empty node."""
    unsaid: list[str] = []
    for resource in _COMPUTE:
        try:
            needed = requested(spec, resource)
        except ValueError:
            text = f"how much {resource} it asks for is known at run time only"
            yield NotJudged("containers", ABSENT, text, "see that they have as much")
            continue
        room = pool.allocatable.get(resource)
        if needed and room is None:
            unsaid.append(resource)
        elif room is not None and needed > quantity(room):
            text = f"asks for {resource}: {_shown(needed)}, a node has {room}"
            path = f"containers: {resource}"
            yield Obstacle(path, text, what=_shown(needed), allowed=f"at most {room}")
    if unsaid:
        text = f"how much {' and '.join(unsaid)} a node of {{pools}} has is not in the pool contract"
        yield NotJudged("containers", ABSENT, text, "an administrator updates the stack with a newer program")


def requested(spec: Object, resource: str, part: str = "requests", default: object = 0) -> Decimal:
    """What a pod requests of a resource, or its `limits`, as the scheduler and a quota count it.

    That of the pod itself, or of the containers that run side by side, or of an init container beside those that were
    started before it and stay ("Init Containers" and "Sidecar Containers", "Resource sharing within containers"). A
    container that does not say gets the default.

    Raises:
        ValueError: a quantity is none.
    """
    if whole := quantity(stated(spec, part, resource) or 0):
        return whole

    def amount_of(container: Object) -> Decimal:
        amount = stated(container, part, resource)
        return quantity(default if amount is None else amount)

    beside, most = Decimal(0), Decimal(0)
    for container in maps_at(spec, "initContainers"):
        amount = amount_of(container)
        stays = container.get("restartPolicy") == "Always"
        beside += amount if stays else 0
        most = max(most, beside if stays else beside + amount)
    main = sum(map(amount_of, maps_at(spec, "containers")), Decimal(0))
    return max(most, main + beside) + quantity(map_at(spec, "overhead").get(resource) or 0)


def stated(container: Object, part: str, resource: str) -> Any:
    """The quantity, None for none; a request that is left out is as large as the limit."""
    resources = map_at(container, "resources")
    amount = map_at(resources, part).get(resource)
    return map_at(resources, "limits").get(resource) if amount is None and part == "requests" else amount


def _shown(amount: Decimal) -> str:
    """A quantity for people: bytes in Gi."""
    gibibytes = amount / 2**30
    return f"{gibibytes.quantize(Decimal('0.1'))}Gi" if gibibytes >= 1 else f"{amount.normalize():f}"


def _devices(spec: Object, pool: AgentPool) -> Iterator[Obstacle]:
    template = {"spec": spec}
    gpus = gpus_of(spec)
    if gpus > pool.gpus:
        yield Obstacle("containers", f"asks for {gpus} GPU{'s' * (gpus > 1)}, a node has {pool.gpus}")
    for kind in ("initContainers", "containers"):
        for limit in gpu_limits.limits_of(template, kind).values():
            for resource in filter(gpu_limits.is_of_a_maker, limit):
                yield Obstacle(kind, f"asks for {resource}, which no node has")


def gpus_of(spec: Object) -> int:
    """GPUs that a pod asks for at a time; an amount that is no whole number counts as none."""
    limits, before = (gpu_limits.limits_of({"spec": spec}, kind) for kind in ("containers", "initContainers"))
    each_before = (gpu_limits.requested({name: limit}) for name, limit in before.items())
    return max(gpu_limits.requested(limits), max(each_before, default=0))


def _decided_elsewhere(spec: Object) -> Iterator[Obstacle | NotJudged]:
    """What others than the pools' scheduler decide."""
    system = map_at(spec, "os").get("name")
    if system not in (None, "", "linux"):
        yield Obstacle("os.name", f"is for {system}", system, allowed="linux")
    for path, usual, text, advice in _ELSEWHERE:
        value = spec.get(path)
        if value not in (None, "", [], *usual):
            yield NotJudged(path, value if isinstance(value, str) else ABSENT, text, advice)
