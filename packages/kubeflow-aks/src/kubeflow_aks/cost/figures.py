"""Figures with a range, and where they come from: prices, eviction rates, amounts of a bill."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from kubeflow_aks.exit_codes import InconclusiveError

HOURS_A_MONTH: Final = 730
"""365 days of 24 hours over 12 months, as Azure's own price calculator counts ("Azure pricing calculator")."""


@dataclass(frozen=True)
class Range:
    """An expected figure with the least and the most that its assumptions allow.

    Attributes:
        expected: what is expected, from `low` to `high`.
        high: `math.inf` where there is no upper end: an open eviction band, work that would never get done.
    """

    expected: float
    low: float
    high: float

    @classmethod
    def exactly(cls, figure: float) -> Range:
        """A figure without a range."""
        return cls(figure, figure, figure)

    def __add__(self, other: Range) -> Range:
        return Range(self.expected + other.expected, self.low + other.low, self.high + other.high)

    def __sub__(self, other: Range) -> Range:
        return Range(self.expected - other.expected, self.low - other.low, self.high - other.high)

    def __mul__(self, factor: float) -> Range:
        return Range(self.expected * factor, self.low * factor, self.high * factor)

    @property
    def figures(self) -> tuple[float, float, float]:
        """The expected, the least and the most."""
        return self.expected, self.low, self.high

    @property
    def exact(self) -> bool:
        """Whether it has no range."""
        return self.low == self.high


def total(ranges: Iterable[Range]) -> Range:
    """The sum; its ends are the sums of the ends, as if every range went the same way at once."""
    every = [one.figures for one in ranges]
    return Range(*map(sum, zip(*every, strict=True))) if every else Range.exactly(0.0)


def product(one: Range, other: Range) -> Range:
    """The product of two ranges of nothing below 0; what costs nothing costs nothing however long it takes."""
    return Range(times(one.expected, other.expected), times(one.low, other.low), times(one.high, other.high))


def times(one: float, other: float) -> float:
    """The product; nothing stays nothing, also of what has no end."""
    return 0.0 if 0.0 in (one, other) else one * other


@dataclass(frozen=True)
class Source:
    """Where a figure comes from.

    Attributes:
        name: one short phrase: `list price of Azure`, `this stack's settings`, `assumed: …`.
        day: as of which day it holds; None for an assumption, which has no age.
        assumed: whether it was neither measured nor published for this stack.
    """

    name: str
    day: date | None = None
    assumed: bool = False

    def __str__(self) -> str:
        return f"{self.name}{f', as of {self.day}' if self.day else ''}"


@dataclass(frozen=True)
class Quote:
    """A price.

    Attributes:
        price: in the bill's currency for one `unit`.
        unit: `hour`, `month`, `GiB a month` and the like.
        source: where it is from.
        warnings: one sentence each: several rows were found, the price is old or of another region.
    """

    price: Range
    unit: str
    source: Source
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Offer:
    """A lower price of an hour for VMs of one size that are paid for all the time, for the years of a term."""

    kind: Literal["reservation", "savings plan"]
    years: int
    hourly: Quote


@dataclass(frozen=True)
class EvictionRate:
    """How often Azure evicts a running spot VM: the chance within the next hour, 0 ≤ rate < 1.

    Azure publishes bands ("spot-vms.md"): the expected rate of a band is its upper end, so that a bill does not
    surprise; the band without an upper end has `rate.high` 1, which no figure can be given for.
    """

    rate: Range
    source: Source


@dataclass(frozen=True)
class Restart:
    """How long a start of a step takes until it works, boot and image included, as measured.

    Attributes:
        minutes: the median, from the shortest to the longest.
        notices: seconds of each eviction's notice.
        drained: of each eviction that met work, whether all of it was evicted before the node was gone.
    """

    minutes: Range
    source: Source
    notices: tuple[float, ...] = ()
    drained: tuple[bool, ...] = ()


class CostError(InconclusiveError, ValueError):
    """A bill can't be made.

    Attributes:
        problems: one line for each mistake, `{key}: {value} is not allowed; expected {allowed}`.
    """

    def __init__(self, *problems: str) -> None:
        self.problems = tuple(map(_line, problems))
        super().__init__("\n".join(self.problems))


def _line(text: str) -> str:
    """One line, whatever a name or a value in it holds."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
