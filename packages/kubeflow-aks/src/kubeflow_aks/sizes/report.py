"""The list of sizes as a page, and as JSON by `kubeflow_aks/sizes/sizes.schema.json`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.spot_placement import ROLE, PlacementScore
from kubeflow_aks.clients.vm_usage import Quota
from kubeflow_aks.cost.figures import EvictionRate, Quote
from kubeflow_aks.cost.formatting import price, share
from kubeflow_aks.sizes.listing import SPOT_QUOTA, Filter, Row, Subscription
from kubeflow_aks.text.blocks import Items, Page, Paragraph, Table
from kubeflow_aks.text.numbers import counted

VERSION: Final = 1
SCHEMA: Final = Path(__file__).parent / "sizes.schema.json"
_NOT_QUERIED: Final = "not queried"
_NONE: Final = "–"


@dataclass(frozen=True)
class Listing:
    """What is shown: scores for `count` VMs, the cheapest of the `matching` sizes on demand, and warnings."""

    criteria: Filter
    count: int
    currency: str
    matching: int
    rows: Sequence[Row]
    azure: Subscription
    warnings: Sequence[str]


def page(listing: Listing) -> Page:
    """A table, and below it where its figures come from."""
    shown, criteria = len(listing.rows), listing.criteria
    cheapest = "" if shown == listing.matching else f", the {shown} cheapest on demand"
    headline = f"{counted(listing.matching, 'VM size')} for spot pools in {criteria.region}{cheapest}"
    order = "GPU" if criteria.gpu else "vCPU"
    return Page(
        headline,
        (
            Paragraph(
                f"Prices of an hour in {listing.currency}; the cheapest on spot for one {order} first."
            ),
            _table(listing),
            Items(tuple(_notes(listing))),
        ),
        (),
    )


def document(listing: Listing) -> dict[str, Any]:
    """The whole list, nothing rounded."""
    quotas = listing.azure.quotas
    return {
        "version": VERSION,
        "region": listing.criteria.region,
        "currency": listing.currency,
        "count": listing.count,
        "matching": listing.matching,
        "spotQuota": _quota(quotas.get(SPOT_QUOTA)) if quotas is not None else None,
        "sizes": [_row(row) for row in listing.rows],
        "notes": [*listing.azure.reasons, *listing.warnings],
    }


def _table(listing: Listing) -> Table:
    gpu = ("GPU",) if listing.criteria.gpu else ()
    head = ("Size", "vCPU", "GiB", *gpu, "On demand", "Spot", "Evictions", "Score", "Family quota")
    return Table(head, tuple(tuple(_cells(row, listing)) for row in listing.rows), range(1, 3))


def _cells(row: Row, listing: Listing) -> Iterator[str]:
    size, azure = row.size, listing.azure
    yield size.name
    yield str(size.vcpus)
    yield f"{size.memory_gib:g}"
    if listing.criteria.gpu:
        memory = f", {size.gpu_memory_gib} GiB each" if size.gpu_memory_gib else ""
        yield f"{size.gpus} × {size.gpu}{memory}"
    yield _price(row.on_demand, listing.currency)
    yield _price(row.spot, listing.currency)
    yield _band(row.evictions)
    yield _NOT_QUERIED if azure.scores is None else _score(row.score)
    yield _NOT_QUERIED if azure.quotas is None else _free(row.quota)


def _price(quote: Quote, currency: str) -> str:
    return f"{'~' if quote.source.assumed else ''}{price(quote.price.expected, currency)}"


def _band(rate: EvictionRate) -> str:
    """Chance an hour."""
    if rate.source.assumed:
        return _NOT_QUERIED
    if rate.rate.high >= 1:
        return f"{share(rate.rate.low)} or more"
    return f"{share(rate.rate.low)} to {share(rate.rate.high)}"


def _score(score: PlacementScore | None) -> str:
    if score is None:
        return _NONE
    return f"{score.words}{', over the spot quota' if score.quota_available is False else ''}"


def _free(quota: Quota | None) -> str:
    return f"{quota.free} of {quota.limit} free" if quota else _NONE


def _notes(listing: Listing) -> Iterator[str]:
    azure = listing.azure
    yield from azure.reasons
    yield from listing.warnings
    if azure.quotas is not None:
        yield f"Quota of all spot VMs, in vCPU: {_free(azure.quotas.get(SPOT_QUOTA))}. A family's is for VMs on demand."
    if azure.scores is not None:
        vms = counted(listing.count, "spot VM")
        yield f"A score is for {vms} at once: a snapshot, no promise. Azure requires the role {ROLE}."
    quotes = [quote for row in listing.rows for quote in (row.on_demand, row.spot)]
    if any(quote.source.assumed for quote in quotes):
        yield "~ is an assumed price: sign in with `az` or go online for Azure's own."
    sources = dict.fromkeys(str(quote.source) for quote in quotes if not quote.source.assumed)
    yield f"Sources: {'; '.join(sources)}."


def _row(row: Row) -> dict[str, Any]:
    size, rate = row.size, row.evictions
    return {
        "name": size.name,
        "family": size.family or None,
        "vcpus": size.vcpus,
        "memoryGib": size.memory_gib,
        "architecture": size.architecture,
        "gpus": size.gpus,
        "gpu": size.gpu,
        "gpuMemoryGib": size.gpu_memory_gib,
        "onDemand": _quote(row.on_demand),
        "spot": _quote(row.spot),
        "evictionsPerHour": None
        if rate.source.assumed
        else {"low": rate.rate.low, "high": rate.rate.high if rate.rate.high < 1 else None},
        "score": None
        if row.score is None
        else {"score": row.score.score, "quotaAvailable": row.score.quota_available},
        "quota": _quota(row.quota),
    }


def _quote(quote: Quote) -> dict[str, Any]:
    source = quote.source
    return {
        "expected": quote.price.expected,
        "low": quote.price.low,
        "high": quote.price.high,
        "source": source.name,
        "day": source.day.isoformat() if source.day else None,
        "assumed": source.assumed,
    }


def _quota(quota: Quota | None) -> dict[str, int] | None:
    return {"used": quota.used, "limit": quota.limit} if quota else None
