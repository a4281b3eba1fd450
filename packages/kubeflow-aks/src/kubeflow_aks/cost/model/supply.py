"""A supply trace: how often spot is sold out, and how often spot VMs are evicted.

The form is that of the traces of "Can't Be Late: Optimizing Spot Instance Savings under Deadlines", Wu et al. 2024, as
`spot-traces/README.md` describes it: `{"metadata": {"gap_seconds": 300}, "data": [1, 1, 0, …]}`, where each number
is the count of VMs available at that moment.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, cast

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.model.rates import chance_within_an_hour

_MOST: Final = (
    5  # mistakes of one kind that are listed, so that a file of something else does not flood the terminal
)


@dataclass(frozen=True)
class Supply:
    """The figures of a trace; changes between two of its moments are not in it.

    Attributes:
        hours: how long it is.
        vms: VMs requested at each moment.
        sold_out: share of them that were not available.
        rate: chance that an available one is gone within an hour.
        outage: hours that a missing one stays missing, on average; 0 where none is missing.
    """

    hours: float
    vms: int
    sold_out: float
    rate: float
    outage: float


def supply(text: str | bytes, file: str) -> Supply:
    """Reads a trace; `file` is its name, for messages.

    Raises:
        CostError: it is no trace, or has no evictions to count because no VM was ever available.
    """
    gap, moments = _read(text, file)
    vms = max(moments)
    missing = sum(vms - there for there in moments)
    watched = sum(moments[:-1])  # what came after the last moment is unknown
    if not watched:
        content = "zeros up to its last number" if vms else "only zeros"
        message = (
            f"{file} data: {content} is not allowed; expected a trace in which spot is there for a while"
        )
        raise CostError(message)
    lost = sum(max(0, there - later) for there, later in pairwise(moments))
    outages = lost + vms - moments[0]
    return Supply(
        hours=len(moments) * gap,
        vms=vms,
        sold_out=missing / (vms * len(moments)),
        rate=1.0 if lost == watched else chance_within_an_hour(-math.log1p(-lost / watched) / gap),
        outage=missing * gap / outages if outages else 0.0,
    )


def _read(text: str | bytes, file: str) -> tuple[float, list[int]]:
    """Hours between two moments, and how many VMs were there at each."""
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:  # no JSON, no text, a thousand brackets
        message = f"{file}: {error} is not allowed; expected a supply trace as JSON"
        raise CostError(message) from error
    if problems := [f"{file} {problem}" for problem in _problems(document)]:
        raise CostError(*problems)
    return document["metadata"]["gap_seconds"] / 3600, document["data"]


def _problems(document: Any) -> Iterator[str]:
    gap = _inside(_inside(document, "metadata"), "gap_seconds")
    data = _inside(document, "data")
    if isinstance(gap, bool) or not isinstance(gap, int | float) or not 0 < gap < math.inf:
        yield f"metadata.gap_seconds: {_shown(gap)} is not allowed; expected seconds above 0"
    moments = cast(list[Any], data) if isinstance(data, list) else []
    if len(moments) < 2:  # noqa: PLR2004 - what is gone takes two moments to see
        yield f"data: {_shown(data)} is not allowed; expected a list of at least two numbers"
    wrong = [place for place, there in enumerate(moments) if type(there) is not int or there < 0]
    for place in wrong[:_MOST]:
        yield f"data[{place}]: {_shown(moments[place])} is not allowed; expected a whole number from 0"
    if len(wrong) > _MOST:
        yield f"data: {len(wrong) - _MOST} more like these are not allowed; expected whole numbers from 0"


def _inside(mapping: Any, key: str) -> Any:
    return cast(dict[str, Any], mapping).get(key) if isinstance(mapping, dict) else None


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"  # noqa: PLR2004 - a line that can be read
