"""What a drill measured beside what was assumed, and the bill that follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Final

from cost.bill import Bill
from cost.measured import Measured, PoolTimes, spread
from cost.words import counted, money
from cost.words import spread as spread_of
from writing.blocks import Block, Items, Paragraph, Section, Table

_HEAD: Final = ("Pool", "VM", "Nodes", "Boot", "Start", "Evictions", "Notice", "Drained", "Running again")
_STALE: Final = timedelta(days=365)
"""As old as a price may be before the bill says so."""


def section(measured: Measured, sizes: Mapping[str, str], before: Bill, after: Bill, today: date) -> Section:
    """What was measured on each pool, and what that makes of the bill.

    Args:
        measured: what a drill measured.
        sizes: VM size of each pool of the stack.
        before: the bill without it.
        after: the bill with it.
        today: for the age of what was measured.
    """
    title = f"What a drill measured on {measured.day}"
    rows = tuple(_row(name, times) for name, times in measured.pools.items())
    blocks: list[Block] = [Table(_HEAD, rows, range(2, len(_HEAD)))] if rows else []
    blocks.append(Paragraph(_outcome(before, after)))
    blocks.append(Items(tuple(_said(measured, sizes, before, today))))
    return Section(title, tuple(blocks), unfolded=True)


def _row(name: str, times: PoolTimes) -> tuple[str, ...]:
    return (
        name,
        times.vm_size.removeprefix("Standard_"),
        str(len(times.boot_seconds)),
        _seconds(times.boot_seconds),
        _seconds(times.start_seconds),
        str(len(times.drained)),
        _seconds(times.notice_seconds),
        f"{sum(times.drained)} of {len(times.drained)}" if times.drained else "",
        _seconds(times.again_seconds),
    )


def _seconds(times: Iterable[float]) -> str:
    """`103 s (101 to 105)`; blank where nothing was measured."""
    found = spread(times)
    if found is None:
        return ""
    low, high = f"{found.low:.0f}", f"{found.high:.0f}"
    return f"{found.expected:.0f} s" + (f" ({low} to {high})" if low != high else "")


def _outcome(before: Bill, after: Bill) -> str:
    was, now = before.amount(), after.amount()
    if was == now:
        return "The bill stays as it was: no work takes its restart from what was measured."
    return (
        f"With what was measured the stack is expected to cost {money(now.expected, after.currency)} a month "
        f"({spread_of(now, after.currency)}); without, {money(was.expected, before.currency)} "
        f"({spread_of(was, before.currency)})."
    )


def _said(measured: Measured, sizes: Mapping[str, str], bill: Bill, today: date) -> Iterator[str]:
    if measured.stack != bill.stack:
        yield f"it was measured on stack {measured.stack}, not on {bill.stack}"
    if measured.location != bill.region:
        yield f"it was measured in {measured.location}, and this stack is in {bill.region}"
    if today - measured.day > _STALE:
        yield f"it was measured on {measured.day}, more than a year ago; run a drill again"
    for name, times in measured.pools.items():
        if times.vm_size != sizes[name]:
            yield (
                f"{name}: measured on {times.vm_size}, and its nodes are {sizes[name]} now; its restart stays as it was"
            )
        elif times.restart is None:
            yield f"{name}: no node was seen to come and start its work; its restart stays as it was"
        if lost := times.drained.count(False):
            yield (
                f"{name}: {counted(lost, 'eviction')} of {len(times.drained)} took the node before its work was "
                "drained; there the last seconds save nothing, and only earlier checkpoints count"
            )
    yield (
        "a restart is boot and start here: a drill has a small image and reads no data, so what yours take comes on "
        "top; `workload.<name>.restartMinutes` says all of it"
    )
