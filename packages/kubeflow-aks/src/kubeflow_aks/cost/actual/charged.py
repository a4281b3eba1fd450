"""What files say that a cluster was charged: by agent pool, by kind of resource, and what is neither."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta
from typing import Final

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.json_values import text

_NODES: Final = re.compile(r"aks-([a-z][a-z0-9]{0,11})-[0-9a-z]+-vm")
"""A scale set, node or OS disk of an agent pool: `aks-cpuspot-42850074-vmss` (`EA_AmortizedCost_Small.csv` of
microsoft/finops-toolkit, 2023-09)."""
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_GROUP: Final = "azure-native:resources:ResourceGroup"


@dataclass
class Charge:
    """Some rows together.

    Attributes:
        amount: with the share of reservations and savings plans, where the file has it.
        billed: as on the invoice, where such commitments are charged apart.
        hours: of nodes.
        spot_hours: those of them at a spot price.
        committed: those of them that a commitment paid for, at an amount of 0 here.
    """

    amount: float = 0.0
    billed: float = 0.0
    hours: float = 0.0
    spot_hours: float = 0.0
    committed: float = 0.0
    rows: int = 0


def total(charges: Iterable[Charge]) -> Charge:
    """The sum of some."""
    every = tuple(charges)
    return Charge(*(sum(getattr(it, one.name) for it in every) for one in fields(Charge)))


def _charges() -> defaultdict[str, Charge]:
    return defaultdict(Charge)


@dataclass
class Charged:
    """All of it.

    Attributes:
        pools: by agent pool of the stack.
        others: by kind of resource, in the bill's words.
        unattributed: what is in the cluster's groups and belongs to nothing that the bill has, by its reason.
        elsewhere: rows of other resource groups, or of none.
        puzzling: rows that were not understood, or without their hours.
        first_puzzle: where the first of them is, and why.
        groups: resource groups of the cluster that have a charge, in lower case.
        days: with a charge of the cluster; empty where the source has no days.
        spans: start and end of what a source without days covers.
        list_prices: whether the amounts are not Azure's charges but list prices.
    """

    pools: defaultdict[str, Charge] = field(default_factory=_charges)
    others: defaultdict[str, Charge] = field(default_factory=_charges)
    unattributed: defaultdict[str, Charge] = field(default_factory=_charges)
    elsewhere: Charge = field(default_factory=Charge)
    puzzling: int = 0
    first_puzzle: str = ""
    groups: set[str] = field(default_factory=set[str])
    days: set[date] = field(default_factory=set[date])
    spans: list[tuple[datetime, datetime]] = field(default_factory=list[tuple[datetime, datetime]])
    list_prices: bool = False

    def puzzle(self, row: str) -> None:
        """Counts a row that was not understood."""
        self.puzzling += 1
        self.first_puzzle = self.first_puzzle or row

    @property
    def silent_days(self) -> int:
        """Days between the first and the last on which the cluster was charged nothing."""
        return (max(self.days) - min(self.days)).days + 1 - len(self.days) if self.days else 0

    @property
    def period(self) -> tuple[datetime, datetime]:
        """From when to when."""
        spans = list(self.spans)
        if self.days:
            midnight = datetime.min.time()
            first, last = (datetime.combine(day, midnight) for day in (min(self.days), max(self.days)))
            spans.append((first, last + timedelta(days=1)))
        starts, ends = zip(*spans, strict=True)
        return min(starts), max(ends)


@dataclass(frozen=True)
class Place:
    """Where a cluster's charges are.

    Attributes:
        cluster: its name; empty where it is not known.
        nodes: resource group of its nodes.
        group: resource group of the stack; empty where it is not known.
        pools: its agent pools.
    """

    cluster: str
    nodes: str
    group: str
    pools: frozenset[str]

    @property
    def groups(self) -> frozenset[str]:
        """Both groups, in lower case, for Azure writes them either way."""
        return frozenset(name.lower() for name in (self.nodes, self.group) if name)

    def pool(self, name: str) -> str | None:
        """The agent pool of a scale set, node or OS disk; None for anything else."""
        match = _NODES.search(name.lower())
        return match[1] if match else None


def place(stack: Stack, pools: frozenset[str]) -> Place:
    """The resource groups of a stack.

    Raises:
        CostError: it does not name them.
    """
    [managed] = [it.inputs for it in stack.resources if it.type == _CLUSTER]
    group = text(_only(it.inputs for it in stack.resources if it.type == _GROUP).get("resourceGroupName"))
    group = group or text(stack.outputs.get("resourceGroup"))
    cluster, region = text(managed.get("resourceName")), text(managed.get("location"))
    # AKS's name where the program gives none (MicrosoftDocs/azure-aks-docs, articles/aks/faq.yml, 2026-08).
    default = f"MC_{group}_{cluster}_{region}" if group and cluster and region else ""
    nodes = text(managed.get("nodeResourceGroup")) or default
    if not nodes:
        raise CostError(
            f"{stack.name}: nodeResourceGroup: None is not allowed with --actual; expected the name of the resource "
            "group of the cluster's nodes"
        )
    return Place(cluster, nodes, group, pools)


def _only(values: Iterator[Mapping[str, object]]) -> Mapping[str, object]:
    """The only mapping; nothing where there are several."""
    every = list(values)
    return every[0] if len(every) == 1 else {}
