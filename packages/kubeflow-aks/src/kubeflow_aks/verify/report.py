"""Findings as lines for a terminal, and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kubeflow_aks.text.terminal import wrapped
from kubeflow_aks.verify.findings import Finding, Impact, State

_SIGNS: Final = {State.PASSED: "✔ ", State.FAILED: "✘ ", State.UNKNOWN: "– "}
_LATER: Final = "! "
"""Sign of what will break."""
NOT_LOOKED_AT: Final = (
    "Azure itself, such as VMs, disks, networks and role assignments (`pulumi preview --refresh` compares the stack's)",
    "settings, services, routes and rights of Charmed Kubeflow and of teams",
    "annotations, owners and finalizers that the stack did not set on its objects",
    "network policies outside namespace kubeflow-aks, and those of Calico's and Cilium's own kinds",
    "webhooks outside the cluster and those whose failure is ignored",
    "the address and the answers of the cluster's DNS",
    "admission policies of others, but for dry runs of pods and of the stack's objects",
    "volume claims, and what volumes and images contain",
)
"""What no check covers, in words; the page and the command list it."""


def lines(stack: str, findings: Sequence[Finding], width: int) -> Iterator[str]:
    """The message of each finding, what to do below it, and a count at the end."""
    for finding in findings:
        result = finding.result
        sign = _LATER if result.impact is Impact.LATER else _SIGNS[result.state]
        yield from wrapped(result.message[:1].upper() + result.message[1:], width, sign)
        if result.action:
            yield from wrapped(result.action, width, "  → ")
    count = _count(findings)
    yield ""
    yield "Not looked at:"
    for subject in NOT_LOOKED_AT:
        yield from wrapped(subject, width, "- ")
    yield ""
    now, later = (_of_impact(findings, impact) for impact in (Impact.NOW, Impact.LATER))
    when = f" ({now} broken now, {later} will break)" if count["failed"] else ""
    yield from wrapped(
        f"{stack}: {count['passed']} passed, {count['failed']} failed{when}, {count['unknown']} unknown",
        width,
    )


def document(stack: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """The findings as verify.schema.json has them."""
    return {
        "version": 2,
        "stack": stack,
        **_count(findings),
        "brokenNow": _of_impact(findings, Impact.NOW),
        "willBreak": _of_impact(findings, Impact.LATER),
        "notLookedAt": list(NOT_LOOKED_AT),
        "findings": [
            {
                "check": finding.check,
                "title": finding.title,
                "state": finding.result.state.value,
                "message": finding.result.message,
                "action": finding.result.action,
                "impact": finding.result.impact,
            }
            for finding in findings
        ],
    }


def worst_impact(findings: Sequence[Finding]) -> Impact | None:
    """Whether something is broken now or will break; None if no check failed."""
    return next((impact for impact in Impact if _of_impact(findings, impact)), None)


def _of_impact(findings: Sequence[Finding], impact: Impact) -> int:
    return sum(finding.result.impact is impact for finding in findings)


def _count(findings: Sequence[Finding]) -> Mapping[str, int]:
    counted = Counter(finding.result.state for finding in findings)
    return {state.value: counted[state] for state in State}
