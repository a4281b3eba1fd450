"""A stand-in of Azure's Retail Prices API on 127.0.0.1, which answers as the documented examples do.

The rows have the form of those that Azure gave for a Standard_D2s_v3 in East US (`quoted_spot_prices.csv`, R); the
filter is read from the query, as far as `kubeflow_aks.cost.prices.retail` uses it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from aks_facts import service_price
from tests.serving import serving

Row = dict[str, Any]
_EQUALS = re.compile(r"(\w+) eq '((?:[^']|'')*)'")


def row(size: str = "Standard_D4s_v3", region: str = "uksouth", price: float = 0.232, **more: Any) -> Row:
    """One row of a VM's price on demand, or what differs from it."""
    name = size.removeprefix("Standard_").replace("_", " ")
    return {
        "currencyCode": "USD",
        "tierMinimumUnits": 0.0,
        "retailPrice": price,
        "unitPrice": price,
        "armRegionName": region,
        "location": "a region",
        "effectiveStartDate": "2017-09-01T00:00:00Z",
        "meterId": "m",
        "meterName": name,
        "productId": "P",
        "skuId": "P/S",
        "productName": "Virtual Machines DSv3 Series",
        "skuName": name,
        "serviceName": "Virtual Machines",
        "serviceId": "S",
        "serviceFamily": "Compute",
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "isPrimaryMeterRegion": True,
        "armSkuName": size,
        **more,
    }


def spot(size: str = "Standard_D4s_v3", region: str = "uksouth", price: float = 0.0487, **more: Any) -> Row:
    """One row of a VM's spot price."""
    name = size.removeprefix("Standard_").replace("_", " ") + " Spot"
    return row(size, region, price, skuName=name, meterName=name, **more)


def service_row(name: str, region: str, price: float, **more: Any) -> Row:
    """One row of a service's price, by its name in the catalogue."""
    listed = service_price(name, region)
    meter = listed.meter
    if meter is None:
        raise ValueError(name)
    shape = {
        "serviceName": meter.service,
        "productName": meter.product or "some product",
        "skuName": meter.sku or "some SKU",
        "meterName": meter.name,
        "unitOfMeasure": _UNITS[listed.unit],
    }
    return {**row("", "Global" if meter.everywhere else region, price), **shape, **more}


_UNITS = {"hour": "1 Hour", "day": "1/Day", "month": "1/Month", "GB": "1 GB", "GB a month": "1 GB/Month"}
OTHERS = [
    row(price=0.0464, skuName="D4s v3 Low Priority", meterName="D4s v3 Low Priority"),
    row(price=0.416, productName="Virtual Machines DSv3 Series Windows"),
    row(price=0.417, productName="Virtual Machines DSv3 Srs Win"),
    row(price=0.0911, productName="Virtual Machines DSv3 Series Windows", skuName="D4s v3 Spot"),
    row(price=0.418, productName="DSv3 Series Cloud Services"),
    row(price=0.419, productName="DSv3 Series CloudServices"),
    row(price=5.06, productName="DSv3 Type3 Dedicated Host"),
    row(price=0.01, type="DevTestConsumption"),
    row(price=1200.0, type="Reservation", reservationTerm="1 Year"),
    row(price=0.0),
    row(price=0.15, unitOfMeasure="1 Month"),
    row(price=0.2, effectiveEndDate="2020-01-01T00:00:00Z"),
    row(price=0.1, effectiveStartDate="2999-01-01T00:00:00Z"),
    row("Standard_D4_v3", price=0.1),
    row(region="ukwest", price=0.1),
]
"""What stands in the list beside the two rows that count; each is no price of a Linux Standard_D4s_v3 in UK South."""


@dataclass
class Azure:
    """What the stand-in has, and its requests."""

    rows: list[Row] = field(default_factory=lambda: [row(), spot(), *OTHERS])
    currency: str = ""
    """Currency of its answers, where it is not the requested one."""
    page: int = 1000
    faults: list[tuple[int, dict[str, str], bytes]] = field(
        default_factory=list[tuple[int, dict[str, str], bytes]]
    )
    """Status, headers and body in place of the next answers; each is given once."""
    next_page: str = ""
    """Address given as the next page, in place of the right one."""
    delay: float = 0.0
    requests: list[str] = field(default_factory=list[str])
    """The filters, in order."""


@contextmanager
def served(azure: Azure) -> Generator[str]:
    """Serves the list, and yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}
            azure.requests.append(query["$filter"])
            time.sleep(azure.delay)
            status, headers, body = (
                azure.faults.pop(0) if azure.faults else (200, {}, json.dumps(self._page(query)).encode())
            )
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                return  # the client has given up

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as declared
            """Says nothing."""

        def _page(self, query: dict[str, str]) -> Row:
            allowed: dict[str, set[str]] = {}
            for name, value in _EQUALS.findall(query["$filter"]):
                allowed.setdefault("type" if name == "priceType" else name, set()).add(
                    value.replace("''", "'")
                )
            matching = [
                one for one in azure.rows if all(str(one[name]) in values for name, values in allowed.items())
            ]
            first = int(query.get("$skip", "0"))
            more = {**query, "$skip": str(first + azure.page)}
            link = f"{address}?{urlencode(more)}" if first + azure.page < len(matching) else None
            return {
                "BillingCurrency": azure.currency or query["currencyCode"].strip("'"),
                "CustomerEntityId": "Default",
                "CustomerEntityType": "Retail",
                "Items": matching[first : first + azure.page],
                "NextPageLink": azure.next_page or link,
                "Count": len(matching[first : first + azure.page]),
            }

    with serving(Handler) as origin:
        address = f"{origin}/api/retail/prices"
        yield address
