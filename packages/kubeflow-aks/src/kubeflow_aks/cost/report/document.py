"""A bill as JSON; `kubeflow_aks/cost/report/cost.schema.json` is its schema. Infinite figures are null."""

import math
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.cost.bill import Bill, Line, WorkCost
from kubeflow_aks.cost.figures import Range, Source

VERSION: Final = 2
SCHEMA: Final = Path(__file__).parent / "cost.schema.json"


def document(bill: Bill) -> dict[str, Any]:
    """The whole bill, nothing rounded."""
    return {
        "version": VERSION,
        "stack": bill.stack,
        "region": bill.region,
        "currency": bill.currency,
        "viable": math.isfinite(bill.amount().expected),
        "monthly": amount(bill.amount()),
        "onDemand": amount(bill.on_demand()),
        "saving": _saving(bill.amount(), bill.on_demand()),
        "batch": {
            "monthly": amount(bill.amount("batch")),
            "onDemand": amount(bill.on_demand("batch")),
            "saving": _saving(bill.amount("batch"), bill.on_demand("batch")),
        },
        "budget": None if bill.budget is None else {"monthly": bill.budget, "over": bill.over_budget},
        "lines": [_line(line) for line in bill.lines],
        "work": [_work(work) for work in bill.work],
        "evictionRates": {
            pool: {"rate": amount(it.rate), "source": _source(it.source)} for pool, it in bill.rates.items()
        },
        "sources": [_source(source) for source in bill.sources],
        "leftOut": list(bill.left_out),
        "warnings": list(bill.warnings),
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "part": line.part,
        "pool": line.pool or None,
        "nodes": line.nodes,
        "hours": None if line.hours is None else amount(line.hours),
        "hourly": None if line.hourly is None else amount(line.hourly),
        "monthly": amount(line.amount),
        "onDemand": amount(line.on_demand),
        "prices": [
            {"price": amount(it.price), "unit": it.unit, "source": _source(it.source)} for it in line.quotes
        ],
        "notes": list(line.notes),
    }


def _work(work: WorkCost) -> dict[str, Any]:
    return {
        "name": work.name,
        "pool": work.pool,
        "assumed": work.assumed,
        "viable": math.isfinite(work.amount.expected),
        "usefulHours": work.useful,
        "billedPerUsefulHour": amount(work.multiple),
        "evictions": amount(work.evictions),
        "monthly": amount(work.amount),
        "onDemand": amount(work.on_demand),
        "saving": _saving(work.amount, work.on_demand),
        "byBlogModel": number(work.blog),
        "longestStepHours": number(work.longest_step),
        "bestCheckpointHours": number(work.best_interval),
        "chanceRetriesRunOut": None if work.fails is None else amount(work.fails),
        "chanceDeadlineMissed": None if work.misses is None else amount(work.misses),
        "spotStopsPayingAt": number(work.stops_paying_at),
        "fallbackHours": number(work.fallback),
        "overflowHours": number(work.overflow),
        "returnedHours": number(work.returned),
        "waitsHours": number(work.waits),
        "notes": list(work.notes),
    }


def amount(value: Range) -> dict[str, float | None]:
    """A range; what has no end is null."""
    return {"expected": number(value.expected), "low": number(value.low), "high": number(value.high)}


def _saving(monthly: Range, on_demand: Range) -> float | None:
    """Share that is saved; negative where spot costs more; null where nothing can be compared."""
    if on_demand.expected <= 0 or not math.isfinite(monthly.expected):
        return None
    return 1 - monthly.expected / on_demand.expected


def _source(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "day": source.day.isoformat() if source.day else None,
        "assumed": source.assumed,
    }


def number(value: float | None) -> float | None:
    """A figure; null where it has no end."""
    return value if value is not None and math.isfinite(value) else None
