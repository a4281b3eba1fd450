"""What a drill measured on a stack's pools, as `drill/measured.schema.json` has it; who makes a bill reads it here."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Seconds = Annotated[float, Field(ge=0, le=86_400)]
"""A drill ends within minutes; a day is beyond all sense."""


class _Written(BaseModel):
    """Keys that this program does not know are a newer drill's."""

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


class Measured(_Written):
    """What one drill measured.

    Attributes:
        where: `local` for the local AKS, whose seconds are simulated and say nothing of Azure's.
        day: on which it began, UTC.
        location: Azure region.
        pools: by name; those of which nothing was measured are left out.
    """

    version: Literal[1] = 1
    stack: _Name
    where: Literal["azure", "local"]
    day: Annotated[date, Field(alias="date")]
    location: _Name
    pools: dict[_Name, PoolTimes]
