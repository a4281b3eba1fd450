"""Places all tasks of a pipeline, and reports where each went or why it stayed."""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence

from ckf_spot.agent_pool import GPU
from ckf_spot.errors import ABSENT, Mistake, Mistakes
from ckf_spot.fields import Object
from ckf_spot.pipelines import rules
from ckf_spot.pipelines.report import Outcome, Report, Row
from ckf_spot.pipelines.request import Request
from ckf_spot.pipelines.step import DRIVER, Step, shape_problems
from ckf_spot.pods import gpu_limits
from ckf_spot.pool_group import PoolGroup


def place(
    steps: Sequence[Step], request: Request, except_: str | Collection[str], mistakes: Mistakes
) -> Report:
    """Places every task that can be; the others keep what they have.

    Args:
        steps: the pipeline's tasks.
        request: how to place them. A task's own retries stay, and a line says so.
        except_: names of tasks, or of what is around them, that are left alone.
        mistakes: those found so far.

    Raises:
        PlacementError: with every mistake; nothing was changed then.
    """
    left_out = {except_} if isinstance(except_, str) else set(except_)
    names = {name for step in steps for name in _names(step)}
    mistakes.add(
        Mistake(
            "except_",
            name,
            f"expected {', '.join(step.path for step in steps)}",
            "is no task of the pipeline",
        )
        for name in sorted(left_out - names, key=str)
    )
    rows: list[Row] = []
    writes: list[Callable[[], None]] = []
    for step in steps:
        row, write = _decided(step, request, left_out, mistakes)
        rows.append(row)
        writes += write
    if request.placement.spot:
        placed = [step for step, row in zip(steps, rows, strict=True) if row.outcome == "placed"]
        mistakes.add([*rules.window_doubts(placed), *rules.volume_doubts(placed)])
    if not any(row.pools for row in rows):
        whys = ", ".join(f"{row.task} ({row.note})" for row in rows)
        mistakes.add(
            [Mistake("", ABSENT, "", f"none of the tasks can be placed on {request.group.name!r}: {whys}")]
        )
    mistakes.raise_all()
    for write in writes:
        write()
    return Report(tuple(rows), tuple(map(str, mistakes.doubts)))


def _decided(
    step: Step, request: Request, left_out: set[str], mistakes: Mistakes
) -> tuple[Row, Iterable[Callable[[], None]]]:
    """What becomes of a task, and what does it."""

    def row(outcome: Outcome, note: str, pools: Iterable[str] = ()) -> Row:
        return Row(step.path, outcome, tuple(pools), note)

    mistakes.add(rules.backend_problems(step, request.group.backend))
    if left_out & _names(step):
        return row("left alone", "named in except_"), ()
    if step.stays:
        mistakes.add(rules.stay_doubts(step, request))
        return row("left alone", step.stays), ()
    if malformed := list(shape_problems(step)):
        mistakes.add(malformed)
        return row("left alone", "malformed"), ()
    if before := rules.own_pools(step, request.group.cluster):
        return row(
            "placed before", _note(step.retry, rules.own_gpus(step)), (pool.name for pool in before)
        ), ()
    if step.drives:
        mistakes.add(rules.stay_doubts(step, request))
        return row("left alone", DRIVER), ()
    if misfit := _misfit(step, request.group):
        return row("left alone", misfit), ()
    if step.retry:
        request = dataclasses.replace(request, retries=0, retry=None)
    mistakes.add(rules.problems(step, request))
    owner = " of its own" if step.retry else ""
    note = _note(step.retry or request.retry, rules.gpus(step, request), owner)
    pools = (pool.name for pool in request.placement.pools)
    return row("placed", note, pools), (lambda: step.write(rules.placed(step, request)),)


def _misfit(step: Step, group: PoolGroup) -> str:
    """Why a task belongs on other pools; empty where it does not."""
    kind, amount = step.accelerator
    if gpu_limits.at_run_time(kind) or gpu_limits.at_run_time(amount):
        return "its accelerator is known at run time only"
    needed = (rules.own_gpus(step) or 0) if kind in {None, GPU} else 0
    return gpu_limits.misfit_of(needed, group.gpus, silent=amount in {None, "0"})


def _note(retry: Object | None, gpus: int | None, owner: str = "") -> str:
    """Retries and GPUs in words."""
    count = retry.get("maxRetryCount", 0) if retry else 0
    window = (
        f" within {retry['backoffMaxDuration']}" if retry and owner and "backoffMaxDuration" in retry else ""
    )
    retries = f"{count or 'no'} {'retry' if count == 1 else 'retries'}{owner}{window}"
    return f"{retries}, {gpus} GPU{'s' if gpus > 1 else ''}" if gpus else retries


def _names(step: Step) -> set[str]:
    """What calls a task: its path, a part of the path, or the path of what is around it."""
    parts = step.path.split("/")
    return {*parts, *("/".join(parts[: end + 1]) for end in range(len(parts)))}
