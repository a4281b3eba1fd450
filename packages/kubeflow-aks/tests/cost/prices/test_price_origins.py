"""What each origin says: the stack's settings, the repository, and the shares that are assumed."""

from datetime import date

import pytest

from aks_facts import (
    PRICES_READ,
    ondemand_prices,
    priced_regions,
    quoted_spot_price,
    services,
)
from kubeflow_aks.cost.figures import CostError, Range, Source
from kubeflow_aks.cost.prices import bands
from kubeflow_aks.cost.prices.chain import Chain
from kubeflow_aks.cost.prices.estimates import assumed_spot
from kubeflow_aks.cost.prices.opening import Overrides
from kubeflow_aks.cost.prices.snapshot import Snapshot

TODAY = date(2026, 11, 22)


def near(amount: Range, expected: float, low: float, high: float) -> bool:
    """Whether all three figures are those, but for rounding."""
    return [amount.expected, amount.low, amount.high] == pytest.approx([expected, low, high])


SNAPSHOT = Snapshot(TODAY)


def test_the_stack_file_says_a_price_with_its_day() -> None:
    overrides = Overrides({"Standard_D8ds_v5": {"onDemand": 0.5, "spot": None, "asOf": "2026-11-01"}})
    quote = overrides.on_demand("Standard_D8ds_v5", "anywhere")
    assert quote is not None
    assert quote.price == Range.exactly(0.5)
    assert quote.source == Source("this stack's settings", date(2026, 11, 1))
    assert overrides.spot("Standard_D8ds_v5", "anywhere") is None
    assert overrides.on_demand("Standard_D4s_v5", "anywhere") is None
    assert overrides.service("logs", "anywhere") is None


def test_what_is_no_price_in_anybodys_plan_is_one_line_each() -> None:
    with pytest.raises(CostError) as refused:
        Overrides(
            {
                "Standard_A": {"onDemand": 0, "spot": float("nan"), "asOf": "yesterday"},
                "Standard_B": {"onDemand": "cheap", "spot": True, "asOf": 7},
                "Standard_C": None,
                "Standard_D": {"onDemand": -1, "spot": float("inf"), "asOf": "2026-11-22"},
                "Standard_E": {"onDemand": 0.1, "spot": None, "asOf": None},
                "Standard_F": {"onDemand": 10**20, "asOf": None},
            }
        )
    expected = "is not allowed; expected a price an hour above 0, at most 1,000,000,000"
    day = "is not allowed; expected a day such as 2026-11-22"
    assert refused.value.problems == (
        f"cost.prices.Standard_A.onDemand: 0 {expected}",
        f"cost.prices.Standard_A.spot: nan {expected}",
        f"cost.prices.Standard_A.asOf: 'yesterday' {day}",
        f"cost.prices.Standard_B.onDemand: 'cheap' {expected}",
        f"cost.prices.Standard_B.spot: True {expected}",
        f"cost.prices.Standard_B.asOf: 7 {day}",
        "cost.prices.Standard_C: None is not allowed; expected onDemand, spot and asOf",
        f"cost.prices.Standard_D.onDemand: -1 {expected}",
        f"cost.prices.Standard_D.spot: inf {expected}",
        f"cost.prices.Standard_F.onDemand: {10**20} {expected}",
    )


def test_a_list_price_has_the_day_of_the_list() -> None:
    quote = SNAPSHOT.on_demand("Standard_D4s_v3", "uksouth")
    assert quote is not None
    assert (quote.price, quote.unit, quote.warnings) == (Range.exactly(0.232), "hour", ())
    assert quote.source == Source("Azure's list price", PRICES_READ)


def test_a_hole_in_the_list_is_filled_by_the_series_and_reported() -> None:
    assert "uksouth" not in ondemand_prices("Standard_D4as_v5")
    quote = SNAPSHOT.on_demand("Standard_D4as_v5", "uksouth")
    assert quote is not None
    assert near(quote.price, 0.2, 0.196, 0.204)
    assert quote.source.assumed
    assert quote.warnings == (
        "Standard_D4as_v5 in uksouth: missing in the price list; estimated from other sizes of its series",
    )


@pytest.mark.parametrize(
    ("size", "region"),
    [
        ("Standard_D4s_v3", "narnia"),
        ("Standard_Unheard_of", "uksouth"),
        ("Standard_ND96asr_v4", "ukwest"),  # not sold there, and its family has no holes
        ("Standard_D4as_v5", "malaysiawest"),  # the whole series is missing, so no size tells another's price
    ],
)
def test_an_unknown_price_is_none_and_not_free(size: str, region: str) -> None:
    assert SNAPSHOT.on_demand(size, region) is None
    assert SNAPSHOT.spot(size, region) is None


def test_a_spot_price_is_reported_with_its_age_and_what_it_may_have_become() -> None:
    quote = SNAPSHOT.spot("Standard_D4s_v5", "westeurope")
    assert quote is not None
    assert quote.price == Range(0.0425, 0.0425 / 2.36, 0.0425 * 2.36)
    assert quote.source == Source("published spot price", date(2026, 8, 3))
    assert "the spot price is 111 days old" in quote.warnings[0]


def test_no_spot_price_is_above_the_price_on_demand() -> None:
    quote = SNAPSHOT.spot("Standard_NC4as_T4_v3", "westeurope")
    assert quote is not None
    assert quote.price.high == ondemand_prices("Standard_NC4as_T4_v3")["westeurope"] == 0.658


def test_a_spot_price_of_years_ago_may_have_become_anything() -> None:
    quote = SNAPSHOT.spot("Standard_D4s_v3", "uksouth")
    assert quote is not None
    assert near(quote.price, 0.0487, 0.0232, 0.232)


def test_a_region_without_a_published_spot_price_has_none() -> None:
    assert SNAPSHOT.spot("Standard_D4s_v5", "uksouth") is None
    assert quoted_spot_price("Standard_D4s_v5", "uksouth") is None


@pytest.mark.parametrize(("size", "share"), [("Standard_D4s_v5", 0.21), ("Standard_NC4as_T4_v3", 0.34)])
def test_an_assumed_spot_price_is_a_share_with_a_wide_range(size: str, share: float) -> None:
    on_demand = SNAPSHOT.on_demand(size, "uksouth")
    assert on_demand is not None
    price = on_demand.price.expected
    quote = assumed_spot(size, "uksouth", on_demand)
    assert near(quote.price, share * price, 0.1 * price, price)
    assert quote.source.assumed
    assert quote.source.day is None
    assert quote.warnings[0].startswith(f"{size} in uksouth: spot price unknown; {share * 100:.0f} % of")


@pytest.mark.parametrize("name", services())
def test_every_service_has_a_price_in_every_region(name: str) -> None:
    for region in priced_regions():
        quote = SNAPSHOT.service(name, region)
        assert quote is not None
        assert quote.price.expected > 0 or name == "control-plane-free"
        assert quote.source.day


def test_a_service_tells_where_its_price_is_another_regions() -> None:
    here, elsewhere = SNAPSHOT.service("logs", "westeurope"), SNAPSHOT.service("logs", "uksouth")
    assert here is not None
    assert elsewhere is not None
    assert here.warnings == ()
    assert elsewhere.warnings == ("logs: no price for uksouth; that of westeurope is used",)
    assert SNAPSHOT.service("a yacht", "westeurope") is None


def test_known_prices_of_services() -> None:
    known_prices = {
        (name, region): quote.price.expected
        for name, region in [
            ("control-plane-standard", "uksouth"),
            ("control-plane-premium", "uksouth"),
            ("load-balancer", "uksouth"),
            ("public-ip", "uksouth"),
            ("disk-P10", "eastus"),
            ("disk-P10", "westeurope"),
            ("disk-P10", "uksouth"),
            ("disk-P10", "westus2"),
            ("blob-hot-lrs", "eastus"),
        ]
        if (quote := SNAPSHOT.service(name, region))
    }
    assert list(known_prices.values()) == [0.1, 0.6, 0.025, 0.005, 19.71, 21.68, 23.848, 17.92, 0.0208]


@pytest.mark.parametrize(
    ("published", "rate"),
    [
        (0, Range.exactly(0)),
        (0.05, Range.exactly(0.05)),
        ("0-5", Range(0.05, 0, 0.05)),
        ("0-5%", Range(0.05, 0, 0.05)),
        (" 15 - 20 ", Range(0.20, 0.15, 0.20)),
        ("20+", Range(0.20, 0.20, 1)),
        ("20+%", Range(0.20, 0.20, 1)),
    ],
)
def test_a_rate_is_a_number_or_a_band_at_its_upper_end(published: float | str, rate: Range) -> None:
    assert bands.rate(published, Source("me")).rate == rate


@pytest.mark.parametrize(
    "published",
    [1, 1.5, -0.1, float("nan"), float("inf"), "", "5", "10-5", "5-5", "+", "a-b", "100-200", "0-5-10"],
)
def test_what_is_no_rate_is_refused(published: float | str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        bands.rate(published, Source("me"))


def test_old_prices_are_reported_with_what_they_are_of() -> None:
    overrides = Overrides({"Standard_D8ds_v5": {"onDemand": 0.5, "spot": 0.1, "asOf": "2027-06-18"}})
    today = date(2028, 11, 22)
    market = Chain([overrides, Snapshot(today)], "USD", today)
    sizes = ("Standard_D4s_v5", "Standard_D16s_v5")
    result = [warning for size in sizes for warning in market.on_demand(size, "westeurope").warnings]
    listed = f"888 days old (Azure's list price, as of {PRICES_READ}) and may have changed since"
    assert result == [f"{size} in westeurope: the price is {listed}" for size in sizes]
    [service] = market.service("public-ip", "westeurope").warnings
    assert service.startswith("public-ip in westeurope: the price is ")
    [spot] = market.spot("Standard_D8ds_v5", "westeurope").warnings
    assert spot == (
        "spot Standard_D8ds_v5 in westeurope: the price is 523 days old (this stack's settings, as of 2027-06-18) and "
        "may have changed since"
    )
    young = Chain([overrides, Snapshot(PRICES_READ)], "USD", date(2027, 6, 18))
    assert young.on_demand("Standard_D4s_v5", "westeurope").warnings == ()


def _chain(**entries: dict[str, float | str]) -> Chain:
    return Chain([Overrides(entries), SNAPSHOT], "USD", TODAY)


def test_a_size_without_a_spot_price_costs_as_much_of_on_demand_as_its_series() -> None:
    """Four times the machine is not cheaper, whatever is assumed for other series."""
    market = _chain()
    small, large = (market.spot(f"Standard_NC{cpus}as_T4_v3", "westeurope") for cpus in (4, 16))
    share = 0.5714 / 0.658
    on_demand = market.on_demand("Standard_NC16as_T4_v3", "westeurope").price
    assert large.price.expected == pytest.approx(share * on_demand.expected)
    assert large.price.expected > small.price.expected
    assert (large.price.low, large.price.high) == (pytest.approx(0.1 * on_demand.low), on_demand.high)
    assert large.source.assumed
    [warning] = large.warnings
    assert warning == (
        "Standard_NC16as_T4_v3 in westeurope: spot price unknown; 87 % of the price on demand is assumed, as quoted "
        "for Standard_NC4as_T4_v3 there"
    )


@pytest.mark.parametrize(
    ("size", "region", "words"),
    [
        ("Standard_NC24ads_A100_v4", "westeurope", "87 % of the price on demand, as quoted in the region"),
        ("Standard_E8s_v5", "westeurope", "18 % of the price on demand, as quoted in the region"),
        ("Standard_D8s_v5", "westeurope", "18 % of the price on demand, as quoted in its series"),
        ("Standard_E8s_v5", "northeurope", "21 % of the price on demand"),
    ],
)
def test_a_quote_of_the_series_goes_first_then_of_the_region_then_the_assumption(
    size: str, region: str, words: str
) -> None:
    quote = _chain().spot(size, region)
    assert quote.source == Source(f"assumed: {words}", assumed=True)


def test_the_stack_files_own_spot_price_says_what_its_series_costs() -> None:
    market = _chain(Standard_E4s_v5={"spot": 0.1, "onDemand": 0.2, "asOf": "2026-11-01"})
    on_demand = market.on_demand("Standard_E8s_v5", "northeurope").price.expected
    assert market.spot("Standard_E8s_v5", "northeurope").price.expected == pytest.approx(0.5 * on_demand)
    dearer = _chain(Standard_E4s_v5={"spot": 0.3, "onDemand": 0.2, "asOf": "2026-11-01"})
    assert dearer.spot("Standard_E8s_v5", "northeurope").price.expected == pytest.approx(on_demand)
    unpriced = _chain(Standard_Nothing={"spot": 0.1, "asOf": "2026-11-01"})
    assert (
        unpriced.spot("Standard_E8s_v5", "northeurope").source.name == "assumed: 21 % of the price on demand"
    )
