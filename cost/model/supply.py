"""A supply trace: how often spot is sold out, and how often it is taken.

The form is that of the traces of "Can't Be Late: Optimizing Spot Instance Savings under Deadlines", Wu et al. 2024, as
`spot-traces/README.md` describes it: `{"metadata": {"gap_seconds": 300}, "data": [1, 1, 0, …]}`, where each number
tells how many VMs were to be had at that moment.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, cast

from cost.figures import CostError
from cost.model.rates import chance_within_an_hour

_TOLD: Final = 5  # mistakes of one kind, so that a file of something else isn't listed number by number


@dataclass(frozen=True)
class Supply:
    """What a trace says; what comes and goes between two of its moments it does not see.

    Attributes:
        hours: how long it is.
        wanted: VMs that were asked for at each moment.
        sold_out: share of them that were not to be had.
        rate: chance that one which was there is gone within an hour.
        outage: hours that one which is missing stays so, on average; 0 where none is missing.
    """

    hours: float
    wanted: int
    sold_out: float
    rate: float
    outage: float


def supply(text: str | bytes, file: str) -> Supply:
    """Read a trace.

    Args:
        text: the file's text.
        file: its name, for messages.

    Raises:
        CostError: it is no trace, or says nothing about evictions because no VM was ever there.
    """
    gap, moments = _read(text, file)
    wanted = max(moments)
    missing = sum(wanted - there for there in moments)
    watched = sum(moments[:-1])  # nobody knows what came after the last moment
    if not watched:
        said = "zeros up to its last number" if wanted else "only zeros"
        message = f"{file} data: {said} is not allowed; expected a trace in which spot is there for a while"
        raise CostError(message)
    taken = sum(max(0, there - later) for there, later in pairwise(moments))
    outages = taken + wanted - moments[0]
    return Supply(
        hours=len(moments) * gap,
        wanted=wanted,
        sold_out=missing / (wanted * len(moments)),
        rate=1.0 if taken == watched else chance_within_an_hour(-math.log1p(-taken / watched) / gap),
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
    for place in wrong[:_TOLD]:
        yield f"data[{place}]: {_shown(moments[place])} is not allowed; expected a whole number from 0"
    if len(wrong) > _TOLD:
        yield f"data: {len(wrong) - _TOLD} more like these are not allowed; expected whole numbers from 0"


def _inside(mapping: Any, key: str) -> Any:
    return cast(dict[str, Any], mapping).get(key) if isinstance(mapping, dict) else None


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"  # noqa: PLR2004 - a line that can be read
