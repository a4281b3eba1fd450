"""Limits of the time that work may take in all: they run on while its pods wait for nodes, and over all repeats."""

import dataclasses
from collections.abc import Iterator
from typing import Final

from ckf_spot import durations
from ckf_spot.errors import Mistake
from ckf_spot.fields import is_count

GENEROUS: Final = 7 * 86_400
"""Seconds from which on a limit outlasts evictions and sold-out spot nodes: as long as a placed task is tried again."""
_GROWTH: Final = 64
"""Waits that grow are longer than any window by then."""


def deadline_doubts(field: str, seconds: object, work: str) -> Iterator[str]:
    """A deadline that evictions, or the wait for spot nodes, can use up.

    Args:
        field: its path.
        seconds: its value, of any type.
        work: what it ends.
    """
    if is_count(seconds) and seconds < GENEROUS:
        yield (
            f"{field} ends {work} after {durations.text(seconds)}, in which it also waits for nodes and starts again "
            "after evictions: leave it out, or make it long enough for that"
        )


def window_problems(path: str, end: int, *, limit: int, wait: int, factor: float = 1) -> Iterator[Mistake]:
    """A window that closes before the last retry: Argo then kills what runs (argoproj/argo-workflows#13044).

    Args:
        path: of the window, for messages.
        end: seconds from the first attempt's start in which Argo retries.
        limit: retries.
        wait: seconds before the first of them.
        factor: how many times as long each wait is as the one before.
    """
    last = int(limit * wait if factor <= 1 else wait * (factor ** min(limit, _GROWTH) - 1) / (factor - 1))
    if not last or end > last:
        return
    waits = (
        f"each after {durations.text(wait)}"
        if factor <= 1
        else f"after waits of {durations.text(last)} in all"
    )
    yield Mistake(
        path,
        durations.text(end),
        f"expected more than {durations.text(last)!r}, by the time that all attempts take",
        f"is over before the last of {limit} retries starts, {waits}, and Argo kills what runs then",
    )


def window_doubts(path: str, end: int, *, limit: int, wait: int, factor: float = 1) -> Iterator[Mistake]:
    """Why a window of retries is too short for evictions, which is not certain; see `window_problems`."""
    problems = [*window_problems(path, end, limit=limit, wait=wait, factor=factor)]
    if not problems and end < GENEROUS:
        problem = "after its first attempt began nothing is tried again, and Argo kills a retry that runs"
        expected = f"waits for nodes count too, so set {durations.text(GENEROUS)!r}"
        problems = [Mistake(path, durations.text(end), expected, problem)]
    yield from (dataclasses.replace(problem, certain=False) for problem in problems)
