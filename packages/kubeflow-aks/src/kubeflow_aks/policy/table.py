"""Rules by name, each with its check; `rules.csv` has the rest of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, cast

from kubeflow_aks.policy.rule import Resource, Rule, Severity
from kubeflow_aks.text.files import rows

_SOURCES: Final = {
    "checkov": "bridgecrewio/checkov, {} (3.3.30, 2026-10)",
    "psrule": "Azure/PSRule.Rules.Azure, {} (read 2026-11-22)",
    "azure_policy": "Azure/azure-policy, {} (read 2026-11-22)",
    "kyverno": "kyverno/policies, {} (read 2026-11-22)",
    "": "{}",
}
"""Citation of a document, by the tool that has it."""


Every = Callable[[Sequence[Resource]], Iterable[tuple[str, str]]]
"""The violations of all resources of a stack: URN and message."""


class PerResource(NamedTuple):
    """A check of one resource at a time, of all types or of one."""

    look: Callable[[Resource], Iterable[str]]
    type: str = ""


def rules(checks: Mapping[str, PerResource | Every]) -> tuple[Rule, ...]:
    """The rules of these names; `rules.csv` has what they require, and their sources."""
    return tuple(_rule(table()[name], check) for name, check in checks.items())


def _rule(row: Mapping[str, str], check: PerResource | Every) -> Rule:
    per_resource, type_ = check if isinstance(check, PerResource) else (None, "")
    return Rule(
        row["rule"],
        row["description"],
        _SOURCES[row["tool"]].format(row["document"]),
        cast(Severity, row["severity"]),
        mandatory=row["mandatory"] == "yes",
        type=type_,
        per_resource=per_resource,
        every=None if isinstance(check, PerResource) else check,
        ids=tuple(filter(None, row["ids"].split(", "))),
    )


@cache
def table() -> Mapping[str, Mapping[str, str]]:
    """The rows of `rules.csv` by rule."""
    return {row["rule"]: row for row in rows(Path(__file__).with_name("rules.csv"))}
