"""Reads OpenCost's answer to `/allocation`, by node (opencost.io/docs/integrations/api)."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from kubeflow_aks.cost.actual.charged import Charged, Place
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.files import load

_WROTE: Final = (
    "what OpenCost answers to /allocation?window=month&aggregate=node&includeIdle=true&idleByNode=true"
)
_HEAD: Final = 200
"""Characters in which an answer has `code` and `data`."""
_Figure = Annotated[float, Field(allow_inf_nan=False)]


class _Read(BaseModel):
    """Keys that are not needed here may be whatever they are."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel)


class _Properties(_Read):
    node: str | None = None


class _Allocation(_Read):
    name: str = ""
    properties: _Properties | None = None
    start: AwareDatetime
    end: AwareDatetime
    minutes: Annotated[_Figure, Field(ge=0)] = 0.0
    total_cost: _Figure


class _Answer(_Read):
    data: list[dict[str, _Allocation | None] | None]


def wrote(path: Path) -> bool:
    """Whether a JSON file is an answer of OpenCost; a record of nodes has no `data`."""
    with path.open("rb") as file:
        return b'"data"' in file.read(_HEAD)


def read(path: Path, place: Place) -> Charged:
    """The costs of a cluster's nodes, at OpenCost's prices.

    Raises:
        CostError: it is no such answer, or no node of the cluster is in it; one line for each mistake.
    """
    charged = Charged(list_prices=True)
    for step in load(path, _Answer, _WROTE).data:
        minutes: dict[tuple[str, str], float] = defaultdict(float)
        for key, it in (step or {}).items():
            if it is None:
                charged.puzzle(f"{path.name}: {key} has no figures")
                continue
            charged.spans.append((it.start.replace(tzinfo=None), it.end.replace(tzinfo=None)))
            node = (it.properties.node if it.properties else None) or it.name or key
            pool = place.pool(node)
            if pool in place.pools:
                charge = charged.pools[pool]
                # Idle and used shares of a node are of the same minutes.
                minutes[pool, node] = max(minutes[pool, node], it.minutes)
            elif pool:
                charge = charged.unattributed[f"pool {pool}, which the stack does not have"]
            else:
                charge = charged.unattributed[f"OpenCost's {it.name or key}"]
            charge.amount += it.total_cost
            charge.billed += it.total_cost
            charge.rows += 1
        for (pool, _), number in minutes.items():
            charged.pools[pool].hours += number / 60
    if not charged.pools:
        raise CostError(f"{path.name}: no node of this cluster is not allowed; expected {_WROTE}")
    return charged
