"""What a drill measured beside what was assumed, and the bill that follows."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Final

from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.measured import Measured, PoolTimes, spread
from kubeflow_aks.cost.report.observation import outcome
from kubeflow_aks.text.blocks import Block, Items, Paragraph, Section, Table
from kubeflow_aks.text.numbers import counted

_HEAD: Final = ("Pool", "VM", "Nodes", "Boot", "Start", "Evictions", "Notice", "Drained", "Running again")
_UNCHANGED: Final = "The bill is unchanged: no work uses the measured restart."
_STALE: Final = timedelta(days=365)
"""Age from which on a warning stands beside it, as for prices."""


def section(measured: Measured, sizes: Mapping[str, str], before: Bill, after: Bill, today: date) -> Section:
    """What was measured on each pool, and its effect on the bill; the sizes are the VM sizes of the stack's pools."""
    title = f"What a drill measured on {measured.day}"
    rows = tuple(_row(name, times) for name, times in measured.pools.items())
    blocks: list[Block] = [Table(_HEAD, rows, range(2, len(_HEAD)))] if rows else []
    unchanged = before.amount() == after.amount()
    blocks.append(Paragraph(_UNCHANGED if unchanged else outcome("With what was measured", before, after)))
    blocks.append(Items(tuple(_notes(measured, sizes, before, today))))
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
    middle = spread(times)
    if middle is None:
        return ""
    low, high = f"{middle.low:.0f}", f"{middle.high:.0f}"
    return f"{middle.expected:.0f} s" + (f" ({low} to {high})" if low != high else "")


def _notes(measured: Measured, sizes: Mapping[str, str], bill: Bill, today: date) -> Iterator[str]:
    if measured.stack != bill.stack:
        yield f"it was measured on stack {measured.stack}, not on {bill.stack}"
    if measured.location != bill.region:
        yield f"it was measured in {measured.location}, this stack is in {bill.region}"
    if today - measured.day > _STALE:
        yield f"it was measured on {measured.day}, more than a year ago; run a drill again"
    for name, times in measured.pools.items():
        if times.vm_size != sizes[name]:
            yield (
                f"{name}: measured on {times.vm_size}, its nodes are {sizes[name]} now; its restart is unchanged"
            )
        elif times.restart is None:
            yield f"{name}: no node was observed from its request until its work ran; its restart is unchanged"
        if lost := times.drained.count(False):
            yield (
                f"{name}: {counted(lost, 'eviction')} of {len(times.drained)} removed the node before its work was "
                "drained; there the last seconds save nothing, and only earlier checkpoints count"
            )
    yield (
        "a measured restart is boot and start only: a drill has a small image and reads no data; set "
        "`workload.<name>.restartMinutes` to the whole restart of your work"
    )
