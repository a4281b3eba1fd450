"""Findings as lines for a terminal, and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kubeflow_aks.text.terminal import wrapped
from kubeflow_aks.verify.findings import Finding, State

_SIGNS: Final = {State.PASSED: "✔ ", State.FAILED: "✘ ", State.UNKNOWN: "– "}


def lines(stack: str, findings: Sequence[Finding], width: int) -> Iterator[str]:
    """The message of each finding, what to do below it, and a count at the end.

    Args:
        stack: its name.
        findings: in the order of the report.
        width: columns of the terminal.
    """
    for finding in findings:
        result = finding.result
        yield from wrapped(result.message[:1].upper() + result.message[1:], width, _SIGNS[result.state])
        if result.action:
            yield from wrapped(result.action, width, "  → ")
    count = _count(findings)
    yield ""
    yield from wrapped(
        f"{stack}: {count['passed']} passed, {count['failed']} failed, {count['unknown']} unknown",
        width,
    )


def document(stack: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """The findings as verify.schema.json has them."""
    return {
        "version": 2,
        "stack": stack,
        **_count(findings),
        "findings": [
            {
                "check": finding.check,
                "title": finding.title,
                "state": finding.result.state.value,
                "message": finding.result.message,
                "action": finding.result.action,
            }
            for finding in findings
        ],
    }


def has_failed(findings: Sequence[Finding]) -> bool:
    """Whether a check failed."""
    return any(finding.result.state is State.FAILED for finding in findings)


def _count(findings: Sequence[Finding]) -> Mapping[str, int]:
    """Findings by state."""
    counted = Counter(finding.result.state for finding in findings)
    return {state.value: counted[state] for state in State}
