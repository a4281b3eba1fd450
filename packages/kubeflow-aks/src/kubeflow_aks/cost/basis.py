"""The output `costBasis`: a stack's settings for work, prices and budget.

The program fills in all defaults. Those here are for programs without that output, and for files of other programs.
"""

from collections.abc import Iterator, Mapping
from datetime import date, time
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.model.step import Checkpoints, Step
from kubeflow_aks.text.columns import cut

HOURS_A_WEEK: Final = 168
_LONGEST: Final = 80
"""Letters of a wrong value that are shown."""

_Share = Annotated[float, Field(ge=0, lt=1)]
_Hours = Annotated[float, Field(gt=0, le=1e12)]
_NotNegative = Annotated[float, Field(ge=0, le=1e12)]
"""The upper ends are beyond all sense; sums of figures below them are never infinite."""
Rate = Annotated[float, Field(ge=0, lt=1)] | Literal["0-5", "5-10", "10-15", "15-20", "20+"]
"""Chance of an eviction within the next hour, or one of Azure's bands ("spot-vms.md"), in percent."""


class _Read(BaseModel):
    """The output of another program; unknown keys are a newer program's and ignored."""

    model_config = ConfigDict(
        frozen=True, strict=True, allow_inf_nan=False, alias_generator=to_camel, extra="ignore"
    )


class Work(_Read):
    """One kind of work, as the setting `workload` has it."""

    pool: str
    hours_per_month: _Hours
    step_hours: _Hours
    checkpoint_minutes: _Hours | None = None
    checkpoint_write_minutes: _NotNegative = 2
    restart_minutes: _NotNegative = 6
    retries: Annotated[int, Field(ge=0, le=1000, strict=False)] = 5
    retry_wait_minutes: _NotNegative = 5
    deadline_hours: _Hours | None = None
    steps_at_once: Annotated[int, Field(ge=1, le=5000, strict=False)] = 1
    nodes_per_step: Annotated[int, Field(ge=1, le=5000, strict=False)] = 1
    elastic: bool = False
    head_pool: str | None = None
    return_to_spot: bool = False
    assumed: list[str] | None = None
    """Keys that the stack's file leaves at their default; None from a program of before it."""

    @property
    def assumes_restart(self) -> bool:
        """Whether `restartMinutes` is left at its default."""
        stated = "restart_minutes" in self.model_fields_set
        return not stated if self.assumed is None else "restartMinutes" in self.assumed

    @cached_property
    def step(self) -> Step:
        """One step, for the model."""
        every = self.checkpoint_minutes
        return Step(
            hours=self.step_hours,
            restart=self.restart_minutes / 60,
            wait=self.retry_wait_minutes / 60,
            checkpoints=None
            if every is None
            else Checkpoints(every / 60, self.checkpoint_write_minutes / 60),
            retries=self.retries,
            deadline=self.deadline_hours,
            nodes=self.nodes_per_step,
            elastic=self.elastic,
        )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same with other figures, and without the step of the old ones, which pydantic would copy."""
        copy = super().model_copy(update=update, deep=deep)
        vars(copy).pop("step", None)
        return copy

    @property
    def steps_a_month(self) -> float:
        """How many steps its node hours are."""
        return self.hours_per_month / self.step_hours / self.nodes_per_step


class PoolBasis(_Read):
    """Settings of one spot pool."""

    eviction_rate: Rate | None = None
    sold_out_share: _Share | None = None
    sold_out_hours: _Hours | None = None


class Commitment(_Read):
    """VMs of one size that are paid for whether they run or not, at a price an hour."""

    vms: Annotated[int, Field(ge=1, le=5000, strict=False)]
    hourly: Annotated[float, Field(gt=0, le=1e9)]
    as_of: Annotated[date | None, Field(strict=False)] = None


class Usage(_Read):
    """What is billed by the GiB, a month."""

    stored_gib: _NotNegative = 0
    logs_gib: _NotNegative = 0
    outbound_gib: _NotNegative = 0


class Cost(_Read):
    """The setting `cost`."""

    model: Literal["hourly", "blog"] = "hourly"
    currency: str = "USD"
    eviction_rate: Rate | None = None
    sold_out_share: _Share = 0
    sold_out_hours: _Hours = 4
    pools: dict[str, PoolBasis] = {}
    prices: dict[str, dict[str, Any]] = {}
    """Negotiated prices, by size; `cost.prices` reads them."""
    commitments: dict[str, Commitment] = {}
    """Reservations and savings plans, by size."""
    usage: Usage = Usage()


class Budget(_Read):
    """The setting `budget`."""

    monthly: _Hours


class OfficeHours(_Read):
    """The setting `officeHours`: outside of them the cluster is stopped."""

    days: Annotated[list[str], Field(min_length=1, max_length=7)]
    opens: Annotated[time, Field(alias="from", strict=False)]
    closes: Annotated[time, Field(alias="to", strict=False)]

    @property
    def day(self) -> float:
        """Hours from the morning to the evening."""
        return _hours(self.closes) - _hours(self.opens)

    @property
    def share(self) -> float:
        """Share of a week in which the cluster runs."""
        return len(set(self.days)) * self.day / HOURS_A_WEEK


class Basis(_Read):
    """The whole output."""

    location: str | None = None
    workload: dict[str, Work] = {}
    cost: Cost = Cost()
    budget: Budget | None = None
    office_hours: OfficeHours | None = None


BLOG: Final[Mapping[str, tuple[float, float]]] = {
    "preparation": (2000, 2),
    "features": (1000, 4),
    "training": (400, 20),
}
"""The month that a stack without `workload` is billed for: hours, and hours of a step. The lengths are our choice."""


def read(outputs: Mapping[str, Any]) -> Basis:
    """Reads a stack's output `costBasis`; the defaults where the program has none.

    Raises:
        CostError: some of it can't be read; one line for each mistake.
    """
    output = outputs.get("costBasis")
    if output is None:
        return Basis()
    try:
        basis = Basis.model_validate(output)
    except ValidationError as error:
        raise CostError(*_lines(error)) from None
    hours = basis.office_hours
    if hours and hours.share <= 0:
        raise CostError(
            f"costBasis.officeHours.to: {hours.closes:%H:%M} is not allowed; expected a time after {hours.opens:%H:%M}"
        )
    return basis


def blog_profile(pool: str) -> dict[str, Work]:
    """The blog's month on a pool."""
    return {
        name: Work(pool=pool, hoursPerMonth=hours, stepHours=step)  # type: ignore[call-arg]
        for name, (hours, step) in BLOG.items()
    }


def _hours(moment: time) -> float:
    return moment.hour + moment.minute / 60


def _lines(error: ValidationError) -> Iterator[str]:
    reported: set[str] = set()
    for mistake in error.errors(include_url=False):
        path = [str(part) for part in mistake["loc"]]
        if "evictionRate" in path:  # the two forms that it may have are one mistake
            path = path[: path.index("evictionRate") + 1]
        key = ".".join(["costBasis", *path])
        if key in reported:
            continue
        reported.add(key)
        allowed = mistake["msg"].removeprefix("Input should be ").replace("Field required", "a value")
        if mistake["type"] in {"model_type", "dict_type"}:
            allowed = "an object"
        if path[-1:] == ["evictionRate"]:
            allowed = "a number from 0 to below 1, or a band of Azure's: 0-5, 5-10, 10-15, 15-20 or 20+"
        value = cast(object, None if mistake["type"] == "missing" else mistake["input"])
        yield f"{key}: {cut(repr(value), _LONGEST)} is not allowed; expected {allowed[:1].lower()}{allowed[1:]}"
