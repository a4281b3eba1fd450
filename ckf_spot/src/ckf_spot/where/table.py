"""The report for people: a table that fits the terminal, and a line for each violation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from ckf_spot.where.endings import Course, Ending
from ckf_spot.where.observations import Look, Pod
from ckf_spot.where.report import Report, lost_on, state

HEADER: Final = ("NAMESPACE", "WORK", "POD", "POOL", "CAPACITY", "STATE", "SINCE", "EVICTED")
"""Columns; the first is left out where one namespace is told of."""
_SHRINKING: Final = ("POD", "WORK", "NAMESPACE")
"""Columns that are cut where the terminal is narrow, the widest one first."""
_NARROWEST: Final = 12
_GAP: Final = "  "
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))


def table(report: Report, width: int | None) -> str:
    """Text that ends with a newline.

    Args:
        report: what to show; pods that are gone show as evictions of their work.
        width: of the terminal, in characters; None: whatever it takes.
    """
    lines: list[str] = []
    rows = [row for course in report.courses for row in _rows(course, report.look)]
    if rows:
        lines += _aligned([HEADER, *rows], width, with_namespace=report.look.namespace is None)
    else:
        scope = f"namespace {report.look.namespace}" if report.look.namespace else "the cluster"
        lines.append(f"There is no pod in {scope}.")
    if report.violations:
        lines += ["", *(f"✘ {each}" for each in report.violations)]
    if report.notes:
        lines += ["", *(f"({note})" for note in report.notes)]
    return "\n".join(lines) + "\n"


def _rows(course: Course, look: Look) -> Iterator[tuple[str, ...]]:
    shown = [entry for entry in course.pods if not entry[0].gone] or course.pods[-1:]
    for number, (pod, ending) in enumerate(shown):
        place = look.place(pod.node)
        yield (
            pod.namespace,
            str(course.work) if course.work.kind != "Pod" else "Pod",
            pod.name,
            place.pool or "-",
            (place.capacity or "unknown") if pod.node else "-",
            state(pod, ending),
            _since(pod, ending, look),
            _evicted(course, look) if number == 0 else "",
        )


def _evicted(course: Course, look: Look) -> str:
    pools = lost_on(course, look)
    origin = f" from {', '.join(pools)}" if pools else ""
    text = f"{course.evictions}{origin}"
    return f"{text}, {course.unexplained} unexplained" if course.unexplained else text


def _since(pod: Pod, ending: Ending, look: Look) -> str:
    """How long it has been in its state."""
    moment = ending.at if ending.end else pod.started or pod.scheduled or pod.waiting_since or pod.created
    return age(look.time - moment) if moment else "-"


def age(span: timedelta) -> str:
    """A span in its two largest units at most: `42s`, `5m`, `3h20m`, `12d`."""
    seconds = max(int(span.total_seconds()), 0)
    for size, (length, unit) in enumerate(_UNITS):
        if seconds >= length or unit == "s":
            rest = (seconds % length) // _UNITS[size + 1][0] if unit == "h" else 0
            return f"{seconds // length}{unit}" + (f"{rest}m" if rest else "")
    return "0s"


def _aligned(rows: Sequence[Sequence[str]], width: int | None, *, with_namespace: bool) -> Iterator[str]:
    keep = [number for number, name in enumerate(HEADER) if name != "NAMESPACE" or with_namespace]
    columns = {HEADER[number]: [row[number] for row in rows] for number in keep}
    widths = {name: max(map(len, cells)) for name, cells in columns.items()}
    if width is not None:
        excess = sum(widths.values()) + len(_GAP) * (len(widths) - 1) - width
        for _ in range(excess):
            widest = max((name for name in _SHRINKING if name in widths), key=lambda name: widths[name])
            widths[widest] = max(widths[widest] - 1, _NARROWEST)
    for cells in zip(*columns.values(), strict=True):
        line = _GAP.join(
            _cut(cell, widths[name]).ljust(widths[name]) for name, cell in zip(columns, cells, strict=True)
        )
        yield line.rstrip()[:width]


def _cut(text: str, width: int) -> str:
    """Its beginning and its end: pods of the same work differ at the end."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"
