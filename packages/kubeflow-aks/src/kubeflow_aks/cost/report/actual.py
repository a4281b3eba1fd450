"""What was charged beside what was expected, as a section of a bill's page, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from kubeflow_aks.cost.actual.comparison import Actual, PoolRow
from kubeflow_aks.cost.formatting import hours, money, price, saving
from kubeflow_aks.cost.report.document import number
from kubeflow_aks.text.blocks import Block, Items, Paragraph, Section, Table
from kubeflow_aks.text.numbers import counted

_HEAD: Final = (
    "",
    "Expected",
    "Charged",
    "Change",
    "Hours expected",
    "Hours",
    "an hour",
    "On demand",
    "Evictions",
)
_UNSEEN: Final = (
    "not looked at: taxes and credits, purchases of reservations and savings plans, and what other resource groups "
    "have for this cluster, such as a log workspace, a network or a registry of another owner"
)


def section(actual: Actual) -> Section:
    """The comparison, and what the record shows."""
    start, end = actual.start, actual.end
    title = f"What was charged from {start:%Y-%m-%d} until {end:%Y-%m-%d}"
    if actual.charged is None:
        title = f"What ran from {start:%Y-%m-%d %H:%M} until {end:%Y-%m-%d %H:%M}"
    return Section(title, tuple(_blocks(actual)), unfolded=True)


def document(actual: Actual) -> dict[str, Any]:
    """The same as JSON, nothing rounded."""
    charged, total = actual.charged, actual.total
    rows = [("other", it) for it in actual.others] + [("notAttributed", it) for it in actual.unattributed]
    return {
        "files": list(actual.files),
        "from": actual.start.isoformat(),
        "until": actual.end.isoformat(),
        "silentDays": charged.silent_days if charged else 0,
        "listPrices": bool(charged and charged.list_prices),
        "pools": [_pool(row) for row in actual.pools],
        "others": [
            {
                "name": it.name,
                "attributed": kind == "other",
                "expected": number(it.expected),
                "charged": it.charged,
            }
            for kind, it in rows
        ],
        "total": {"expected": number(total.expected), "charged": total.charged} if charged else None,
        "spotHours": actual.hours(spot=True) if charged else None,
        "fallbackHours": actual.hours(spot=False) if charged else None,
        "saving": _saving(actual),
        "reasons": [{"words": it.words, "amount": it.amount} for it in actual.reasons],
        "rows": {
            "elsewhere": charged.elsewhere.rows if charged else 0,
            "elsewhereAmount": charged.elsewhere.amount if charged else 0.0,
            "notUnderstood": charged.puzzling if charged else 0,
        },
        "record": {"from": actual.record_start.isoformat(), "until": actual.record_end.isoformat()}
        if actual.record_start and actual.record_end
        else None,
        "settings": [{"path": ".".join(path), "value": value} for path, value in actual.settings.items()],
        "notes": list(_notes(actual)),
    }


def _pool(row: PoolRow) -> dict[str, Any]:
    charge, record = row.charged, row.record
    return {
        "pool": row.pool.name,
        "spot": row.pool.spot,
        "fallback": row.pool.fallback or None,
        "expected": number(row.expected),
        "expectedHours": number(row.expected_hours),
        "charged": charge.amount if charge else None,
        "billed": charge.billed if charge else None,
        "hours": charge.hours if charge else None,
        "spotHours": charge.spot_hours if charge else None,
        "paidAnHour": row.paid,
        "onDemandAnHour": row.on_demand,
        "recordedHours": record.hours if record else None,
        "evictions": record.evictions.evictions if record and record.evictions else None,
        "expectedEvictions": number(record.expected_evictions) if record else None,
        "fallbackShare": record.fallback_share if record else None,
    }


def _saving(actual: Actual) -> float | None:
    """Share that spot saved against the same hours on demand."""
    spot = actual.spot
    return None if spot is None else 1 - spot.charged / spot.expected


def _blocks(actual: Actual) -> Iterator[Block]:
    currency, total = actual.currency, actual.total
    yield Table(_HEAD, tuple(_rows(actual)), range(1, len(_HEAD)))
    if spot := actual.spot:
        yield Paragraph(
            f"Spot pools and their fallbacks were charged {money(spot.charged, currency)} for "
            f"{hours(actual.hours(spot=True))} hours on spot pools and {hours(actual.hours(spot=False))} on fallbacks: "
            f"{saving(spot.charged, spot.expected)} against the same hours on demand, "
            f"{money(spot.expected, currency)}."
        )
    if reasons := actual.reasons:
        difference = total.charged - total.expected
        yield Paragraph(f"Why it is {_signed(difference, currency)} against what was expected:")
        yield Items(tuple(f"{_signed(it.amount, currency)}: {it.words}" for it in reasons))
    yield Items(tuple(_notes(actual)))
    if actual.settings:
        shown = "; ".join(f"`{'.'.join(path)}: {value:g}`" for path, value in actual.settings.items())
        yield Paragraph(f"The record shows {shown}; `--write` takes this into the stack file.")


def _rows(actual: Actual) -> Iterator[tuple[str, ...]]:
    currency, seen = actual.currency, actual.charged is not None
    for row in actual.pools:
        charge, record = row.charged, row.record
        evictions = record.evictions.evictions if record and record.evictions else 0
        yield (
            row.pool.name,
            money(row.expected, currency),
            money(charge.amount, currency) if charge else "",
            _change(charge.amount, row.expected) if charge else "",
            hours(row.expected_hours),
            hours(charge.hours) if charge else hours(record.hours) if record else "",
            price(row.paid, currency) if row.paid is not None else "",
            price(row.on_demand, currency),
            f"{evictions} of {record.expected_evictions:.3g} expected" if record and row.pool.spot else "",
        )
    rows = [(it.name, it) for it in actual.others] + [
        (f"not attributed: {it.name}", it) for it in actual.unattributed
    ]
    for name, it in (*rows, ("= all", actual.total)):
        charged = (money(it.charged, currency), _change(it.charged, it.expected)) if seen else ("", "")
        yield (name, money(it.expected, currency), *charged, "", "", "", "", "")


def _change(charged: float, expected: float) -> str:
    """Blank where nothing, or no end, was expected."""
    return saving(charged, expected) if math.isfinite(expected) else ""


def _signed(amount: float, currency: str) -> str:
    return f"{'+' if amount > 0 else ''}{money(amount, currency)}"


def _notes(actual: Actual) -> Iterator[str]:
    charged, currency = actual.charged, actual.currency
    length = (actual.end - actual.start) / timedelta(days=1)
    yield f"expected is the bill's month of 730 hours, for {length:.3g} days"
    if charged is None:
        yield "no export of charges: hours and evictions of the record only"
        return
    if charged.list_prices:
        yield "OpenCost counts its list prices, whose spot price may be another day's: this is not what Azure charged"
    if charged.puzzling:
        yield f"{counted(charged.puzzling, 'row')} not understood, the first: {charged.first_puzzle}"
    if elsewhere := charged.elsewhere.rows:
        amount = money(charged.elsewhere.amount, currency)
        yield f"{counted(elsewhere, 'row')} of other resource groups or of none, {amount}: not of this cluster"
    if silent := charged.silent_days:
        yield f"no charge on {counted(silent, 'day')} in between: stopped, or missing in the files"
    for row in actual.pools:
        charge, name = row.charged, row.pool.name
        if charge and charge.committed:
            yield (
                f"{name}: {hours(charge.committed)} node hours were paid for by a commitment and cost nothing here; an "
                "amortized export has their price"
            )
        if charge and row.pool.spot and charge.hours - charge.spot_hours > 1 and not charged.list_prices:
            yield f"{name}: {hours(charge.hours - charge.spot_hours)} of its node hours were not charged as spot"
        if charge and not math.isclose(charge.billed, charge.amount, abs_tol=0.005):
            yield f"{name}: {money(charge.billed, currency)} of it is billed here, the rest as commitments"
    yield from actual.not_compared
    if actual.record_start and actual.record_end:
        start, end = f"{actual.record_start:%Y-%m-%d %H:%M}", f"{actual.record_end:%Y-%m-%d %H:%M}"
        yield f"evictions are those of the record, from {start} until {end}, and so are those expected"
    else:
        yield "evictions: an export has none; add what `ckf-spot where -o json` wrote of a record with nodes"
    yield _UNSEEN
