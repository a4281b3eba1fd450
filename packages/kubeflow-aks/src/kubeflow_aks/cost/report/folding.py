"""A long bill on one page: what is alike is one line, the largest come first, the rest is one sum; JSON has all."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from kubeflow_aks.cost.bill import Line, WorkCost
from kubeflow_aks.cost.figures import Range, total

MOST: Final = 20
"""Rows of one kind; with more the page is folded (our choice)."""
_MANY_NAMES: Final = 10
_MOST_NAMES: Final = 3
_T = TypeVar("_T")


def lines(part: Sequence[Line]) -> tuple[Line, ...]:
    """The lines of one part of a bill; of more than `MOST` those of the same nodes are one line."""
    if len(part) <= MOST:
        return tuple(part)
    disks = {line.pool: line for line in part if line.pool and line.hours is None}
    alike: dict[tuple[object, ...], list[Line]] = {}
    for line in part:
        if disks.get(line.pool) is not line:
            key = (line.nodes, line.quotes, line.hourly) if line.nodes else (line.name,)
            alike.setdefault(key, []).append(line)
    merged = [_one(group, [disks[it.pool] for it in group if it.pool in disks]) for group in alike.values()]
    return _largest(merged, lambda line: line.amount, _rest_of_lines)


def work(kinds: Sequence[WorkCost]) -> tuple[tuple[WorkCost, ...], tuple[WorkCost, ...]]:
    """The kinds of work that are shown, the dearest first, and those that are one sum."""
    if len(kinds) <= MOST:
        return tuple(kinds), ()
    ordered = sorted(kinds, key=lambda it: -it.amount.expected)
    return tuple(ordered[: MOST - 1]), tuple(ordered[MOST - 1 :])


def notes(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """One sentence for each text, with the names that it holds for."""
    names: dict[str, list[str]] = {}
    for name, text in pairs:
        names.setdefault(text, []).append(name)
    return cut(tuple(f"{few(of)}: {text}" for text, of in names.items()))


def cut(items: Sequence[str]) -> tuple[str, ...]:
    """The first of many sentences, and how many more there are."""
    if len(items) <= MOST:
        return tuple(items)
    return (*items[: MOST - 1], f"{len(items) - MOST + 1} more, which `--format json` has")


def few(names: Sequence[str]) -> str:
    """Some names: `s00, s06, s12 and 14 more`; all of them where there are not many."""
    if len(names) <= _MANY_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"


def _largest(
    every: Iterable[_T], amount: Callable[[_T], Range], rest: Callable[[Sequence[_T]], _T]
) -> tuple[_T, ...]:
    ordered = sorted(every, key=lambda it: -amount(it).expected)
    if len(ordered) <= MOST:
        return tuple(ordered)
    return (*ordered[: MOST - 1], rest(ordered[MOST - 1 :]))


def _one(group: Sequence[Line], disks: Sequence[Line]) -> Line:
    """Pools of the same nodes as one, with their disks."""
    names = [line.name for line in group]
    shown = names[0] if len(names) == 1 else f"{len(names)} pools: {_short(names)}"
    every = [*group, *disks]
    return replace(
        group[0],
        name=f"{shown}, with OS disks" if disks else shown,
        hours=_hours(group),
        amount=total(line.amount for line in every),
        on_demand=total(line.on_demand for line in every),
    )


def _rest_of_lines(smaller: Sequence[Line]) -> Line:
    return replace(
        smaller[0],
        name=f"{len(smaller)} smaller lines",
        nodes="",
        quotes=(),
        hourly=None,
        hours=_hours(smaller),
        amount=total(line.amount for line in smaller),
        on_demand=total(line.on_demand for line in smaller),
    )


def _hours(group: Sequence[Line]) -> Range | None:
    amounts = [line.hours for line in group if line.hours is not None]
    return total(amounts) if amounts else None


def _short(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")
