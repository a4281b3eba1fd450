"""A reservation or a savings plan for the nodes on demand that are always there."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from kubeflow_aks.cost.advice.advice import Change, Path
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.commitments import always_there
from kubeflow_aks.cost.figures import Offer

_RISKS: Final = {
    "reservation": "it holds for the size in its region; from 2027-02-01 on none of VMs can be exchanged",
    "savings plan": "it holds for any size and region; it can neither be cancelled nor exchanged",
}
"""`exchange-and-refund-azure-reservations.md` (2026-07-22), `cancel-savings-plan.md` (2023-11-17)."""
_SHORT: Final = 1
"""Years for which a commitment is part of the combination; a longer one is a separate decision (our choice)."""


def commitments(situation: Situation) -> Iterator[Change]:
    """One change for each kind and term that Azure offers, for all sizes that it offers it for.

    It is the last change of a combination: it is bought for the nodes that the other changes leave.
    """
    by_kind: dict[tuple[str, int], dict[str, Offer]] = {}
    nodes = uncommitted(situation)
    for size in nodes:
        for offer in situation.offers(size, situation.bill.region):
            by_kind.setdefault((offer.kind, offer.years), {})[size] = offer
    for (kind, years), offers in by_kind.items():
        term = "1 year" if years == 1 else f"{years} years"
        what = " and ".join(f"{nodes[size]} {size.removeprefix('Standard_')}" for size in offers)
        yield Change(
            f"{kind} of {term}",
            f"a {kind} of {term} for {what}, which are always there",
            dict(_values(nodes, offers)),
            (
                f"Azure bills it each hour for {term}, used or not; {_RISKS[kind]}",
                "buy it in Azure: the lines tell the bill of it and buy nothing",
            ),
            alone=years > _SHORT,
            last=True,
        )


def uncommitted(situation: Situation) -> Mapping[str, int]:
    """Nodes on demand that are always there, by VM size, but of sizes that the stack has a commitment for."""
    committed = situation.basis.cost.commitments
    pools = situation.cluster.pools.values()
    return {size: count for size, count in always_there(pools).items() if size not in committed}


def _values(nodes: Mapping[str, int], offers: Mapping[str, Offer]) -> Iterator[tuple[Path, Any]]:
    today = datetime.now(UTC).date()
    for size, offer in offers.items():
        about = "cost", "commitments", size
        yield (*about, "vms"), nodes[size]
        yield (*about, "hourly"), round(offer.hourly.price.expected, 6)
        yield (*about, "asOf"), (offer.hourly.source.day or today).isoformat()
