"""Exceptions of policy that a change adds, removes or renews."""

from collections.abc import Iterator, Sequence

from kubeflow_aks.pull_request.report.impacts.impact import Impact, impact, quoted
from kubeflow_aks.pull_request.violations import ExceptionChange
from kubeflow_aks.text.numbers import counted


def impacts(changes: Sequence[ExceptionChange]) -> Iterator[Impact]:
    """One impact for each row that differs."""
    for change in changes:
        violations = counted(change.violations, "violation")
        if change.after:
            rule, done = change.after.rule, "changed" if change.before else "added"
            until = quoted(change.after.expires_on.isoformat())
            text = f"{done}: it accepts {violations} until {until}. Its reason: {change.after.reason}"
        elif change.before:
            rule, text = change.before.rule, f"removed: it accepted {violations}, which count from now on."
        else:
            continue
        text = f"The exception of rule {quoted(rule)} is {text}"
        yield impact("policy-exception", "caution" if change.after else "news", rule, text)
