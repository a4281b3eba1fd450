"""Settings of the expected bill: prices, evictions, usage, a budget. No Azure resource depends on them."""

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from program.settings._model import Day, SettingsModel, setting

Band = Literal["0-5", "5-10", "10-15", "15-20", "20+"]
"""Eviction rates per hour as Azure publishes them, in percent (docs/facts/prices.md#eviction-rates)."""


def _rate(value: object) -> object:
    share = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1
    if share or value is None or (isinstance(value, str) and value in get_args(Band)):
        return value
    raise PydanticCustomError(
        "eviction_rate",
        "the chance within the next hour from 0 to below 1, like 0.05 for 5 %, or one of Azure's bands "
        "'0-5', '5-10', '10-15', '15-20' or '20+'",
    )


EvictionRate = Annotated[Annotated[float, Field(ge=0, lt=1)] | Band, BeforeValidator(_rate)]
"""The chance that a running spot VM is evicted within the next hour: a share, or one of Azure's bands."""


class PoolCost(SettingsModel):
    """Settings of one spot pool that differ from those of all."""

    eviction_rate: EvictionRate | None = setting(
        None,
        about="Chance that a node is evicted within the next hour. Left out: `cost.evictionRate`.",
        unit="share, or one of Azure's bands in percent",
        source="docs/facts/prices.md#eviction-rates",
    )
    sold_out_share: float | None = setting(
        None,
        about="Share of the time in which Azure has no spot VM for the pool, of none of its sizes. Left out: "
        "`cost.soldOutShare` for each size.",
        unit="share",
        source="our choice",
        ge=0,
        lt=1,
    )
    sold_out_hours: float | None = setting(
        None,
        about="How long such a time is on average. Left out: `cost.soldOutHours`.",
        unit="hours",
        source="our choice",
        gt=0,
    )


class Price(SettingsModel):
    """Your own prices of one VM size: negotiated ones, or a spot price of today."""

    on_demand: float | None = setting(
        None,
        about="Price on demand. Left out: Azure's list price.",
        unit="`cost.currency` an hour",
        source="our choice",
        gt=0,
        le=1_000_000_000,
    )
    spot: float | None = setting(
        None,
        about="Price of a spot VM. Left out: Azure's current price, else an assumed one.",
        unit="`cost.currency` an hour",
        source="our choice",
        gt=0,
        le=1_000_000_000,
    )
    as_of: Day = setting(
        about="Day on which the prices were read, because no price is shown without its age.",
        unit="YYYY-MM-DD",
        source="our choice",
    )


class Commitment(SettingsModel):
    """VMs of one size that are paid for all the time, at a lower price: a reservation or a savings plan."""

    vms: int = setting(
        about="How many of them.",
        unit="VMs",
        source="docs/facts/prices.md#commitments",
        ge=1,
        le=5000,
    )
    hourly: float = setting(
        about="What each of them costs, whether it runs or not: the price of the term divided by its hours.",
        unit="`cost.currency` an hour",
        source="docs/facts/prices.md#commitments",
        gt=0,
        le=1_000_000_000,
    )
    as_of: Day = setting(
        about="Day on which they were bought, or the price was read.",
        unit="YYYY-MM-DD",
        source="our choice",
    )


class Usage(SettingsModel):
    """Monthly use of services that are paid for by amount."""

    stored_gib: float = setting(
        0, about="Data kept on blob storage.", unit="GiB", source="docs/facts/prices.md#blob-storage", ge=0
    )
    logs_gib: float = setting(
        0,
        about="Logs sent to the workspace.",
        unit="GiB a month",
        source="docs/facts/aks.md#control-plane-logs",
        ge=0,
    )
    outbound_gib: float = setting(
        0, about="Data sent out of Azure.", unit="GiB a month", source="our choice", ge=0
    )


class Cost(SettingsModel):
    """How the expected bill is computed; no Azure resource depends on it."""

    model: Literal["hourly", "blog"] = setting(
        "hourly",
        about="`hourly` takes evictions per hour as Azure publishes them; `blog` lets 5 % of all work run twice.",
        source="docs/facts/prices.md#eviction-rates",
    )
    currency: str = setting(
        "USD",
        about="Currency of the bill.",
        unit="ISO code",
        source="our choice",
        pattern=r"^[A-Z]{3}$",
        form="a code of three capital letters, like EUR",
    )
    eviction_rate: EvictionRate | None = setting(
        None,
        about="Chance that a spot node is evicted within the next hour. Left out: Azure's own rate if you are signed "
        "in, else 0.05.",
        unit="share, or one of Azure's bands in percent",
        source="docs/facts/prices.md#eviction-rates",
    )
    sold_out_share: float = setting(
        0,
        about="Share of the time in which Azure has no spot VM of a size, so that work runs on the next size or the "
        "fallback, or waits. Sizes of one pool are taken as independent of each other.",
        unit="share",
        source="our choice",
        ge=0,
        lt=1,
    )
    sold_out_hours: float = setting(
        4,
        about="How long such a time is on average. The shorter, the more often Azure may take running VMs at its "
        "start, which is the upper end of the bill's range.",
        unit="hours",
        source="our choice",
        gt=0,
    )
    pools: dict[str, PoolCost] = setting(
        {}, about="Spot pools by name whose rates differ.", source="our choice"
    )
    prices: dict[str, Price] = setting(
        {}, about="VM sizes by name for which you have better prices.", source="our choice"
    )
    commitments: dict[str, Commitment] = setting(
        {},
        about="Reservations and savings plans by VM size; they pay for nodes on demand that are always there.",
        source="docs/facts/prices.md#commitments",
    )
    usage: Usage = setting(Usage(), about="Monthly use of storage, logs and network.", source="our choice")


class Budget(SettingsModel):
    """Most that a stack may cost."""

    monthly: float = setting(
        about="Most that a month may cost; an expected bill above it fails `./kubeflow-aks cost`.",
        unit="`cost.currency`",
        source="our choice",
        gt=0,
    )
