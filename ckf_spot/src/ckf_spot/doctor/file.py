"""Looks at a file: whether its pods find a pool as they are, and what placing would change."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ckf_spot.agent_pool import GPU
from ckf_spot.doctor import namespace
from ckf_spot.doctor.findings import Finding, line, right, unknown, wrong
from ckf_spot.doctor.work import Pods, pods
from ckf_spot.errors import PlacementError
from ckf_spot.fields import copied, of
from ckf_spot.kinds import manifests
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.pipelines import compiled
from ckf_spot.pods import shape
from ckf_spot.pool_group import PoolGroup
from ckf_spot.pools import Pools
from ckf_spot.where.matching import obstacle
from ckf_spot.where.parse import constraints

_SHOWN: Final = 6
"""Fields of a change that a line names."""


def look(
    documents: Sequence[Mapping[str, Any]],
    origin: str,
    pools: Pools,
    noted: Mapping[str, Any],
) -> Iterator[Finding]:
    """Whether each pod finds a pool, as the file is.

    Args:
        documents: the file's, of one namespace.
        origin: its name.
        pools: the cluster's.
        noted: the namespace's annotations.
    """
    some = False
    for document in documents:
        for each in pods(document):
            some = True
            yield _scheduled(each, f"{name_of(document)}: {each.path}", pools, noted)
    if not some:
        yield unknown(origin, "no pod's template is in it; --pool NAME looks at tasks and trials")


def placing(
    documents: Sequence[Mapping[str, Any]], origin: str, group: PoolGroup, request: PlacingRequest
) -> Iterator[Finding]:
    """Whether the file is placed as wished, or what placing would change or refuse."""
    what = f"{origin} on {group.name}"
    try:
        placed, notes = _placed(documents, origin, group, request)
    except PlacementError as error:
        for each in error.mistakes:
            yield wrong("can't be placed", str(each))
        return
    changed = False
    for before, after in zip(_compared(documents), _compared(placed), strict=True):
        fields = list(dict.fromkeys(_changes(before, after)))
        changed |= bool(fields)
        if fields:
            more = f" and {len(fields) - _SHOWN} more" if len(fields) > _SHOWN else ""
            yield wrong(
                f"{name_of(before)} on {group.name}",
                f"placed differently: placing would set {', '.join(fields[:_SHOWN])}{more}",
                f"ckf-spot place -f {origin} --pool {group.name}",
            )
    if not changed:
        yield right(what, "placed already")
    for note in notes:
        yield Finding("note", "note", note)


def _placed(
    documents: Sequence[Mapping[str, Any]], origin: str, group: PoolGroup, request: PlacingRequest
) -> tuple[Sequence[Mapping[str, Any]], Sequence[str]]:
    """The documents as `ckf-spot place` would write them, and its notes."""
    if not any(map(compiled.is_compiled, documents)):
        found = manifests.place(documents, group, request, origin)
        return found.documents, found.notes
    try:
        placed, report = compiled.place(documents, group, require=request.require)
    except PlacementError as error:
        raise PlacementError(*(each.under(origin) for each in error.mistakes)) from None
    left = [f"{origin}: {row.task}: {row.outcome}: {row.note}" for row in report.rows if not row.pools]
    return placed, left


def _compared(documents: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """One by one, but a compiled pipeline's as one: its second document may be yet to come."""
    if any(map(compiled.is_compiled, documents)):
        return [dict(ChainMap(*map(dict, documents)))]
    return documents


def name_of(document: Mapping[str, Any]) -> str:
    """Kind and name."""
    if compiled.is_compiled(document):
        return f"pipeline/{of(document, 'pipelineInfo').get('name')}"
    metadata = of(document, "metadata")
    return f"{document.get('kind')}/{metadata.get('name') or metadata.get('generateName') or '-'}"


def namespace_of(document: Mapping[str, Any]) -> str | None:
    """The namespace that a document names, or None."""
    found = of(document, "metadata").get("namespace")
    return found if isinstance(found, str) and found else None


def _scheduled(work: Pods, what: str, pools: Pools, noted: Mapping[str, Any]) -> Finding:
    template = {"spec": copied(work.spec)}
    problems = shape.template_problems(template, work.path.removesuffix(".spec"))
    if problems:
        return wrong(what, "; ".join(map(str, problems)))
    try:
        wishes = constraints(_with_gpus(namespace.admitted(work.spec, noted)))
    except PlacementError as error:
        return wrong(what, line(error))
    except TypeError as error:
        return wrong(what, f"tolerations or affinity: {error}")
    against = {pool.name: obstacle(pool, wishes) for pool in pools.all}
    takers = [name for name, reason in against.items() if not reason]
    if takers:
        return right(what, f"can run on {', '.join(takers)}")
    reasons = "; ".join(f"{name}: {reason}" for name, reason in against.items())
    return wrong(what, f"no pool takes it: {reasons}", "pass --pool NAME to check against one")


def _with_gpus(spec: dict[str, Any]) -> dict[str, Any]:
    """With what AKS's plugin adds to pods with GPUs (docs/facts/aks.md#gpu-taint-and-admission-plugins)."""
    if constraints(spec).gpus:
        spec["tolerations"].append({"key": GPU, "operator": "Exists"})
    return spec


def _changes(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Paths of the fields that differ; of a list, the list's."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            yield from _changes(before.get(key), after.get(key), f"{path}.{key}")
    elif before != after:
        yield path.removeprefix(".")
