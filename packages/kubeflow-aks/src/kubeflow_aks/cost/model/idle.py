"""Idle hours: what a pool's nodes are billed for before the first and after the last step of a burst."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.cost.figures import HOURS_A_MONTH

_DELETION: Final = 7 / 3600
"""Hours from the autoscaler's decision to the end of a VM: the taint, 5 s of pause after it
(`--node-delete-delay-after-taint`), and the deletion; as the simulation has it."""


@dataclass(frozen=True)
class Bursts:
    """Steps of one kind of work that are submitted together.

    Attributes:
        number: how often a month.
        nodes: that each of them starts: those of all its steps, as far as the pool may grow.
        boot: hours from a new node's start until a step works on it.
    """

    number: float
    nodes: int
    boot: float = 0.0


@dataclass(frozen=True)
class Idle:
    """Hours without work.

    Attributes:
        hours: node hours a month, one figure for each kind of work.
        boots: share of the bursts that find no nodes and boot their own.
    """

    hours: tuple[float, ...]
    boots: float


def tail(unneeded: float, scan: float) -> float:
    """Hours from a node's last step to its end, by `scaleDownUnneededTime` and `scanInterval`, also in hours.

    The autoscaler finds it idle half a scan late, and removes it at the first scan at which it was unneeded for *more*
    than its time, which is a whole scan late where that time is a multiple of the scan. The simulation does the same.
    """
    return unneeded + 1.5 * scan + _DELETION if unneeded or scan else 0.0


def idle(kinds: Sequence[Bursts], *, unneeded: float, running: float = HOURS_A_MONTH) -> Idle:
    """Node hours a month of one pool that are billed without any work in them; our own derivation.

    Each node of a burst is billed from its boot until the autoscaler removes it, `unneeded` hours after its last step,
    unless another burst comes before and finds it, of whatever kind of work: so all of a pool's bursts count, and a
    kind of work that is split in two costs the same. Bursts begin and end by chance, as often the one as the other, so
    idle nodes wait for bursts like customers in a queue who leave after `unneeded`: where x bursts come in that time,
    1 / (1 + x) of them find no nodes and boot their own, and nodes idle (1 + x / 2) / (1 + x) of that time.
    `test_simulated_month.py` simulates it. Steps that take less than `unneeded` find nodes a little more often.

    Args:
        kinds: the pool's work.
        unneeded: hours from a node's last step to its end (`tail`).
        running: hours a month in which the bursts come.
    """
    meanwhile = sum(one.number for one in kinds) / running * unneeded
    hours = tuple(
        one.number * one.nodes * (unneeded * (1 + meanwhile / 2) + one.boot) / (1 + meanwhile)
        for one in kinds
    )
    return Idle(hours, 1 / (1 + meanwhile))
