"""Places a document of any kind: one procedure for all, over what each kind says of itself."""

import dataclasses
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ckf_spot import judgements
from ckf_spot.agent_pool import PLATFORM_NAMESPACES, SPOT_LABEL
from ckf_spot.errors import EvictionWarning, Mistake, Mistakes, PlacementError, refusal, together
from ckf_spot.fields import FOREIGN, UNKNOWN, Json, Object, at, is_count, is_map, map_at
from ckf_spot.kinds import copies, table
from ckf_spot.kinds.kind import Kind, Path, PlacingRequest, Pods, contradiction, dotted, misfit, mistake_in
from ckf_spot.kinds.serialise import plain
from ckf_spot.placement import Placement
from ckf_spot.pods import fit, gpu_limits, node_selection, shape, strict_schema, volumes
from ckf_spot.pods import template as template_on
from ckf_spot.pods.volumes import Mount
from ckf_spot.pool_group import PoolGroup

_COUNTS: Final = (
    "backoffLimit", "completions", "cores", "instances", "maxFailedTrialCount", "maxReplicas", "maxRestarts",
    "maxTrialCount", "minReplicas", "numNodes", "numOfHosts", "parallelTrialCount", "parallelism", "replicas",
)  # fmt: skip
"""Fields that are whole numbers in every kind that has them."""


@dataclass(frozen=True)
class Placed:
    """A placed document.

    Attributes:
        document: as the API server takes it.
        doubts: how an eviction would still lose its work, what of it is not known here, and which of its pods were left
            as they are.
        unjudged: its fields that can keep a pod from something, and that nobody judges (`judgements.lines`).
    """

    document: Json
    doubts: tuple[str, ...]
    unjudged: tuple[str, ...]


def place(document: object, group: PoolGroup, request: PlacingRequest | None = None) -> Placed:
    """Places a document.

    Args:
        document: a dict, or an object of an SDK (see `serialise.plain`); it stays as it is.
        group: the pools.
        request: how; None: spot first.

    Raises:
        PlacementError: with every mistake.
    """
    request = request or PlacingRequest()
    made = plain(document)
    parts = list(parts_of(made, table.kind_of(made, request)))
    mistakes = Mistakes()
    placement = mistakes.catch(lambda: group.placement(prefer=request.prefer, require=request.require))
    stays = mistakes.catch(partial(group.placement, require="on-demand")) if request.on_demand else None
    mistakes.add(_request_problems(parts, request))
    pools: _Pools = []
    left: list[str] = []
    reported: set[str] = set()
    for part in parts:
        problems = part.problems(request, group.kubernetes)
        reported |= {problem.path for problem in problems}
        if not mistakes.add(problems) and placement:
            mistakes.add(part.below(part.kind.misfits(part.document, placement, request)))
        if any(mistake.problem == FOREIGN for mistake in problems):
            continue
        for pods, path in part.pods(request):
            template, where = pods.template(part.document), dotted(path)
            covered = any(other.covers(path) for other in parts)
            malformed = [*_malformed(pods, template, where, None if covered else group)]
            mistakes.add(pods.located(mistake, where) for mistake in malformed if not _reported(mistake))
            if any(mistake.certain for mistake in malformed) or not placement:
                continue
            if why := misfit(pods, template, placement):
                left.append(f"{pods.role} {why}: left as it is")
                continue
            if pods.role in request.on_demand:
                pool = stays
            else:
                pool = mistakes.catch(partial(_placement_of, pods, template, where, placement, group))
            pools.append((part, pods, pool))
            if pool:
                problems = [
                    *pods.problems(template, pool, where),
                    *node_selection.crowding(template, pool, where, copies.count(made, path)),
                ]
                mistakes.add(pods.located(mistake, where) for mistake in problems)
    mistakes.add(mistake for mistake in _uncounted(made) if mistake.path not in reported)
    if left and not any(pods.moves or pods.role in request.on_demand for _, pods, _ in pools):
        mistakes.add([mistake_in("", f"nothing fits {group.name!r}: {'; '.join(left)}", "name other pools")])
    mistakes.raise_all()
    assert placement is not None  # noqa: S101 - or a mistake would have been mistake_in
    doubts = [doubt for part in parts for doubt in part.kind.doubts(part.document, placement, request)]
    doubts += [*_namespace_doubts(made, placement), *_grace_doubts(pools), *_stay_doubts(pools, group)]
    doubts += _volume_doubts(made, pools, request)
    unjudged = judgements.lines(judgements.unjudged(made))
    for part, pods, pool in pools:
        pods.place(part.document, pool) if pool else pods.keep(part.document)
    for part in parts:
        part.kind.place(part.document, placement, request)
    return Placed(made, tuple(dict.fromkeys([*doubts, *map(str, mistakes.doubts), *left])), tuple(unjudged))


def placed_object(
    document: object,
    group: PoolGroup,
    *,
    also: str | Collection[str] = (),
    on_demand: str | Collection[str] = (),
    **request: Any,
) -> Json:
    """A document placed from Python.

    Args:
        document: see `place`.
        group: the pools.
        also: see `PlacingRequest`; a text is one role.
        on_demand: see `PlacingRequest`; a text is one role.
        request: the other attributes of `PlacingRequest`.

    Raises:
        PlacementError: with every mistake.

    Warns:
        EvictionWarning: once for each way in which an eviction would still lose the work, and for each field that is
            not judged.
    """
    vanishing, staying = together(partial(_roles, "also", also), partial(_roles, "on_demand", on_demand))
    placed = place(document, group, PlacingRequest(also=vanishing, on_demand=staying, **request))
    name = placed.document.get("kind"), map_at(placed.document, "metadata").get("name")
    for doubt in (*placed.doubts, *placed.unjudged):
        text = f"{'/'.join(map(str, filter(None, name)))}: {doubt}"
        warnings.warn(text, EvictionWarning, stacklevel=3)
    return placed.document


def _roles(name: str, value: object) -> tuple[str, ...]:
    """Roles as Python has them, one as a text; a text would otherwise be read as one role for each letter.

    Raises:
        PlacementError: it is neither a text nor a collection of texts.
    """
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Collection) and not isinstance(value, Mapping):
        roles = tuple(role for role in value if isinstance(role, str))
        if len(roles) == len(value):
            return roles
    raise refusal(name, value, "expected a role such as 'Master', or a list of roles")


@dataclass(frozen=True)
class Part:
    """A document, or one inside another.

    Attributes:
        path: where it is in the whole.
    """

    kind: Kind
    path: Path
    document: Json

    def below(self, mistakes: Iterator[Mistake]) -> list[Mistake]:
        """Mistakes with this part's path before theirs."""
        where = dotted(self.path)
        return [
            dataclasses.replace(mistake, path=".".join(filter(None, (where, mistake.path))))
            for mistake in mistakes
        ]

    def problems(self, request: PlacingRequest, kubernetes: str | None) -> list[Mistake]:
        """What is wrong with it besides its pods; of fields that Kubernetes has, its schema knows more than a list."""
        mistakes = self.below(self.kind.problems(self.document, request))
        if foreign := [mistake for mistake in mistakes if mistake.problem == FOREIGN]:
            return foreign
        if self.kind.schema and strict_schema.available():
            where = dotted(self.path)
            schema = strict_schema.problems(self.kind.schema, self.document, where, kubernetes)
            wrong = {mistake.path for mistake in schema}
            mistakes = [
                mistake
                for mistake in mistakes
                if mistake.problem != UNKNOWN or (mistake.path in wrong and mistake.certain)
            ]
            paths = {mistake.path for mistake in mistakes}
            mistakes += [mistake for mistake in schema if mistake.path not in paths]
        return mistakes

    def pods(self, request: PlacingRequest) -> Iterator[tuple[Pods, Path]]:
        """Its pods, with their paths in the whole."""
        for pods in self.kind.pods(self.document, request):
            yield pods, (*self.path, *pods.path)

    def covers(self, path: Path) -> bool:
        """Whether its schema sees a template."""
        return self.kind.schema is not None and path[: len(self.path)] == self.path


_Pools = list[tuple[Part, Pods, Placement | None]]
"""Where pods go; None: they stay where they are."""


def has_roles(document: object, request: PlacingRequest) -> bool:
    """Whether `PlacingRequest.also` and `on_demand` mean something for a document of a known kind."""
    return is_map(document) and any(
        part.kind.has_roles_in(part.document)
        for part in parts_of(dict(document), table.kind_of(document, request))
    )


def parts_of(document: Json, kind: Kind, path: Path = ()) -> Iterator[Part]:
    """The document, and the documents inside it."""
    yield Part(kind, path, document)
    for inner, inner_kind in kind.inner(document):
        if is_map(at(document, *inner)):
            yield from parts_of(at(document, *inner), inner_kind, (*path, *inner))


def _request_problems(parts: list[Part], request: PlacingRequest) -> Iterator[Mistake]:
    """What of the request fits no part; a part around others, such as an experiment, leaves that to them.

    Where a part has roles, they may be parts inside it, as the Jobs of a JobSet are.
    """
    for part in parts:
        if part.kind.has_roles or not any(True for _ in part.kind.inner(part.document)):
            if request.elastic and part.kind.rigid:
                yield contradiction("elastic", request.elastic, f"work {part.kind.rigid}", "leave it out")
            yield from part.kind.request_problems(part.document, request)


def _uncounted(document: Object) -> Iterator[Mistake]:
    """Amounts that are no whole numbers, such as `replicas: "..."`, which no operator takes."""
    for field in judgements.fields(str(document.get("kind")), document):
        counts = field.path.rpartition(".")[2] in _COUNTS
        if counts and not is_count(field.value) and not gpu_limits.at_run_time(str(field.value)):
            yield Mistake(field.path, field.value, "expected a whole number")


def _malformed(pods: Pods, template: Any, where: str, group: PoolGroup | None) -> Iterator[Mistake]:
    """What is wrong with a template by itself; without a group only what everything else relies on."""
    wrong = shape.template_problems(template, where)
    yield from wrong
    if group and is_map(template) and strict_schema.available():
        paths = {mistake.path for mistake in wrong if not _reported(mistake)}
        release = group.kubernetes
        schema = strict_schema.problems(strict_schema.TEMPLATE, template, where, release, keeps=pods.keeps)
        yield from (mistake for mistake in schema if mistake.path not in paths)


def _reported(mistake: Mistake) -> bool:
    """Whether the schema reports it too: what is missing, or the misspelt name that it has."""
    return mistake.value is None and strict_schema.available()


def _placement_of(
    pods: Pods, template: Object, where: str, placement: Placement, group: PoolGroup
) -> Placement | None:
    """Where pods go; None: they stay where they are; PlacementError where they would wait forever for a GPU."""
    if pods.moves:
        return placement
    if not gpu_limits.needs(template):
        return None
    if group.gpus:
        try:
            return group.placement(require="on-demand")
        except PlacementError as error:
            reason, way = str(error), f"also=({pods.role!r},) puts it on spot"
    elif any(map_at(template, "spec").get(key) for key in ("nodeSelector", "affinity", "tolerations")):
        return None  # the user has placed it
    else:
        reason, way = f"{group.name!r} has none", "expected a pool with GPUs, or a node selector of its own"
    raise PlacementError(mistake_in(where, f"{pods.role} asks for a GPU and must not vanish: {reason}", way))


def _namespace_doubts(document: Object, placement: Placement) -> Iterator[str]:
    """A namespace in which pods that tolerate spot nodes are refused (`PLATFORM_NAMESPACES`)."""
    name = map_at(document, "metadata").get("namespace")
    if placement.spot and isinstance(name, str) and PLATFORM_NAMESPACES.fullmatch(name):
        yield (
            f"metadata.namespace: {name!r} is the platform's, where the cluster's guard refuses pods that tolerate "
            "spot nodes, so none will start; expected a profile's namespace"
        )


def _grace_doubts(pools: _Pools) -> Iterator[str]:
    """Grace periods that are cut."""
    roles: dict[int, list[str]] = defaultdict(list)
    for part, pods, pool in pools:
        seconds = map_at(pods.template(part.document), "spec").get(template_on.GRACE_PERIOD)
        if pool and pool.spot and seconds is not None and seconds > template_on.DEFAULT_GRACE_SECONDS:
            roles[seconds].append(pods.role)
    for seconds, names in roles.items():
        yield (
            f"{template_on.GRACE_PERIOD}: {seconds} of {', '.join(names)} becomes {template_on.GRACE_SECONDS}, since "
            "Azure takes the node back 30 s after its notice: what takes longer must be saved before"
        )


def _volume_doubts(document: Object, pools: _Pools, request: PlacingRequest) -> Iterator[str]:
    """Claims that pods which may be evicted mount, by themselves or with others of the document."""
    claims = dict(request.claims)
    mounts: list[Mount] = []
    evictable: set[str] = set()
    for part, pods, pool in pools:
        claims |= part.kind.claims(part.document)
        for claim in pods.claims(part.document):
            count = pods.copies * copies.count(document, (*part.path, *pods.path))
            mounts.append(Mount(claim, pods.role, count, pods.in_turn))
            evictable |= {claim} if pool and pool.spot else set()
    return volumes.doubts((mount for mount in mounts if mount.claim in evictable), claims)


def _stay_doubts(pools: _Pools, group: PoolGroup) -> Iterator[str]:
    """Pods that stay, and may be on spot all the same, or select spot nodes that they do not tolerate."""
    for part, pods in ((part, pods) for part, pods, pool in pools if pool is None):
        spec = map_at(pods.template(part.document), "spec")
        against = [(pool, {one.path for one in fit.obstacles(spec, pool)}) for pool in group.cluster]
        reached = [pool.name for pool, paths in against if pool.spot and not paths]
        selected = [pool for pool, paths in against if paths <= {fit.TOLERATIONS}]
        if reached:
            way = (
                f"--on-demand {pods.role}, in Python on_demand=({pods.role!r},), takes that back"
                if pods.named
                else f"leave out its toleration of {SPOT_LABEL}"
            )
            yield (
                f"{pods.role} stays, and an eviction of it loses the work, but it tolerates spot nodes and may run on "
                f"{', '.join(reached)}: {way}"
            )
        elif selected and all(pool.spot for pool in selected):
            names = ", ".join(pool.name for pool in selected)
            yield (
                f"{pods.role} stays, but selects only nodes of {names}, which are spot and which it does not tolerate, "
                "so it waits for ever; leave out its selector"
            )
