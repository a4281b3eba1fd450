"""Findings as lines for a terminal, and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from verify.findings import Finding, State
from writing.terminal import wrapped

_SIGNS: Final = {State.KEPT: "✔ ", State.BROKEN: "✘ ", State.UNSEEN: "– "}


def lines(stack: str, findings: Sequence[Finding], width: int) -> Iterator[str]:
    """One sentence for each finding, what to do below it, and a count at the end.

    Args:
        stack: its name.
        findings: in the order in which they are told.
        width: columns of the terminal.
    """
    for finding in findings:
        told = finding.told
        yield from wrapped(told.sentence[:1].upper() + told.sentence[1:], width, _SIGNS[told.state])
        if told.todo:
            yield from wrapped(told.todo, width, "  → ")
    count = _count(findings)
    yield ""
    yield from wrapped(
        f"{stack}: {count['kept']} kept, {count['broken']} broken, {count['unseen']} that can't be seen here",
        width,
    )


def document(stack: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """The findings as verify.schema.json has them."""
    return {
        "version": 1,
        "stack": stack,
        **_count(findings),
        "findings": [
            {
                "check": finding.check,
                "promise": finding.promise,
                "state": finding.told.state.value,
                "sentence": finding.told.sentence,
                "todo": finding.told.todo,
            }
            for finding in findings
        ],
    }


def is_broken(findings: Sequence[Finding]) -> bool:
    """Whether a promise is broken."""
    return any(finding.told.state is State.BROKEN for finding in findings)


def _count(findings: Sequence[Finding]) -> Mapping[str, int]:
    """Findings by state."""
    counted = Counter(finding.told.state for finding in findings)
    return {state.value: counted[state] for state in State}
