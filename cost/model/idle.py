"""Idle hours: what a pool's nodes are billed for before the first and after the last step of a burst."""

from __future__ import annotations

import re
from typing import Final

from cost.figures import HOURS_A_MONTH

_HOURS: Final = {"s": 1 / 3600, "m": 1 / 60, "h": 1.0}
_DURATION: Final = re.compile(r"(?:(\d+(?:\.\d+)?)([smh]))+")
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)([smh])")


def idle_hours(
    *, steps: float, at_once: int, most: int, tail: float, boot: float, least: int = 0, billed: float = 0.0
) -> float:
    """Node hours a month that nobody works in, although they are billed.

    A burst of `at_once` steps starts as many nodes as may run, and each is billed from its boot until the autoscaler
    takes it, `tail` hours after its last step. Our own derivation; a burst that comes before the last one's nodes are
    gone finds them, so this is the most, and never more than the pool's whole month.

    Args:
        steps: how many a month.
        at_once: of those, how many are submitted together.
        most: nodes that the pool may have.
        tail: hours from a node's last step to its end, `tail`.
        boot: hours from a node's start to its first step.
        least: nodes that never go; they are billed around the clock, so not here.
        billed: node hours a month that are worked in.
    """
    nodes = max(0, min(at_once, most) - least)
    return max(0.0, min(steps / at_once * nodes * (tail + boot), (most - least) * HOURS_A_MONTH - billed))


def tail(unneeded: str, scan: str) -> float:
    """Hours for which the autoscaler leaves an idle node alone.

    It looks each `scan`, sees a node idle half of that later on average, and removes it at the first look after
    `unneeded` ("cluster-autoscaler.md", profile settings), half a scan later again.

    Args:
        unneeded: `scaleDownUnneededTime` of the cluster's autoscaler profile, `10m`.
        scan: `scanInterval`, `10s`.
    """
    return duration(unneeded) + duration(scan)


def duration(text: str) -> float:
    """Hours of a duration as the autoscaler's profile writes it: `10m`, `20s`, `1h30m`.

    Raises:
        ValueError: it is none.
    """
    if not _DURATION.fullmatch(text):
        message = f"{text!r} is not allowed; expected a duration such as 10m or 20s"
        raise ValueError(message)
    return sum(float(number) * _HOURS[unit] for number, unit in _PART.findall(text))
