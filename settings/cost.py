"""What the expected bill is made with: prices, evictions, usage, a budget. No Azure resource depends on it."""

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from settings._model import Day, SettingsModel, setting

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
    """What holds for one spot pool instead of for all."""

    eviction_rate: EvictionRate | None = setting(
        None,
        about="Chance that a node is evicted within the next hour. Left out: `cost.evictionRate`.",
        unit="share, or one of Azure's bands in percent",
        source="docs/facts/prices.md#eviction-rates",
    )
    sold_out_share: float | None = setting(
        None,
        about="Share of the time in which Azure has no spot VM for the pool. Left out: `cost.soldOutShare`.",
        unit="share",
        source="our choice",
        ge=0,
        lt=1,
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
        about="Price of a spot VM. Left out: asked from Azure, else assumed.",
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


class Usage(SettingsModel):
    """What a month uses of services that are paid for by amount."""

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
    """What the expected bill is made with, where it is not the default."""

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
        about="Chance that a spot node is evicted within the next hour. Left out: asked from Azure where somebody is "
        "signed in, else 0.05 is assumed.",
        unit="share, or one of Azure's bands in percent",
        source="docs/facts/prices.md#eviction-rates",
    )
    sold_out_share: float = setting(
        0,
        about="Share of the time in which Azure has no spot VM, so that work runs on the fallback or waits.",
        unit="share",
        source="our choice",
        ge=0,
        lt=1,
    )
    pools: dict[str, PoolCost] = setting(
        {}, about="Spot pools by name for which something else holds.", source="our choice"
    )
    prices: dict[str, Price] = setting(
        {}, about="VM sizes by name of which you know the price better.", source="our choice"
    )
    usage: Usage = setting(
        Usage(), about="What a month uses of storage, logs and network.", source="our choice"
    )


class Budget(SettingsModel):
    """What a stack may cost."""

    monthly: float = setting(
        about="What a month may cost; an expected bill above it fails `make cost`.",
        unit="`cost.currency`",
        source="our choice",
        gt=0,
    )
