"""The market of a bill: the order of its origins, and the warnings where none has a price."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from aks_facts import services, vm_sizes
from kubeflow_aks.cost.figures import CostError, Range
from kubeflow_aks.cost.prices import Market, open_market
from kubeflow_aks.cost.prices.opening import required_prices
from kubeflow_aks.cost.prices.price_list import NoAnswerError, PriceList
from kubeflow_aks.cost.stack import Resource, Stack
from tests.cost.prices.azure import Azure, row, service_row, spot
from tests.cost.prices.stand_in_az import history, installed, rate

VM = ("Standard_D4s_v3", "uksouth")


class Warnings(list[str]):
    """Sentences for the reader, and a market that says them."""

    def market(self, address: str = "", cost: Mapping[str, Any] | None = None, **more: Any) -> Market:
        """Live at an address, else offline."""
        return open_market(
            cost or {},
            offline=not address,
            report=self.append,
            **({"address": address} if address else {}),
            **more,
        )


@pytest.fixture
def warnings() -> Warnings:
    return Warnings()


def test_the_stack_comes_first_then_azure_then_the_repository(
    warnings: Warnings, azure: Azure, address: str
) -> None:
    cost = {"prices": {"Standard_D4s_v3": {"onDemand": 0.2, "spot": None, "asOf": "2026-11-01"}}}
    azure.rows = [row(price=0.24), spot(price=0.05)]
    market = warnings.market(address, cost)
    assert market.on_demand(*VM).price == Range.exactly(0.2)
    assert market.on_demand(*VM).source.day == date(2026, 11, 1)
    assert market.spot(*VM).price == Range.exactly(0.05)
    assert market.spot(*VM).source.name.startswith("Azure's price list, queried at ")
    assert warnings.market(cost=cost).spot(*VM).source.name == "published spot price"
    for _ in range(2):
        assert market.on_demand("Standard_D8s_v5", "uksouth").source.name == "Azure's list price"
    assert warnings == [
        "Standard_D8s_v5 in uksouth: Azure's price list has no price for it; it may not be sold there"
    ]


def test_offline_nothing_is_queried(warnings: Warnings, azure: Azure, address: str, tmp_path: Path) -> None:
    installed(tmp_path / "bin", [rate(), history(0.05)])
    market = open_market({}, offline=True, report=warnings.append, required=[VM], address=address)
    assert market.on_demand(*VM).price == Range.exactly(0.232)
    assert market.evictions(*VM).source.assumed
    assert azure.requests == warnings == []
    assert not (tmp_path / "bin" / "requests").exists()


def test_what_a_stack_needs_is_known_before_the_query(warnings: Warnings, azure: Azure, address: str) -> None:
    pools = [{"name": "system", "vmSize": "Standard_D4s_v3"}, {"name": "odd", "vmSize": 7}, None]
    stack = Stack(
        "dev",
        (
            Resource("azure-native:containerservice:ManagedCluster", "dev", {"agentPoolProfiles": pools}),
            Resource("azure-native:containerservice:AgentPool", "a", {"vmSize": "Standard_NC4as_T4_v3"}),
            Resource("azure-native:containerservice:AgentPool", "b", {"vmSize": "Standard_D4s_v3"}),
            Resource("azure-native:resources:ResourceGroup", "group", {"location": "uksouth"}),
        ),
        {},
    )
    required = required_prices(stack, "uksouth")
    assert required[:3] == (VM, ("Standard_NC4as_T4_v3", "uksouth"), ("control-plane-free", "uksouth"))
    assert len(required) == 2 + len(services())
    market = warnings.market(address, required=required)
    requested = len(azure.requests)
    assert requested == 9  # VMs, and the services that have meters of one name in the list
    assert market.on_demand(*VM).price == Range.exactly(0.232)
    for name in services():
        market.service(name, "uksouth")
    assert len(azure.requests) == requested


def test_each_price_is_queried_once_and_many_together(warnings: Warnings, azure: Azure, address: str) -> None:
    sizes = [size.name for size in vm_sizes().values()][:100]
    azure.rows = [row(size, "westeurope", 1.0) for size in sizes] + [
        spot(size, "westeurope", 0.5) for size in sizes
    ]
    market = warnings.market(address, required=[(size, "westeurope") for size in sizes] * 2)
    for size in sizes * 2:
        assert market.on_demand(size, "westeurope").price.expected == 1.0
        assert market.spot(size, "westeurope").price.expected == 0.5
    assert len(azure.requests) == 7  # 100 sizes, fifteen a question


def test_where_azure_does_not_answer_the_repository_does_and_it_is_reported_once(
    warnings: Warnings, azure: Azure, address: str
) -> None:
    azure.faults = [(500, {}, b"")] * 20
    market = warnings.market(address, required=[VM, ("Standard_D4s_v3", "ukwest"), ("logs", "westeurope")])
    assert market.on_demand(*VM).price == Range.exactly(0.232)
    assert market.spot(*VM).source.name == "published spot price"
    assert market.service("logs", "westeurope").price == Range.exactly(2.99)
    requested = len(azure.requests)
    assert market.on_demand("Standard_D8s_v3", "uksouth").price == Range.exactly(0.464)
    assert len(azure.requests) == requested
    assert warnings == ["Azure's price list does not answer (it answers 500); prices are the repository's"]


def test_who_is_signed_in_gets_bands_and_newest_spot_prices(
    warnings: Warnings, azure: Azure, address: str, tmp_path: Path
) -> None:
    installed(tmp_path / "bin", [rate(), history(0.06, 0.04)])
    market = warnings.market(address, required=[VM])
    assert market.spot(*VM).price == Range(0.06, 0.04, 0.06)
    assert market.evictions(*VM).rate == Range(0.10, 0.05, 0.10)
    assert market.on_demand(*VM).price == Range.exactly(0.232)
    assert market.evictions("Standard_D4s_v5", "uksouth").rate == Range(0.05, 0.0, 0.05)
    assert warnings == []
    assert len([line for line in azure.requests if "D4s_v3" in line]) == 1


def test_without_anybody_to_ask_five_percent_is_assumed(warnings: Warnings) -> None:
    rate = warnings.market().evictions(*VM)
    assert rate.source.assumed
    assert rate.source.day is None
    assert rate.rate.expected == 0.05


def test_services_are_queried_too(warnings: Warnings, azure: Azure, address: str) -> None:
    names = ["disk-P10", "load-balancer", "control-plane-standard", "logs", "nat-gateway"]
    azure.rows = [service_row(name, "uksouth", 7.0) for name in names]
    market = warnings.market(address, required=[(name, "uksouth") for name in names])
    assert {market.service(name, "uksouth").price.expected for name in names} == {7.0}
    assert {market.service(name, "uksouth").unit for name in names} == {"month", "hour", "GB"}
    assert len(azure.requests) == 5
    assert market.service("control-plane-free", "uksouth").price == Range.exactly(0.0)
    assert market.service("public-ip", "uksouth").price == Range.exactly(0.005)  # not in its answer


def test_a_windows_price_under_a_linux_size_is_reported(
    warnings: Warnings, azure: Azure, address: str
) -> None:
    azure.rows = [row(price=0.416)]
    assert warnings.market(address).on_demand(*VM).warnings == (
        "Standard_D4s_v3 in uksouth: 0.416 an hour, but 0.232 on 2026-06-18; check that price",
    )
    azure.rows = [
        row("Standard_D4as_v5", price=0.384)
    ]  # which the repository's list lacks, for that very reason
    assert (
        "but 0.2 on 2026-06-18"
        in warnings.market(address).on_demand("Standard_D4as_v5", "uksouth").warnings[0]
    )


def test_several_prices_of_one_size_are_reported_and_the_least_counts(
    warnings: Warnings, azure: Azure, address: str
) -> None:
    azure.rows = [row(price=0.25), row(price=0.232)]
    quote = warnings.market(address).on_demand(*VM)
    assert quote.price == Range(0.232, 0.232, 0.25)
    assert quote.warnings == (
        "Standard_D4s_v3 in uksouth: Azure's price list has 2 prices; the lowest counts",
    )


def test_another_currency_is_azures_to_tell(warnings: Warnings, azure: Azure, address: str) -> None:
    azure.rows = [row(price=0.41)]
    market = warnings.market(address, {"currency": "EUR"})
    assert market.currency == "EUR"
    assert market.on_demand(*VM).price == Range.exactly(0.41)
    assert market.on_demand(*VM).warnings == ()  # not compared with dollars
    with pytest.raises(CostError) as refused:
        market.on_demand("Standard_D8s_v3", "uksouth")
    assert refused.value.problems == (
        (
            "cost.currency: EUR is not allowed here; expected USD, because only Azure's price list on the internet has "
            "other currencies and it did not answer for Standard_D8s_v3"
        ),
    )
    with pytest.raises(CostError, match="did not answer for logs"):
        market.service("logs", "uksouth")
    azure.currency = "USD"
    with pytest.raises(CostError, match="EUR is not allowed here"):
        warnings.market(address, {"currency": "EUR"}).on_demand("Standard_D2s_v3", "uksouth")
    assert warnings == ["Azure's price list does not answer (its answer is in USD, not in EUR)"]


def test_offline_there_is_no_other_currency(warnings: Warnings) -> None:
    with pytest.raises(CostError) as refused:
        warnings.market(cost={"currency": "EUR"})
    assert refused.value.problems == (
        "cost.currency: EUR is not allowed offline; expected USD, because the repository has prices in no other",
    )


@pytest.mark.parametrize("currency", ["eur", "EURO", "E'R", "$", 7])
def test_what_is_no_currency_is_one_line(warnings: Warnings, currency: Any) -> None:
    with pytest.raises(CostError, match="is not allowed; expected a code of three capital letters, like EUR"):
        warnings.market(cost={"currency": currency})


@pytest.mark.parametrize(
    ("size", "region", "message"),
    [
        (
            "Standard_Unheard_of",
            "uksouth",
            (
                "cost.prices: no price of Standard_Unheard_of in uksouth is not allowed; expected an entry "
                "Standard_Unheard_of with onDemand, its price an hour, because "
                "Azure's price list does not have this size"
            ),
        ),
        (
            "Standard_ND96asr_v4",
            "ukwest",
            (
                "cost.prices: no price of Standard_ND96asr_v4 in ukwest is not allowed; expected an entry "
                "Standard_ND96asr_v4 with onDemand, its price an hour, because Azure's price list has none for it there"
            ),
        ),
        (
            "Standard_D4s_v3",
            "usgovvirginia",
            (
                "cost.prices: no price of Standard_D4s_v3 in usgovvirginia is not allowed; expected an entry "
                "Standard_D4s_v3 with onDemand, its price an hour, because Azure's price list has none of "
                "Azure Government, a cloud of its own"
            ),
        ),
        (
            "Standard_D4s_v3",
            "narnia",
            "location: narnia is not allowed; expected a region of Azure's public cloud, such as westeurope",
        ),
    ],
)
def test_what_has_no_price_is_one_line_for_on_demand_and_spot_alike(
    warnings: Warnings, size: str, region: str, message: str
) -> None:
    market = warnings.market()
    for ask in (market.on_demand, market.spot):
        with pytest.raises(CostError) as refused:
            ask(size, region)
        assert refused.value.problems == (message,)


def test_a_price_of_ones_own_is_enough_for_a_size_that_is_unknown(warnings: Warnings) -> None:
    market = warnings.market(
        cost={"prices": {"Standard_New": {"onDemand": 2.0, "spot": None, "asOf": "2026-11-01"}}}
    )
    assert market.spot("Standard_New", "westeurope").price == Range(0.0425 / 0.23 * 2, 0.2, 2.0)


def test_a_service_without_a_price_is_one_line(warnings: Warnings) -> None:
    with pytest.raises(
        CostError, match=r"^meter: a yacht is not allowed; expected one of control-plane-free, "
    ):
        warnings.market().service("a yacht", "westeurope")


def test_a_second_bill_within_an_hour_queries_nothing(warnings: Warnings, azure: Azure, address: str) -> None:
    first = warnings.market(address).on_demand(*VM)
    azure.faults = [(500, {}, b"")]
    assert warnings.market(address).on_demand(*VM) == first
    assert len(azure.requests) == 1
    assert json.dumps(warnings) == "[]"


def test_a_quote_in_a_name_stays_in_the_name(warnings: Warnings, azure: Azure, address: str) -> None:
    with pytest.raises(CostError):
        warnings.market(address).on_demand("Standard_D4s_v3' or 'a' eq 'a", "uksouth")
    assert "armSkuName eq 'Standard_D4s_v3'' or ''a'' eq ''a'" in azure.requests[0]


def test_who_interrupts_does_not_wait_for_a_slow_answer(
    monkeypatch: pytest.MonkeyPatch, warnings: Warnings, address: str
) -> None:
    answered, requested = threading.Event(), threading.Event()

    def slow(_list: PriceList, question: str) -> object:
        if "Virtual Machines" in question:
            requested.wait(30)
            raise KeyboardInterrupt
        requested.set()
        answered.wait(30)
        raise NoAnswerError("late")

    monkeypatch.setattr(PriceList, "rows", slow)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        warnings.market(address, required=[VM, ("load-balancer", "uksouth")])
    assert time.monotonic() - begin < 5
    answered.set()


def test_commitments_are_those_of_azures_list(warnings: Warnings, azure: Azure, address: str) -> None:
    azure.rows = [
        row(savingsPlan=[{"retailPrice": 0.16, "term": "1 Year"}]),
        row(price=1200.0, type="Reservation", reservationTerm="1 Year"),
        row(price=2257.0, type="Reservation", reservationTerm="3 Years"),
    ]
    offers = warnings.market(address).offers(*VM)
    assert [(it.kind, it.years, round(it.hourly.price.expected, 4)) for it in offers] == [
        ("reservation", 1, 0.137),
        ("savings plan", 1, 0.16),
        ("reservation", 3, 0.0859),
    ]
    assert all(it.hourly.source.name.startswith("Azure's price list, queried at ") for it in offers)
    assert warnings.market().offers(*VM) == ()
