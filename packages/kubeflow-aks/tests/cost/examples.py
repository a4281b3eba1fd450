"""Stacks and a market for the tests: a cluster, its pools and what it says about cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from kubeflow_aks.cost.figures import CostError, EvictionRate, Offer, Quote, Range, Source
from kubeflow_aks.cost.stack import Resource, Stack

DAY = date(2026, 11, 1)
LIST = Source("list price", DAY)
SEED_ON_DEMAND = 0.232
SEED_SPOT = 0.0487
"""An hour of Standard_D4s_v3 in UK South, as the blog has it."""
SERVICES = {
    "control-plane-free": (0.0, "hour"),
    "control-plane-standard": (0.1, "hour"),
    "control-plane-premium": (0.6, "hour"),
    "load-balancer": (0.025, "hour"),
    "public-ip": (0.005, "hour"),
    "nat-gateway": (0.045, "hour"),
    "nat-gateway-data": (0.045, "GB"),
    "load-balancer-data": (0.005, "GB"),
    "outbound": (0.087, "GB"),
    "registry-basic": (0.1666, "day"),
    "logs": (2.3, "GB"),
    "blob-hot-lrs": (0.02, "GB a month"),
    "disk-P10": (19.71, "month"),
    "disk-P15": (38.01, "month"),
}


@dataclass
class FixedMarket:
    """Prices that a test gives; sizes without one are unknown."""

    sizes: Mapping[str, tuple[float, float]] = field(
        default_factory=lambda: {"Standard_D4s_v3": (SEED_ON_DEMAND, SEED_SPOT)}
    )
    rate: Range = field(default_factory=lambda: Range(0.05, 0.0, 0.05))
    spread: float = 0.0
    currency: str = "USD"
    reduced: Mapping[str, tuple[Offer, ...]] = field(default_factory=dict[str, tuple[Offer, ...]])
    queries: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def on_demand(self, size: str, region: str) -> Quote:
        """See `Market`."""
        return Quote(Range.exactly(self._prices(size, region)[0]), "hour", LIST)

    def spot(self, size: str, region: str) -> Quote:
        """See `Market`."""
        price = self._prices(size, region)[1]
        return Quote(Range(price, price * (1 - self.spread), price * (1 + self.spread)), "hour", LIST)

    def evictions(self, size: str, region: str) -> EvictionRate:
        """See `Market`."""
        del size, region
        return EvictionRate(self.rate, Source("a test"))

    def service(self, meter: str, region: str) -> Quote:
        """See `Market`."""
        del region
        if meter not in SERVICES:
            raise CostError(f"meter: {meter} is not allowed; expected one that has a price")
        price, unit = SERVICES[meter]
        return Quote(Range.exactly(price), unit, LIST)

    def offers(self, size: str, region: str) -> tuple[Offer, ...]:
        """See `Market`."""
        del region
        return self.reduced.get(size, ())

    def _prices(self, size: str, region: str) -> tuple[float, float]:
        self.queries.append((size, region))
        if size not in self.sizes:
            raise CostError(f"cost.prices: no price of {size} in {region} is not allowed; expected one")
        return self.sizes[size]


def pool(name: str, size: str = "Standard_D4s_v3", **wire: Any) -> dict[str, Any]:
    """A pool as its resource has it: 0 to 100 nodes with ephemeral disks, tainted, unless `wire` says otherwise."""
    return {
        "agentPoolName": name,
        "vmSize": size,
        "mode": "User",
        "enableAutoScaling": True,
        "minCount": 0,
        "maxCount": 100,
        "nodeTaints": ["a=b:NoSchedule"],
        "osDiskType": "Ephemeral",
        "osDiskSizeGB": 100,
        **wire,
    }


def spot(name: str, size: str = "Standard_D4s_v3", **wire: Any) -> dict[str, Any]:
    """A spot pool."""
    return pool(name, size, scaleSetPriority="Spot", spotMaxPrice=-1, **wire)


SYSTEM: Mapping[str, Any] = {
    "name": "system",
    "vmSize": "Standard_D4s_v3",
    "mode": "System",
    "enableAutoScaling": True,
    "minCount": 2,
    "maxCount": 2,
    "osDiskType": "Managed",
    "osDiskSizeGB": 128,
}


def stack(
    *pools: Mapping[str, Any],
    basis: Mapping[str, Any] | None = None,
    fallbacks: Mapping[str, str] | None = None,
    others: tuple[Resource, ...] = (),
    **cluster: Any,
) -> Stack:
    """A stack with a cluster that idles no node, in UK South."""
    inputs: dict[str, Any] = {
        "location": "uksouth",
        "agentPoolProfiles": [SYSTEM],
        "sku": {"name": "Base", "tier": "Standard"},
        "networkProfile": {"outboundType": "loadBalancer", "loadBalancerSku": "standard"},
        "autoScalerProfile": {"scaleDownUnneededTime": "0s", "scanInterval": "0s"},
        **cluster,
    }
    resources = [Resource("azure-native:containerservice:ManagedCluster", "made", inputs), *others]
    resources += [
        Resource("azure-native:containerservice:AgentPool", str(it["agentPoolName"]), it) for it in pools
    ]
    contract = [
        {
            "name": it["agentPoolName"],
            "role": "cpu",
            "fallback": (fallbacks or {}).get(it["agentPoolName"]),
            "gpus": 0,
            "labels": {"work": it.get("work", "cpu")},
        }
        for it in pools
    ]
    return Stack("made", tuple(resources), {"poolContract": contract, "costBasis": dict(basis or {})})


def work(pool: str = "cpuspot", hours: float = 2000, step: float = 2, **more: Any) -> dict[str, Any]:
    """One kind of work."""
    return {"pool": pool, "hoursPerMonth": hours, "stepHours": step, **more}


def seed(**training: Any) -> dict[str, dict[str, Any]]:
    """The blog's month; `training` overrides its keys."""
    return {
        "preparation": work(),
        "features": work(hours=1000, step=4),
        "training": work(hours=400, step=20, **training),
    }
