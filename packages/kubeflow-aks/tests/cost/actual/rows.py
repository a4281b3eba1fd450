"""Rows as exports of Azure have them, in the columns of each kind of agreement and of FOCUS.

After microsoft/finops-toolkit, src/powershell/Tests/Unit/assets (2023-09), and the dataset schemas of Microsoft Learn.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

SUBSCRIPTION: Final = "/subscriptions/1caaa5a3-2b66-438e-8ab4-bce37d518c5d"
NODES: Final = f"{SUBSCRIPTION}/resourceGroups/MADE-NODES/providers/Microsoft.Compute"
GROUP: Final = f"{SUBSCRIPTION}/resourceGroups/rg-made/providers"
DAY: Final = date(2026, 10, 1)


@dataclass(frozen=True)
class Used:
    """One charge: so much of a meter on a day."""

    resource: str
    quantity: float
    price: float
    day: date = DAY
    category: str = "Virtual Machines"
    meter: str = "D4s v3"
    unit: str = "1 Hour"
    pricing: str = "OnDemand"
    charge: str = "Usage"
    tags: str = ""
    currency: str = "USD"
    billed: float | None = None

    @property
    def amount(self) -> float:
        """With the share of commitments."""
        return self.quantity * self.price


def node(pool: str, hours: float, price: float, **more: Any) -> Used:
    """Hours of a pool's scale set; of a spot pool at its price."""
    kind: dict[str, Any] = {"pricing": "Spot", "meter": "D4s v3 Spot"} if "spot" in pool else {}
    return Used(f"{NODES}/virtualMachineScaleSets/aks-{pool}-42850074-vmss", hours, price, **(kind | more))


def disk(pool: str, months: float, price: float) -> Used:
    """The OS disk of a pool's node."""
    name = f"aks-{pool}-42850074-vmaks-{pool}-42850074OS__1_a1b2"
    return Used(
        f"{NODES}/disks/{name}", months, price, category="Storage", meter="P10 LRS Disk", unit="1/Month"
    )


def thing(kind: str, name: str, amount: float, **more: Any) -> Used:
    """A charge of another resource in the stack's group."""
    return Used(f"{GROUP}/{kind}/{name}", 1, amount, category="Networking", meter="Hour", **more)


def _ea(it: Used) -> dict[str, Any]:
    return {
        "BillingAccountId": "8611537",
        "SubscriptionId": SUBSCRIPTION.rpartition("/")[2],
        "Date": f"{it.day:%m/%d/%Y}",
        "MeterCategory": it.category,
        "MeterSubCategory": "Dsv3 Series",
        "MeterName": it.meter,
        "Quantity": it.quantity,
        "EffectivePrice": it.price,
        "Cost": it.amount,
        "BillingCurrency": it.currency,
        "ResourceId": it.resource,
        "AdditionalInfo": '{"UsageType":"ComputeHR","ServiceType":"Standard_D4s_v3","VCPUs":4}',
        "Tags": it.tags.strip("{}"),  # without the braces
        "UnitOfMeasure": it.unit,
        "ResourceGroup": it.resource.split("/")[4] if "/" in it.resource else "",
        "ChargeType": it.charge,
        "PricingModel": it.pricing,
    }


def _mca(it: Used) -> dict[str, Any]:
    return {
        "date": f"{it.day:%m/%d/%Y}",
        "meterName": it.meter,
        "meterCategory": it.category,
        "quantity": it.quantity,
        "unitOfMeasure": it.unit,
        "effectivePrice": it.price,
        "costInBillingCurrency": it.amount,
        "costInPricingCurrency": 2 * it.amount,
        "billingCurrency": it.currency,
        "resourceGroupName": it.resource.split("/")[4] if "/" in it.resource else "",
        "ResourceId": it.resource,
        "tags": it.tags,
        "chargeType": it.charge,
        "pricingModel": it.pricing,
    }


def _payg(it: Used) -> dict[str, Any]:
    return {
        "SubscriptionGuid": SUBSCRIPTION.rpartition("/")[2],
        "ResourceGroup": it.resource.split("/")[4] if "/" in it.resource else "",
        "UsageDateTime": it.day.isoformat(),
        "MeterCategory": it.category,
        "MeterName": it.meter,
        "UsageQuantity": it.quantity,
        "ResourceRate": it.price,
        "PreTaxCost": it.amount,
        "InstanceId": it.resource,
        "Tags": it.tags,
        "Currency": it.currency,
        "UnitOfMeasure": it.unit,
    }


def _focus(it: Used) -> dict[str, Any]:
    return {
        "BilledCost": it.amount if it.billed is None else it.billed,
        "BillingCurrency": it.currency,
        "ChargeCategory": it.charge,
        "ChargePeriodEnd": f"{it.day}T24:00Z",
        "ChargePeriodStart": f"{it.day}T00:00Z",
        "ConsumedQuantity": it.quantity,
        "ConsumedUnit": {"1 Hour": "Hours"}.get(it.unit, it.unit),
        "EffectiveCost": it.amount,
        "PricingCategory": {"OnDemand": "Standard", "Spot": "Dynamic"}.get(it.pricing, "Committed"),
        "PricingQuantity": it.quantity,
        "ResourceId": it.resource.lower(),
        "ServiceName": "Virtual Machine Scale Sets",
        "Tags": it.tags,
        "x_ResourceGroupName": it.resource.split("/")[4] if "/" in it.resource else "",
        "x_SkuMeterCategory": it.category,
        "SkuMeter": it.meter,
    }


KINDS: Final = {"EA": _ea, "MCA": _mca, "pay-as-you-go": _payg, "FOCUS": _focus}


def export(rows: Iterable[Used], kind: str = "EA") -> str:
    """The CSV of some charges."""
    written = [KINDS[kind](it) for it in rows]
    sink = io.StringIO()
    writer = csv.DictWriter(sink, list(KINDS[kind](Used("", 0, 0))))
    writer.writeheader()
    writer.writerows(written)
    return sink.getvalue()


def opencost(steps: Iterable[dict[str, tuple[float, float]]]) -> str:
    """OpenCost's answer of some days: minutes and cost of each node."""
    data = [
        {
            name: {
                "name": name,
                "properties": {"cluster": "made", "node": name.removesuffix("/__idle__")},
                "window": {"start": f"2026-10-0{day}T00:00:00Z", "end": f"2026-10-0{day + 1}T00:00:00Z"},
                "start": f"2026-10-0{day}T00:00:00Z",
                "end": f"2026-10-0{day + 1}T00:00:00Z",
                "minutes": minutes,
                "cpuCost": cost,
                "totalCost": cost,
            }
            for name, (minutes, cost) in nodes.items()
        }
        for day, nodes in enumerate(steps, start=1)
    ]
    return json.dumps({"code": 200, "data": data})
