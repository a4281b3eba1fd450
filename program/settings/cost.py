"""Settings of the expected bill: the work, prices, evictions, usage, a budget, which Azure watches on request."""

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from components.monitoring.monitoring_args import BudgetSpec
from program.settings._model import Day, SettingsModel, setting, setting_of, settings_of

_COMMITMENTS = "docs/facts/prices.md#commitments"
_LEAST = "our choice; least values: docs/facts/placement.md#time-for-a-checkpoint"
_RATES = "docs/facts/prices.md#eviction-rates"
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
        None, _RATES, unit="share, or one of Azure's bands in percent"
    )
    """Chance that a node is evicted within the next hour. Left out: `cost.evictionRate`."""
    sold_out_share: float | None = setting(None, "our choice", unit="share", ge=0, lt=1)
    """Share of the time in which Azure has no spot VM for the pool, of none of its sizes. Left out: `cost.soldOutShare`
    for each size."""
    sold_out_hours: float | None = setting(None, "our choice", unit="hours", gt=0)
    """How long such a time is on average. Left out: `cost.soldOutHours`."""


class Price(SettingsModel):
    """Your own prices of one VM size: negotiated ones, or a spot price of today."""

    on_demand: float | None = setting(
        None, "our choice", unit="`cost.currency` an hour", gt=0, le=1_000_000_000
    )
    """Price on demand. Left out: Azure's list price."""
    spot: float | None = setting(None, "our choice", unit="`cost.currency` an hour", gt=0, le=1_000_000_000)
    """Price of a spot VM. Left out: Azure's current price, else an assumed one."""
    as_of: Day = setting(..., "our choice", unit="YYYY-MM-DD")
    """Day on which the prices were read, because no price is shown without its age."""


class Commitment(SettingsModel):
    """VMs of one size that are paid for all the time, at a lower price: a reservation or a savings plan."""

    vms: int = setting(..., _COMMITMENTS, unit="VMs", ge=1, le=5000)
    """How many of them."""
    hourly: float = setting(..., _COMMITMENTS, unit="`cost.currency` an hour", gt=0, le=1_000_000_000)
    """What each of them costs, whether it runs or not: the price of the term divided by its hours."""
    as_of: Day = setting(..., "our choice", unit="YYYY-MM-DD")
    """Day on which they were bought, or the price was read."""


class Usage(SettingsModel):
    """Monthly use of services that are paid for by amount."""

    stored_gib: float = setting(0, "docs/facts/prices.md#blob-storage", unit="GiB", ge=0)
    """Data kept on blob storage."""
    logs_gib: float = setting(0, "docs/facts/aks.md#control-plane-logs", unit="GiB a month", ge=0)
    """Logs sent to the workspace."""
    outbound_gib: float = setting(0, "our choice", unit="GiB a month", ge=0)
    """Data sent out of Azure."""


class Cost(SettingsModel):
    """How the expected bill is computed; no Azure resource depends on it."""

    model: Literal["hourly", "blog"] = setting("hourly", _RATES)
    """`hourly` takes evictions per hour as Azure publishes them; `blog` lets 5 % of all work run twice."""
    currency: str = setting(
        "USD",
        "our choice",
        unit="ISO code",
        pattern=r"^[A-Z]{3}$",
        form="a code of three capital letters, like EUR",
    )
    """Currency of the bill."""
    eviction_rate: EvictionRate | None = setting(
        None, _RATES, unit="share, or one of Azure's bands in percent"
    )
    """Chance that a spot node is evicted within the next hour. Left out: Azure's own rate if you are signed in, else
    0.05."""
    sold_out_share: float = setting(0, "our choice", unit="share", ge=0, lt=1)
    """Share of the time in which Azure has no spot VM of a size, so that work runs on the next size or the fallback, or
    waits. Sizes of one pool are taken as independent of each other."""
    sold_out_hours: float = setting(4, "our choice", unit="hours", gt=0)
    """How long such a time is on average. The shorter, the more often Azure may take running VMs at its start, which is
    the upper end of the bill's range."""
    pools: dict[str, PoolCost] = setting({}, "our choice")
    """Spot pools by name whose rates differ."""
    prices: dict[str, Price] = setting({}, "our choice")
    """VM sizes by name for which you have better prices."""
    commitments: dict[str, Commitment] = setting({}, _COMMITMENTS)
    """Reservations and savings plans by VM size; they pay for nodes on demand that are always there."""
    usage: Usage = setting(Usage(), "our choice")
    """Monthly use of storage, logs and network."""


class Budget(settings_of(BudgetSpec)):
    """Most that a stack may cost."""

    monthly: float = setting(..., "our choice", unit="`cost.currency`", gt=0)
    """Most that a month may cost; an expected bill above it fails `./kubeflow-aks cost`. With emails or action groups
    Azure watches the charges too, in the currency of your agreement."""
    start_date: str | None = setting_of(BudgetSpec, "start_date", default=None)
    """First day of the month in which Azure begins to watch it: this month, or one of the next twelve, when the budget
    is created. Required with emails or action groups."""

    @property
    def watched(self) -> bool:
        """Whether Azure notifies somebody."""
        return bool(self.emails or self.action_groups)


class Work(SettingsModel):
    """One kind of work and where it runs."""

    pool: str = setting(..., "our choice")
    """Name of the pool that runs it."""
    hours_per_month: float = setting(..., _RATES, unit="hours", gt=0)
    """Node hours a month it needs when nothing is evicted; all nodes of its steps count."""
    step_hours: float = setting(..., _RATES, unit="hours", gt=0)
    """Length of one step on its nodes, which is the most that an eviction can repeat."""
    checkpoint_minutes: float | None = setting(None, _RATES, unit="minutes", gt=0)
    """Time between checkpoints; null means an evicted step starts over."""
    checkpoint_write_minutes: float = setting(2, _LEAST, unit="minutes", ge=0)
    """Time that writing one checkpoint takes, in which no work is done."""
    restart_minutes: float = setting(6, _LEAST, unit="minutes", ge=0)
    """Billed time of each further start of a step: boot, images, data, reading a checkpoint."""
    retries: int = setting(5, "our choice", unit="starts", ge=0, le=1000)
    """How often an evicted step starts again before it fails."""
    retry_wait_minutes: float = setting(5, "our choice", unit="minutes", ge=0)
    """Unbilled time between an eviction and the next start: the retry's back-off."""
    deadline_hours: float | None = setting(None, "our choice", unit="hours", gt=0)
    """Time from a step's submission, the boot of its first nodes included, until somebody needs its result; null means
    nobody waits."""
    steps_at_once: int = setting(1, "our choice", unit="steps", ge=1, le=5000)
    """Steps that are submitted together; after the last of them their nodes idle until the autoscaler removes them."""
    nodes_per_step: int = setting(1, "our choice", unit="nodes", ge=1, le=5000)
    """Nodes that one step takes at the same time, such as those of a distributed training. It starts once all are
    there, and when one is evicted all start again."""
    elastic: bool = setting(False, "our choice")
    """Whether a step's other nodes go on when one is evicted, as the workers of Ray and Spark and of elastic training
    do. Then only the evicted one's part is repeated."""
    head_pool: str | None = setting(None, "our choice")
    """Pool on demand where each step has one node more from its start to its end: the head of a Ray cluster, the driver
    of a Spark job. Left out: none."""
    return_to_spot: bool = setting(False, "our choice")
    """Whether its pods have the label `kubeflow-aks/return-to-spot`, `checkpointed` with `checkpointMinutes` and else
    `restartable`, so that `kubeflow.returnToSpot` moves them. The bill counts that; it labels nothing."""
