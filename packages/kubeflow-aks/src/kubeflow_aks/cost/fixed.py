"""What a cluster costs beside its nodes."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from aks_facts import FREE_OUTBOUND_GB, os_disk, vm_sizes
from kubeflow_aks.cost.basis import Basis, Usage
from kubeflow_aks.cost.bill import Line
from kubeflow_aks.cost.figures import HOURS_A_MONTH, Quote, Range
from kubeflow_aks.cost.prices.market import HOUR
from kubeflow_aks.cost.quotes import Quotes
from kubeflow_aks.cost.reading import Facilities, Pool

_HOURS: Final = {HOUR: HOURS_A_MONTH, "day": HOURS_A_MONTH / 24, "month": 1.0}
_PRICED_STORAGE: Final = "Standard_LRS"
_FREE_DAYS: Final = 31
"""Retention of logs that is included in the price of ingesting them ("logs/data-retention-configure.md")."""


def a_month(quote: Quote) -> Range:
    """What one of it costs that is there all month."""
    return quote.price * _HOURS[quote.unit]


def disk_quote(pool: Pool, quotes: Quotes) -> Quote | None:
    """Price of the managed OS disk of a pool's nodes; None where it has none, or its price is unknown."""
    size = vm_sizes().get(pool.size)
    meter = os_disk(size, pool.disk.size_gib) if size and pool.disk.managed else None
    return quotes.service(meter) if meter else None


def lines(facilities: Facilities, basis: Basis, quotes: Quotes, running: float) -> Iterator[Line]:
    """The lines that do not depend on the work; `running` is the share of the month without stops of the cluster."""
    tier = facilities.tier
    yield _line("control plane", quotes.service(f"control-plane-{tier.lower()}"), running, (f"tier {tier}",))
    if facilities.load_balancer:
        yield _line("load balancer", quotes.service("load-balancer"))
    if facilities.addresses:
        yield _line("public addresses", quotes.service("public-ip"), facilities.addresses)
    if facilities.nat_gateways:
        yield _line("NAT gateway", quotes.service("nat-gateway"), facilities.nat_gateways)
    for sku, count in Counter(facilities.registries).items():
        yield _line("registry", quotes.service(f"registry-{sku.lower()}"), count, (f"{sku}",))
    yield from _used(facilities, basis.cost.usage, quotes)


def left_out(facilities: Facilities, usage: Usage) -> Iterator[str]:
    """What is not counted, and why."""
    yield "disks, file shares and storage accounts for volumes: Kubernetes makes them, not this stack"
    if not usage.outbound_gib:
        yield "traffic to the internet: set `cost.usage.outboundGib` to count it"
    if facilities.nat_gateways or facilities.load_balancer:
        way = "NAT gateway" if facilities.nat_gateways else "load balancer"
        yield f"what nodes download, such as images: the {way} may charge each GB of it"
    if facilities.logs and not usage.logs_gib:
        yield "logs ingested by the workspace: set `cost.usage.logsGib` to count them"
    if facilities.retention_days > _FREE_DAYS:
        yield f"logs older than {_FREE_DAYS} days: the workspace retains them for {facilities.retention_days}"
    if facilities.registries:
        yield "images beyond what the registry's price includes"
    if facilities.private:
        yield "the private endpoint and DNS zone of the API server: AKS makes them, not this stack"
    if facilities.storage and not usage.stored_gib:
        yield "what is stored in the storage account: set `cost.usage.storedGib` to count it"
    elif usage.stored_gib and facilities.storage[:1] != (_PRICED_STORAGE,):
        storage = ", ".join(facilities.storage) or "a data store of another stack"
        yield f"what is stored: no price here for {storage}"
    if facilities.reserving:
        yield (
            f"reserved capacity that {', '.join(facilities.reserving)} leaves unused: Azure bills it like running "
            "nodes, and this stack does not know how much the reservation groups hold"
        )
    if facilities.uncounted:
        yield f"resources without a price here: {', '.join(facilities.uncounted)}"
    yield "taxes, and discounts other than `cost.prices` and `cost.commitments`: these are list prices"


def _used(facilities: Facilities, usage: Usage, quotes: Quotes) -> Iterator[Line]:
    if usage.stored_gib and facilities.storage[:1] == (_PRICED_STORAGE,):
        yield _metered("storage", quotes.service("blob-hot-lrs"), usage.stored_gib)
    if usage.logs_gib:
        yield _metered("logs", quotes.service("logs"), usage.logs_gib)
    if usage.outbound_gib:
        charged = max(usage.outbound_gib - FREE_OUTBOUND_GB, 0.0)
        yield _metered("traffic to the internet", quotes.service("outbound"), charged)
    if usage.outbound_gib and facilities.nat_gateways:
        yield _metered("NAT gateway traffic", quotes.service("nat-gateway-data"), usage.outbound_gib)
    elif usage.outbound_gib and facilities.load_balancer:
        yield _metered("load balancer traffic", quotes.service("load-balancer-data"), usage.outbound_gib)


def _line(name: str, quote: Quote, count: float = 1, notes: tuple[str, ...] = ()) -> Line:
    amount = a_month(quote) * count
    by_hour = quote.unit == HOUR
    return Line(
        name,
        "fixed",
        "",
        Range.exactly(HOURS_A_MONTH * count) if by_hour else None,
        amount,
        amount,
        (quote,),
        notes,
        hourly=quote.price if by_hour else None,
    )


def _metered(name: str, quote: Quote, gib: float) -> Line:
    amount = quote.price * gib
    return Line(name, "fixed", "", None, amount, amount, (quote,), (f"{gib:,.0f} GiB",))
