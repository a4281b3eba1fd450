"""The report for people: a table that fits the terminal, and a line for each violation."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from ckf_spot.where.endings import Course, Ending
from ckf_spot.where.observations import Look, Pod
from ckf_spot.where.report import Report, lost_on, state

HEADER: Final = ("NAMESPACE", "WORK", "POD", "POOL", "CAPACITY", "STATE", "SINCE", "EVICTED")
"""Columns; the first is left out where only one namespace is shown."""
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
    rows = [row for course in _with_drivers_as_one(report.courses) for row in _rows(course, report.look)]
    if rows:
        lines += _aligned([HEADER, *rows], width, with_namespace=report.look.namespace is None)
    else:
        scope = f"namespace {report.look.namespace}" if report.look.namespace else "the cluster"
        lines.append(f"There is no pod in {scope}.")
    if report.violations:
        lines += ["", *(f"✘ {violation}" for violation in report.violations)]
    if report.notes:
        lines += ["", *(f"({note})" for note in report.notes)]
    return "\n".join(lines) + "\n"


def _with_drivers_as_one(courses: Iterable[Course]) -> Iterator[Course]:
    """The courses with all the drivers of a pipeline's run as one, behind its steps."""
    for _, run in groupby(
        courses, key=lambda course: (course.work.namespace, course.work.kind, course.work.name)
    ):
        drivers: list[Course] = []
        for course in run:
            if course.pods[-1][0].role == "helper":
                drivers.append(course)
            else:
                yield course
        if drivers:
            pods = tuple(entry for course in drivers for entry in course.pods)
            yield Course(replace(drivers[0].work, part="drivers"), pods)


def _rows(course: Course, look: Look) -> Iterator[tuple[str, ...]]:
    shown = [entry for entry in course.pods if not entry[0].gone] or course.pods[-1:]
    if course.pods[-1][0].role == "helper" and len(course.pods) > 1:
        yield _as_one(course, look)
        return
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


def _as_one(course: Course, look: Look) -> tuple[str, ...]:
    """One row for many pods."""
    places = [look.place(pod.node) for pod, _ in course.pods if pod.node]
    states = Counter(state(pod, ending) for pod, ending in course.pods)
    since = [_changed(pod, ending) or pod.created for pod, ending in course.pods]
    return (
        course.work.namespace,
        str(course.work),
        f"{len(course.pods)} pods",
        _without_repeats(place.pool or "-" for place in places) or "-",
        _without_repeats(place.capacity or "unknown" for place in places) or "-",
        ", ".join(f"{count} {word}" for word, count in states.items())
        if len(states) > 1
        else next(iter(states)),
        age(look.time - max(since)),
        _evicted(course, look),
    )


def _without_repeats(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _evicted(course: Course, look: Look) -> str:
    pools = lost_on(course, look)
    origin = f" from {', '.join(pools)}" if pools else ""
    text = f"{course.evictions}{origin}"
    return f"{text}, {course.unexplained} unexplained" if course.unexplained else text


def _since(pod: Pod, ending: Ending, look: Look) -> str:
    """How long it has been in its state."""
    moment = _changed(pod, ending)
    return age(look.time - moment) if moment else "-"


def _changed(pod: Pod, ending: Ending) -> datetime | None:
    """When it got into its state, None where that is not known."""
    return ending.at if ending.end else pod.started or pod.scheduled or pod.waiting_since or pod.created


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
