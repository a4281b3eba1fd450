"""The runs of workflows as Argo reports them: their phase, and the attempts at each step."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

Object = dict[str, Any]

_ATTEMPT: Final = re.compile(r"\.(?P<step>[^.()]+)(\(\d+\))?\.executor(\((?P<number>\d+)\))?$")
"""Name of a step's pod: each part may be an attempt itself."""


@dataclass(frozen=True)
class Attempt:
    """One pod of a step, from the workflow's status.

    Attributes:
        number: 0 for the first.
        phase: as Argo reports it: Succeeded, Failed, Error, ...
        message: why.
    """

    number: int
    phase: str
    message: str


def phase(live: Object) -> str:
    """The phase of a workflow; empty before the controller has handled it."""
    return live.get("status", {}).get("phase", "")


def ended(live: Object) -> bool:
    """Whether a workflow is over."""
    return phase(live) in {"Succeeded", "Failed", "Error"}


def attempts(live: Object) -> dict[str, list[Attempt]]:
    """The attempts at each step that began, in order; drivers are none."""
    attempts: dict[str, list[Attempt]] = defaultdict(list)
    for step, attempt in _attempts(live):
        attempts[step].append(attempt)
    return {step: sorted(runs, key=lambda attempt: attempt.number) for step, runs in attempts.items()}


def _attempts(live: Object) -> Iterator[tuple[str, Attempt]]:
    for node in live.get("status", {}).get("nodes", {}).values():
        match = _ATTEMPT.search(node["name"])
        if match and node["type"] == "Pod":
            number = int(match["number"] or 0)
            yield match["step"], Attempt(number, node.get("phase", ""), node.get("message", ""))
