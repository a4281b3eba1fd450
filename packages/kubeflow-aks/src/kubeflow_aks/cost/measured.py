"""What a drill measured on a stack's pools: the model of `kubeflow_aks/drill/measured.schema.json`, for the bill."""

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from statistics import median
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from kubeflow_aks.cost.figures import CostError, Range, Restart, Source
from kubeflow_aks.cost.files import load
from kubeflow_aks.text.numbers import counted

_WROTE: Final = "what `./kubeflow-aks drill` wrote"
_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Seconds = Annotated[float, Field(ge=0, le=86_400)]
"""A drill ends within minutes; a day is beyond all sense."""


class _Written(BaseModel):
    """Unknown keys are a newer drill's and ignored."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        extra="ignore",
    )


class PoolTimes(_Written):
    """What was measured on one pool, each list in the order of time; in seconds.

    Attributes:
        boot_seconds: of each node that came for waiting work, from the autoscaler's request until it was Ready.
        start_seconds: of each of these nodes, until its first pod of the drill ran: image and container.
        notice_seconds: of each eviction that was announced, until the node was gone.
        drained: of each eviction that met work, whether all of it was evicted before the node was gone.
        again_seconds: of each pod that was lost, until its successor ran, wherever: the Job's pause, the wait for a
            node and the start.
    """

    vm_size: _Name
    boot_seconds: tuple[_Seconds, ...] = ()
    start_seconds: tuple[_Seconds, ...] = ()
    notice_seconds: tuple[_Seconds, ...] = ()
    drained: tuple[bool, ...] = ()
    again_seconds: tuple[_Seconds, ...] = ()

    @property
    def restart(self) -> Range | None:
        """Seconds from a node's request until work ran on it; None where that was not observed."""
        boot, start = spread(self.boot_seconds), spread(self.start_seconds)
        return boot + start if boot and start else None


class Measured(_Written):
    """What one drill measured.

    Attributes:
        where: `local` for the local AKS, whose seconds are simulated and say nothing of Azure's.
        day: of the drill, UTC.
        location: Azure region.
        pools: by name; those of which nothing was measured are left out.
    """

    version: Literal[1] = 1
    stack: _Name
    where: Literal["azure", "local"]
    day: Annotated[date, Field(alias="date")]
    location: _Name
    pools: dict[_Name, PoolTimes]


def read(path: Path, pools: Iterable[str]) -> Measured:
    """What a drill on Azure measured, from the file that `./kubeflow-aks drill` wrote.

    Raises:
        CostError: it can't be read, is not about this stack's pools, or has the simulated seconds of the local AKS; one
            line for each mistake.
    """
    report = load(path, Measured, _WROTE)
    if report.where == "local":
        raise CostError(
            f"{path.name}: where: 'local' is not allowed; expected 'azure', for the seconds of the local AKS are "
            "simulated and not those of Azure; measure with `./kubeflow-aks drill` on a cluster there"
        )
    names = tuple(pools)
    strangers = tuple(
        f"{path.name}: pool {name!r} is not allowed; expected one of this stack's pools: {', '.join(names) or 'none'}"
        for name in report.pools
        if name not in names
    )
    if strangers:
        raise CostError(*strangers)
    return report


def restarts(measured: Measured, sizes: Mapping[str, str]) -> Mapping[str, Restart]:
    """How long a restart takes on each pool whose nodes are still of the VM size that was measured."""
    by_pool: dict[str, Restart] = {}
    for name, times in measured.pools.items():
        if (seconds := times.restart) and times.vm_size == sizes.get(name):
            nodes, evictions = len(times.boot_seconds), len(times.drained)
            words = f"measured by a drill on {counted(nodes, 'node')}, {counted(evictions, 'eviction')}"
            source = Source(words, measured.day)
            by_pool[name] = Restart(seconds * (1 / 60), source, times.notice_seconds, times.drained)
    return by_pool


def spread(seconds: Iterable[float]) -> Range | None:
    """The median of some times, from the shortest to the longest; None of none."""
    ordered = sorted(seconds)
    return Range(median(ordered), ordered[0], ordered[-1]) if ordered else None
