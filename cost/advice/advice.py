"""Advice: lines of a stack file, and what the bill is with them. Data only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cost.figures import Range

Path = tuple[str, ...]
"""Of a setting, `("pools", "cpuspot", "maxCount")`; names that people chose may hold dots."""


@dataclass(frozen=True)
class Change:
    """Something that may lower the bill; nobody has tried it yet.

    Attributes:
        topic: what it is about, such as `size of cpuspot`; no other change has it.
        sentence: what it is, one sentence.
        values: the settings that change, JSON types.
        said: what the reader should know before doing it, one sentence each.
        alone: whether it is a decision of its own that `all of these` leaves out: another region, less support.
    """

    topic: str
    sentence: str
    values: Mapping[Path, Any]
    said: tuple[str, ...] = ()
    alone: bool = False


@dataclass(frozen=True)
class Advice:
    """What was tried and lowers the bill.

    Attributes:
        sentence: what it is, one sentence.
        lines: what the stack file says under `config:` then, in place of the same keys.
        before: the whole bill of a month as the stack is.
        after: with those lines.
        said: what the reader should know before doing it, one sentence each.
        alone: whether `all of these` leaves it out.
    """

    sentence: str
    lines: tuple[str, ...]
    before: Range
    after: Range
    said: tuple[str, ...] = ()
    alone: bool = False

    @property
    def saves(self) -> float:
        """A month; `math.inf` where the work would never get done before."""
        return self.before.expected - self.after.expected

    @property
    def share(self) -> float:
        """Of the bill before."""
        return 1.0 if math.isinf(self.before.expected) else self.saves / self.before.expected


@dataclass(frozen=True)
class Advised:
    """All advice for one stack.

    Attributes:
        currency: of every amount.
        on_demand: the whole bill of a month if the work ran on demand in the stack as it is.
        each: best first, each on its own.
        together: what can be done at once; None where that is less than two of them.
        taken: sentences of what `together` is made of, in that order.
    """

    currency: str
    on_demand: Range
    each: tuple[Advice, ...]
    together: Advice | None = None
    taken: tuple[str, ...] = ()
