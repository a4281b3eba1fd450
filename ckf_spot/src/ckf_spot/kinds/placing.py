"""Places a document of any kind: one procedure for all, over what each kind says of itself."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ckf_spot.errors import EvictionWarning, Mistake, Mistakes, PlacementError
from ckf_spot.fields import Json, at, is_map, of
from ckf_spot.kinds import table
from ckf_spot.kinds.kind import Kind, Path, Pods, Wish, dotted, told
from ckf_spot.kinds.serialise import plain
from ckf_spot.placement import Placement
from ckf_spot.pods import gpu_limits, shape, strict_schema, template
from ckf_spot.pool_group import PoolGroup


@dataclass(frozen=True)
class Placed:
    """A placed document.

    Attributes:
        document: as the API server wants it.
        doubts: how an eviction would still lose its work; empty where it would not.
    """

    document: Json
    doubts: tuple[str, ...]


def place(document: object, group: PoolGroup, wish: Wish | None = None) -> Placed:
    """Places a document.

    Args:
        document: a dict, or an object of an SDK (see `serialise.plain`); it stays as it is.
        group: the pools.
        wish: how; None: spot first.

    Raises:
        PlacementError: with every mistake.
    """
    wish = wish or Wish()
    made = plain(document)
    parts = list(_parts(made, table.kind_of(made)))
    mistakes = Mistakes()
    placement = mistakes.of(lambda: group.placement(prefer=wish.prefer, require=wish.require))
    mistakes.add(_wish_problems(parts, wish))
    pools: dict[Path, Placement] = {}
    for part in parts:
        around = part.problems(wish)
        mistakes.add(around)
        if placement and not around:
            mistakes.add(part.below(part.kind.misfits(part.document, placement, wish)))
        for pods, path in part.pods(wish):
            malformed = list(_malformed(made, path, covered=any(each.covers(path) for each in parts)))
            mistakes.add(malformed)
            if placement and not malformed:
                found, where = at(made, *path), dotted(path)
                pool = mistakes.of(partial(_placement_of, pods, found, where, placement, group))
                if pool:
                    pools[path] = pool
                    mistakes.add(template.placement_problems(found, pool, where))
    mistakes.tell()
    assert placement is not None  # noqa: S101 - or a mistake would have been told
    doubts = [each for part in parts for each in part.kind.doubts(part.document, placement, wish)]
    for path, pool in pools.items():
        at(made, *path[:-1])[path[-1]] = template.place_template(at(made, *path), pool)
    for part in parts:
        part.kind.place(part.document, placement, wish)
    return Placed(made, tuple(dict.fromkeys(doubts)))


def placed_object(document: object, group: PoolGroup, **wish: Any) -> Json:
    """A document placed from Python.

    Args:
        document: see `place`.
        group: the pools.
        wish: the attributes of `Wish`.

    Raises:
        PlacementError: with every mistake.

    Warns:
        EvictionWarning: once for each way in which an eviction would still lose the work.
    """
    placed = place(document, group, Wish(**wish))
    name = placed.document.get("kind"), of(placed.document, "metadata").get("name")
    for doubt in placed.doubts:
        text = f"{'/'.join(map(str, filter(None, name)))}: {doubt}"
        warnings.warn(text, EvictionWarning, stacklevel=3)
    return placed.document


@dataclass(frozen=True)
class _Part:
    """A document, or one inside another.

    Attributes:
        path: where it is in the whole.
    """

    kind: Kind
    path: Path
    document: Json

    def below(self, found: Iterator[Mistake]) -> list[Mistake]:
        """Mistakes with this part's path before theirs."""
        where = dotted(self.path)
        return [dataclasses.replace(each, path=".".join(filter(None, (where, each.path)))) for each in found]

    def problems(self, wish: Wish) -> list[Mistake]:
        """What is wrong with it besides its pods."""
        found = self.below(self.kind.problems(self.document, wish))
        if self.kind.schema and strict_schema.available():
            known = {each.path for each in found}
            schema = strict_schema.problems(self.kind.schema, self.document, dotted(self.path))
            found += [each for each in schema if each.path not in known]
        return found

    def pods(self, wish: Wish) -> Iterator[tuple[Pods, Path]]:
        """Its pods, with their paths in the whole."""
        for pods in self.kind.pods(self.document, wish):
            yield pods, (*self.path, *pods.path)

    def covers(self, path: Path) -> bool:
        """Whether its schema sees a template."""
        return self.kind.schema is not None and path[: len(self.path)] == self.path


def has_roles(document: object) -> bool:
    """Whether `Wish.also` means something for a document of a known kind."""
    return is_map(document) and any(
        each.kind.has_roles for each in _parts(dict(document), table.kind_of(document))
    )


def _parts(document: Json, kind: Kind, path: Path = ()) -> Iterator[_Part]:
    yield _Part(kind, path, document)
    for inner, inner_kind in kind.inner(document):
        if is_map(at(document, *inner)):
            yield from _parts(at(document, *inner), inner_kind, (*path, *inner))


def _wish_problems(parts: list[_Part], wish: Wish) -> Iterator[Mistake]:
    """What of the wish fits no part; a part around others, such as an experiment, leaves that to them."""
    for part in parts:
        if not any(True for _ in part.kind.inner(part.document)):
            yield from part.kind.wish_problems(part.document, wish)


def _malformed(document: Json, path: Path, *, covered: bool) -> Iterator[Mistake]:
    """What is wrong with a template by itself."""
    found, where = at(document, *path), dotted(path)
    wrong = shape.template_problems(found, where)
    yield from wrong
    if not covered and is_map(found) and strict_schema.available():
        known = {each.path for each in wrong}
        schema = strict_schema.problems(strict_schema.TEMPLATE, found, where)
        yield from (each for each in schema if each.path not in known)


def _placement_of(
    pods: Pods, found: Mapping[str, Any], where: str, placement: Placement, group: PoolGroup
) -> Placement | None:
    """Where pods go; None: they stay where they are.

    Raises:
        PlacementError: they must stay, but would wait forever for a GPU.
    """
    if pods.moves:
        return placement
    if not gpu_limits.asked(gpu_limits.of_template(found)):
        return None
    if group.gpus:
        try:
            return group.placement(require="on-demand")
        except PlacementError as error:
            reason, way = str(error), f"also=({pods.role!r},) puts it on spot"
    elif any(of(found, "spec").get(key) for key in ("nodeSelector", "affinity", "tolerations")):
        return None  # the user has placed it
    else:
        reason, way = f"{group.name!r} has none", "expected a pool with GPUs, or a node selector of its own"
    raise PlacementError(told(where, f"{pods.role} asks for a GPU and must not vanish: {reason}", way))
