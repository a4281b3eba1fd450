"""Idle hours: what a pool's nodes are billed for before the first and after the last step of a burst."""

from __future__ import annotations

import math


def idle_hours(
    *, bursts: float, nodes: int, unneeded: float, boot: float = 0.0, spare: float = math.inf
) -> float:
    """Node hours a month that are billed although nobody works in them; our own derivation.

    Each node of a burst is billed from its boot until the autoscaler takes it, `unneeded` hours after its last step. A
    burst that comes before the nodes of the last one are gone finds them still there, so this is the most.

    Args:
        bursts: how often a month steps are submitted together.
        nodes: that each of them starts: one for each step, as far as the pool may grow.
        unneeded: hours from a node's last step to its end: `scaleDownUnneededTime`, and one `scanInterval` more,
            because the autoscaler sees it idle half of that late, and looks again half of that late.
        boot: hours from a node's start to its first step.
        spare: node hours a month that the pool may have beyond those that are worked in.
    """
    return max(0.0, min(bursts * nodes * (unneeded + boot), spare))
