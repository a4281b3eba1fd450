"""Looks at a file: whether its pods find a pool as they are, and what placing would change."""

import dataclasses
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from ckf_spot import judgements
from ckf_spot.agent_pool import GPU
from ckf_spot.doctor import namespace
from ckf_spot.doctor.findings import Finding, line, right, unknown, wrong
from ckf_spot.doctor.work import Pods, Work, name_of, work
from ckf_spot.errors import PlacementError
from ckf_spot.fields import Object, at, is_map, map_at
from ckf_spot.judgements import NOT_JUDGED, REFUSED
from ckf_spot.kinds import manifests
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.kinds.manifests import File
from ckf_spot.pipelines import compiled
from ckf_spot.pods import fit, gpu_limits
from ckf_spot.pods.fit import NotJudged, Obstacle
from ckf_spot.pool_group import PoolGroup
from ckf_spot.pools import Pools

WITHOUT_PODS: Final = "no pod's template is in it; --pool NAME looks at tasks and trials"
_SHOWN: Final = 6
"""Fields of a change that a line names."""


Classes = Callable[[str, str], bool | None]
"""Whether the cluster has the class of a name that a field has; None: nobody knows."""


def look(
    works: Sequence[Work], pools: Pools, name: str, noted: Object, classes: Classes | None = None
) -> Iterator[Finding]:
    """Whether each pod finds a pool, as the file is.

    Args:
        works: the objects of one namespace.
        pools: the cluster's.
        name: of the namespace; empty: not known.
        noted: its annotations.
        classes: of the cluster; None: there is none to read.
    """
    for made in works:
        for pods in made.pods:
            yield _scheduled(pods, made, pools, (name, noted), classes)
        if made.elsewhere and not made.pods:
            yield unknown(made.name, WITHOUT_PODS)
        for text in judgements.lines(made.others):
            yield Finding("unknown", made.name, text)


def without_pods(origin: str, works: Sequence[Work]) -> Iterator[Finding]:
    """What to report of a file in which nothing makes a pod."""
    if not any(made.pods or made.elsewhere for made in works):
        yield unknown(origin, WITHOUT_PODS)


def works_of(source: File) -> list[Work]:
    """The objects of a file, those in lists too."""
    documents = (at(source.documents, *path) for _, path in manifests.objects(source.documents))
    return [work(document) for document in documents if is_map(document)]


def placing(
    files: Sequence[File], group: PoolGroup, request: PlacingRequest, command: Callable[[File], str]
) -> Iterator[Finding]:
    """Whether the files are placed as wished, or what placing would change or refuse.

    Args:
        files: all that were named.
        group: the pools.
        request: how the files should be placed.
        command: the one that places a file so.
    """
    pipelines = [source for source in files if any(map(compiled.is_compiled, source.documents))]
    others = [source for source in files if source not in pipelines]
    for together in [*([pipeline] for pipeline in pipelines), *([others] if others else [])]:
        yield from _placing(together, group, request, command)


def _placing(
    files: Sequence[File], group: PoolGroup, request: PlacingRequest, command: Callable[[File], str]
) -> Iterator[Finding]:
    try:
        placed, notes = _placed(files, group, request)
    except PlacementError as error:
        for mistake in error.mistakes:
            yield wrong("can't be placed", str(mistake))
        return
    for before, after in zip(files, placed, strict=True):
        yield from _differences(before, after, group, command(before))
    for note in notes:
        yield Finding("note", "note", note)


def _differences(file: File, placed: File, group: PoolGroup, command: str) -> Iterator[Finding]:
    changed = False
    for before, after in zip(_compared(file.documents), _compared(placed.documents), strict=True):
        fields = list(dict.fromkeys(_changes(before, after)))
        changed |= bool(fields)
        if fields:
            more = f" and {len(fields) - _SHOWN} more" if len(fields) > _SHOWN else ""
            yield wrong(
                f"{name_of(before)} on {group.name}",
                f"placed differently: placing would set {', '.join(fields[:_SHOWN])}{more}",
                command,
            )
    if not changed:
        yield right(f"{file.origin} on {group.name}", "placed already")


def _placed(
    files: Sequence[File], group: PoolGroup, request: PlacingRequest
) -> tuple[Sequence[File], Sequence[str]]:
    """The files as `ckf-spot place` would write them, and its notes."""
    if not any(map(compiled.is_compiled, files[0].documents)):
        result = manifests.place(files, group, request)
        return result.files, result.notes
    [file] = files
    try:
        placed, report = compiled.place(file.documents, group, require=request.require)
    except PlacementError as error:
        raise PlacementError(*(mistake.under(file.origin) for mistake in error.mistakes)) from None
    left = [f"{file.origin}: {row.task}: {row.outcome}: {row.note}" for row in report.rows if not row.pools]
    return [File(file.origin, placed)], [*left, *(f"{file.origin}: {doubt}" for doubt in report.doubts)]


def _compared(documents: Sequence[Object]) -> Sequence[Object]:
    """One by one, but a compiled pipeline's two as one: the second may be yet to come."""
    if any(map(compiled.is_bare, documents)):
        return [dict(ChainMap(*map(dict, documents)))]
    return documents


def _scheduled(
    pods: Pods, made: Work, pools: Pools, space: tuple[str, Object], classes: Classes | None
) -> Finding:
    """Where pods can run; `space` is their namespace's name and annotations."""
    what = f"{made.name}: {pods.path}"
    if pods.problems:
        return wrong(what, "; ".join(map(str, pods.problems)))
    unjudged, refused = made.starting(pods, NOT_JUDGED), made.starting(pods, REFUSED)
    if refused:
        return wrong(what, "; ".join(f"{path}: {reason}" for path, reason in refused.items()))
    if later := gpu_limits.undecided(pods.template):
        return unknown(what, f"it {later}")
    try:
        spec = _with_gpus(namespace.admitted(pods.spec, *space))
    except PlacementError as error:
        return wrong(what, line(error))
    template = {**pods.template, "spec": spec}
    return _on_pools(what, template, pods.count, pools, unjudged=list(unjudged), classes=classes)


def _on_pools(
    what: str, template: Object, count: int, pools: Pools, *, unjudged: Sequence[str], classes: Classes | None
) -> Finding:
    """Which pools take a well-formed template; `unjudged` are fields of the object that nobody looks at."""
    spec, labels = map_at(template, "spec"), map_at(template, "metadata", "labels")
    judged = {pool.name: fit.judged(spec, pool, labels) for pool in pools.all}
    against = {
        name: next((one.text for one in results if isinstance(one, Obstacle)), "")
        for name, results in judged.items()
    }
    takers = [pool for pool in pools.all if not against[pool.name]]
    if not takers:
        reasons = "; ".join(f"{name}: the pod {reason}" for name, reason in against.items())
        return wrong(what, f"no pool takes it: {reasons}", "pass --pool NAME to check against one")
    doubts = [[one for one in judged[pool.name] if isinstance(one, NotJudged)] for pool in takers]
    there = {one.path: classes(one.path, str(one.value)) for some in doubts for one in some if classes}
    missing = [f"{path} {spec[path]!r}" for path, answer in there.items() if answer is False]
    if missing:
        return wrong(what, f"it is refused: the cluster does not have its {', '.join(missing)}")
    lines = [
        [
            str(dataclasses.replace(one.mistake("", takers), expected=""))
            for one in some
            if not there.get(one.path)
        ]
        for some in doubts
    ]
    sure = [pool for pool, some in zip(takers, lines, strict=True) if not some and not unjudged]
    names = ", ".join(pool.name for pool in sure or takers)
    if not sure:
        text = ", ".join(dict.fromkeys([*unjudged, *(text for some in lines for text in some)]))
        text = f"can run on {names}, unless this forbids it, which is not judged: {text}"
        return Finding("unknown", what, text)
    crowded = list(fit.crowding(spec, labels, takers, count))
    if crowded:
        path, most = min(crowded, key=lambda one: one[1])
        text = f"can run on {names}, {most} of {count} at a time because of its {path}"
        return Finding("note", what, text)
    return right(what, f"can run on {names}")


def _with_gpus(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with what AKS's plugin adds to pods with GPUs (docs/facts/aks.md#gpu-taint-and-admission-plugins)."""
    if fit.gpus_of(spec):
        spec["tolerations"].append({"key": GPU, "operator": "Exists"})
    return spec


def _changes(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Paths of the fields that differ; of a list, the list's."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            yield from _changes(before.get(key), after.get(key), f"{path}.{key}")
    elif before != after:
        yield path.removeprefix(".")
