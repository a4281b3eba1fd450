"""Figures for a reader: no more digits than are known."""

import math
from typing import Final

from kubeflow_aks.cost.figures import Range

NEVER: Final = "never done"
_SIGNS: Final = {"USD": "$", "EUR": "€", "GBP": "£"}
_CENTS_BELOW: Final = 100
_HALF_A_CENT: Final = 0.005
_WHOLE_FROM: Final = 10
"""Figures from here on are written without decimals."""
_LEAST_PERCENT: Final = 0.01
_MINUTES_BELOW: Final = 2
_SHORT_FROM: Final = 1e15
"""Figures from here on, which are beyond all sense, are written as a power of ten: 300 digits fit in no table."""


def money(amount: float, currency: str) -> str:
    """An amount, `$1,262` or `$17.50`; `never done` for work that never gets done."""
    if not math.isfinite(amount):
        return NEVER
    digits = 2 if abs(amount) < _CENTS_BELOW - 0.005 else 0
    text = f"{abs(amount):,.{digits}f}" if abs(amount) < _SHORT_FROM else f"{abs(amount):.3g}"
    sign = "−" if amount < 0 and float(text.replace(",", "")) else ""
    mark = _SIGNS.get(currency)
    return f"{sign}{mark}{text}" if mark else f"{sign}{text} {currency}"


def price(amount: float, currency: str) -> str:
    """A price an hour, four digits behind the point as Azure publishes them."""
    mark = _SIGNS.get(currency)
    return f"{mark}{amount:,.4f}" if mark else f"{amount:,.4f} {currency}"


def spread(amount: Range, currency: str) -> str:
    """`$639 to $651`; one figure where there is no range; `more than $639` without an upper end."""
    low, high = money(amount.low, currency), money(amount.high, currency)
    if not math.isfinite(amount.high):
        return NEVER if not math.isfinite(amount.low) else f"more than {low}"
    return low if low == high else f"{low} to {high}"


def saving(amount: float, on_demand: float) -> str:
    """The difference to the same on demand: `−48.7 %`, `+12.0 %`; blank where that costs nothing."""
    if on_demand <= 0:
        return ""
    if not math.isfinite(amount):
        return NEVER
    part = amount / on_demand - 1
    text = f"{abs(part) * 100:.1f}"
    sign = "" if float(text) == 0 else "−" if part < 0 else "+"
    return f"{sign}{text} %"


def same(before: float, after: float) -> bool:
    """Whether two amounts are the same to a reader; so are two that are never done."""
    return before == after or abs(before - after) < _HALF_A_CENT


def step(before: float | None, after: float, currency: str) -> str:
    """A month's amount and the one before: `$651` a month (was `$1,262`: `−$611`, `−48.4 %`).

    `before` is None where there was none.
    """
    now = f"`{money(after, currency)}` a month" if math.isfinite(after) else f"some work is {NEVER}"
    if before is None:
        return f"{now}."
    if same(before, after):
        return f"{now}, unchanged."
    if not math.isfinite(before):
        return f"{now} (was: some work {NEVER})."
    was = f"was `{money(before, currency)}`"
    if not math.isfinite(after):
        return f"{now} ({was})."
    more = f"`{'+' if after > before else ''}{money(after - before, currency)}`"
    part = saving(after, before)
    return f"{now} ({was}: {more}{f', `{part}`' if part else ''})."


def share(part: float) -> str:
    """A share as percent, with as many digits as a reader needs: `5 %`, `0.15 %`."""
    percent = part * 100
    if 0 < percent < _LEAST_PERCENT:
        return f"less than {_LEAST_PERCENT} %"
    return f"{percent:.2g} %" if percent < _WHOLE_FROM else f"{percent:.0f} %"


def hours(number: float) -> str:
    """Hours: `3,570`, `1.9`; `more than 1,000,000,000,000,000`; `never done` without an end."""
    if not math.isfinite(number):
        return NEVER
    if number >= _SHORT_FROM:
        return f"more than {_SHORT_FROM:,.0f}"
    return f"{number:,.0f}" if number >= _WHOLE_FROM or number == int(number) else f"{number:.1f}"


def minutes(number: float) -> str:
    """Minutes: `6 min`, `3.6 min`."""
    return f"{round(number, 1):,.10g} min"


def duration(number: float) -> str:
    """A length of time given in hours: `67 min`, `20 h`."""
    if not math.isfinite(number):
        return "any length"
    return f"{number * 60:.0f} min" if number < _MINUTES_BELOW else f"{hours(number)} h"
