"""What each change means for running work, access, data and money, from one table: `meanings.csv`.

`docs/change-matrix.md` lists what edits of a stack file change; a test looks up each of these changes in the table. A
change that the table lacks is reported as not judged.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, cast

from kubeflow_aks.json_values import is_mapping
from kubeflow_aks.pull_request.differences import differences
from kubeflow_aks.pull_request.observed import UNKNOWN, Change
from kubeflow_aks.pull_request.report.impacts.impact import Impact, Level, impact, listed, quoted
from kubeflow_aks.pull_request.report.impacts.pools import Pair, pairs
from kubeflow_aks.pull_request.report.impacts.sides import AGENT_POOL, CLUSTER, Sides
from kubeflow_aks.text.files import rows

_POOL: Final = AGENT_POOL.rpartition(":")[2]
_COMPONENT: Final = "kubeflow-aks:index:"
"""Begins the types of this program's components, which are nothing in Azure."""
_MOST_UNJUDGED: Final = 12
"""Changes that nobody has judged that are named."""


@dataclass(frozen=True)
class Meaning:
    """One row of the table.

    Attributes:
        kind: glob of the last part of the resource's type; `Stack` for the outputs of a stack.
        name: glob of the resource's name in the program.
        path: the property, with all that is inside it; empty for the resource as a whole.
        actions: `create`, `update`, `replace`, `delete`.
        before: JSON of the value that it had; empty for any.
        after: JSON of the value that it has then; empty for any.
        condition: what must hold for the text, as in `_holding`; empty for none.
        concerns: `work`, `access`, `data`, `money` or `nothing`.
        level: as in `Impact`; empty without a text.
        text: sentences with `{names}` of the resources, `{before}` and `{after}`; empty if `worded_by` has them.
        worded_by: module of this package whose words depend on the rest of the stack; empty for none.
        source: document, page of this repository, or reason.
    """

    kind: str
    name: str
    path: str
    actions: frozenset[str]
    before: str
    after: str
    condition: str
    concerns: str
    level: str
    text: str
    worded_by: str
    source: str

    def covers(self, kind: str, name: str, action: str, path: str) -> bool:
        """Whether it is about such a change, whatever the values are."""
        inside = not self.path or path == self.path or path.startswith((f"{self.path}.", f"{self.path}["))
        named = fnmatchcase(kind, self.kind) and fnmatchcase(name, self.name)
        return inside and named and action in self.actions

    def fits(self, before: Any, after: Any) -> bool:
        """Whether it is about these values."""
        return all(
            not expected or json.loads(expected) == value
            for expected, value in ((self.before, before), (self.after, after))
        )


@dataclass(frozen=True)
class Part:
    """One property of one resource that changes; `path` is empty for the resource as a whole."""

    urn: str
    kind: str
    name: str
    shown: str
    action: str
    path: str
    before: Any = None
    after: Any = None


@cache
def table() -> Sequence[Meaning]:
    """The rows; the first that is about a change counts."""
    return tuple(
        Meaning(
            path=row.pop("property"),
            actions=frozenset(row.pop("changes").split()),
            condition=row.pop("while"),
            **cast(dict[str, Any], row),
        )
        for row in rows(Path(__file__).with_name("meanings.csv"))
    )


def meaning_of(part: Part) -> Meaning | None:
    """The row about a change; None if the table has none."""
    return next(
        (
            row
            for row in table()
            if row.covers(part.kind, part.name, part.action, part.path) and row.fits(part.before, part.after)
        ),
        None,
    )


def impacts(sides: Sides) -> Iterator[Impact]:
    """One impact for all resources with the same meaning, and one for all that nobody has judged.

    Resources of a new stack are not judged one by one: nothing runs there yet.
    """
    if not sides.before.resources:
        return
    alike: dict[str, tuple[Meaning, Part, list[str]]] = {}
    unjudged: dict[str, list[str]] = {}
    later: dict[str, list[str]] = {}
    holding = _holding(sides)
    for part in _parts(sides):
        meaning = meaning_of(part)
        if meaning is None:
            if part.urn not in sides.azure_refuses:
                where = later if part.after == UNKNOWN else unjudged
                where.setdefault(f"{part.action} {part.kind} {quoted(part.shown)}", []).append(part.path)
        elif meaning.text and meaning.condition in holding:
            key = json.dumps([meaning.text, part.before, part.after], sort_keys=True, default=str)
            alike.setdefault(key, (meaning, part, []))[2].append(part.shown)
    for meaning, part, names in alike.values():
        text = meaning.text.format(
            names=listed(list(dict.fromkeys(names))), before=_value(part.before), after=_value(part.after)
        )
        yield impact(f"{part.kind}.{meaning.path}".rstrip("."), cast(Level, meaning.level), names[0], text)
    if unjudged:
        text = "Not judged, because no rule here has what it means for work, access, data or money"
        yield _listing("not-judged", "caution", text, unjudged)
    if later:
        text = "Not judged, because only `pulumi up` knows whether the value changes"
        yield _listing("known-after-up", "news", text, later)


def _listing(kind: str, level: Level, text: str, changes: dict[str, list[str]]) -> Impact:
    described = [
        f"{change} ({listed(paths, 3)})" if (paths := list(filter(None, properties))) else change
        for change, properties in changes.items()
    ]
    more = len(described) - _MOST_UNJUDGED
    rest = f"; and {more} more" if more > 0 else ""
    return impact(kind, level, next(iter(changes)), f"{text}: {'; '.join(described[:_MOST_UNJUDGED])}{rest}.")


def _holding(sides: Sides) -> set[str]:
    """The conditions of rows that hold: the head has spot pools or GPU pools, both sides have the same pools."""
    both = pairs(sides)
    after = [pair.after for pair in both if pair.after]
    conditions = {
        "": True,
        "spot pools": any(pool.spot for pool in after),
        "GPU pools": any(pool.role == "gpu" for pool in after),
        "the same pools": all(pair.before and pair.after for pair in both),
    }
    return {name for name, holds in conditions.items() if holds}


def _parts(sides: Sides) -> Iterator[Part]:
    for pair in pairs(sides):
        yield from _of_own_pool(pair, sides)
    for change in sides.changes.values():
        if not change.type.startswith((_COMPONENT, "pulumi:")):
            yield from _of(change, sides)
    for one in differences("", sides.before.outputs, sides.after.outputs):
        if one.path.startswith("costBasis.officeHours"):
            yield Part("", "Stack", "", "", "update", one.path, one.before, one.after)


def _of_own_pool(pair: Pair, sides: Sides) -> Iterator[Part]:
    """The differences of a pool that the cluster defines, as those of a pool of its own."""
    if not (pair.before and pair.after and pair.before.inline and pair.after.inline):
        return
    change = sides.changes.get(pair.after.urn)
    if change is None or change.action != "update":
        return
    part = partial(Part, pair.after.urn, _POOL, pair.after.name, pair.after.name, "update")
    for one in differences("", dict(pair.before.inputs), dict(pair.after.inputs)):
        if one.after != UNKNOWN:  # of an id that a preview does not know again
            yield part(one.path, one.before, one.after)


def _of(change: Change, sides: Sides) -> Iterator[Part]:
    shown = change.name
    if change.type == AGENT_POOL:
        resource = sides.after.resources.get(change.urn) or sides.before.resources.get(change.urn)
        shown = str(resource.inputs.get("agentPoolName") or shown) if resource else shown
    part = partial(Part, change.urn, change.type.rpartition(":")[2], change.name, shown, change.action)
    if change.action != "update":
        yield part("")
        return
    for one in change.differences:
        if change.type == CLUSTER and one.path.startswith("agentPoolProfiles"):
            continue  # read from both sides, pool by pool
        nested = is_mapping(one.before) and is_mapping(one.after)
        for inner in differences(one.path, dict(one.before), dict(one.after)) if nested else [one]:
            yield part(inner.path, inner.before, inner.after)


def _value(value: Any) -> str:
    """A value in a sentence, a mapping as `key` and value one after the other."""
    if value is None:
        return "not set"
    if is_mapping(value):
        return ", ".join(f"{key} {_value(item)}" for key, item in sorted(value.items()))
    if isinstance(value, list | tuple):
        return listed([str(item) for item in cast(list[Any], value)])
    if isinstance(value, bool):
        return quoted(str(value).lower())
    return quoted(value)
