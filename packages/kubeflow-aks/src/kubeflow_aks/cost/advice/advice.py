"""Advice: lines of a stack file, and what the bill is with them. Data only."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kubeflow_aks.clients.spot_placement import Desired
from kubeflow_aks.cost.figures import Range

Path = tuple[str, ...]
"""Path of a setting, `("pools", "cpuspot", "maxCount")`; names that people chose may hold dots."""


@dataclass(frozen=True)
class Change:
    """Something that may lower the bill, not tried yet.

    Attributes:
        topic: what it is about, such as `size of cpuspot`; no other change has it.
        sentence: what it is, one sentence.
        values: the settings that change, JSON types.
        notes: for the reader, before doing it; one sentence each.
        alone: whether it is a separate decision that `all of these` leaves out: another region, less support.
        needs: those of the values that are advice of their own, whose saving is not its own.
        last: whether it is for what the other changes leave, so that a combination has it after them.
    """

    topic: str
    sentence: str
    values: Mapping[Path, Any]
    notes: tuple[str, ...] = ()
    alone: bool = False
    needs: Mapping[Path, Any] = field(default_factory=dict[Path, Any])
    last: bool = False


@dataclass(frozen=True)
class Advice:
    """A change that was tried and lowers the bill.

    Attributes:
        sentence: what it is, one sentence.
        lines: for the stack file under `config:`, in place of the same keys.
        before: the whole bill of a month as the stack is.
        after: with those lines.
        notes: for the reader, before doing it; one sentence each.
        alone: whether `all of these` leaves it out.
        spot_vms: what it adds to the stack's spot pools, each with all its nodes.
        region: where they would be.
        without: the bill with what it needs alone, which is advice of its own; None where it needs nothing.
        assumed: whether it rests on a price that nobody quotes.
    """

    sentence: str
    lines: tuple[str, ...]
    before: Range
    after: Range
    notes: tuple[str, ...] = ()
    alone: bool = False
    spot_vms: tuple[Desired, ...] = ()
    region: str = ""
    without: Range | None = None
    assumed: bool = False

    @property
    def saves(self) -> float:
        """A month, by itself; `math.inf` where the work would never get done before."""
        return (self.without or self.before).expected - self.after.expected

    @property
    def share(self) -> float:
        """Share of the bill before."""
        return 1.0 if math.isinf(self.saves) else self.saves / (self.without or self.before).expected


@dataclass(frozen=True)
class Advised:
    """All advice for one stack.

    Attributes:
        currency: of every amount.
        on_demand: the whole bill of a month if the work ran on demand in the stack as it is.
        advice: single changes, best first, each on its own.
        together: all changes that can be combined; None for less than two.
        changes: sentences of the changes in `together`, in that order, with the bill after each and those before it.
        on_demand_then: as `on_demand`, of the stack with all changes of `together`; None without it.
        unknown: what may lower the bill and has no figure, one sentence each.
        refused: changes for which the subscription's quota is too small, one sentence each.
    """

    currency: str
    on_demand: Range
    advice: tuple[Advice, ...]
    together: Advice | None = None
    changes: tuple[tuple[str, Range], ...] = ()
    on_demand_then: Range | None = None
    unknown: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
