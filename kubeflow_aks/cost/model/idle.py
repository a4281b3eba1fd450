"""Idle hours: what a pool's nodes are billed for before the first and after the last step of a burst."""

from __future__ import annotations

import math

from kubeflow_aks.cost.figures import HOURS_A_MONTH


def idle_hours(
    *,
    bursts: float,
    nodes: int,
    unneeded: float,
    boot: float = 0.0,
    spare: float = math.inf,
    running: float = HOURS_A_MONTH,
) -> float:
    """Node hours a month that are billed without any work in them; our own derivation.

    Each node of a burst is billed from its boot until the autoscaler removes it, `unneeded` hours after its last step,
    unless another burst comes before and finds it. Bursts begin and end by chance, as often the one as the other, so
    idle nodes wait for bursts like customers in a queue who leave after `unneeded`: where x bursts come in that time,
    1 / (1 + x) of them find no nodes and boot their own, and nodes idle (1 + x / 2) / (1 + x) of that time.
    `test_simulated_month.py` simulates it. Steps that take less than `unneeded` find nodes a little more often.

    Args:
        bursts: how often a month steps are submitted together.
        nodes: that each of them starts: one for each step, as far as the pool may grow.
        unneeded: hours from a node's last step to its end: `scaleDownUnneededTime`, and one `scanInterval` more,
            because the autoscaler sees it idle half of that late, and looks again half of that late.
        boot: hours from a node's start to its first step.
        spare: node hours a month that the pool may have beyond those that are worked in.
        running: hours a month in which the bursts come.
    """
    meanwhile = bursts / running * unneeded
    each = (unneeded * (1 + meanwhile / 2) + boot) / (1 + meanwhile)
    return max(0.0, min(bursts * nodes * each, spare))
