"""Rows of the tables of rules: severity, name, requirement, check, and the citation with the rule's other names.

`docs/facts/sources.md` lists the cited files.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple

from kubeflow_aks.policy.benchmark.values import Every, Inputs, Look
from kubeflow_aks.policy.rule import Resource, Rule, Severity


class Citation(NamedTuple):
    """The source of a rule with its version or date, and the rule's names in other tools, between commas."""

    source: str
    ids: str


class PerResource(NamedTuple):
    """A check of one resource at a time, of all types or of one."""

    look: Callable[[Resource], Iterable[str]]
    type: str = ""


def on(type_: str, *looks: Look, where: Callable[[Inputs], bool] = lambda _: True) -> PerResource:
    """These checks of the inputs of each resource of a type that `where` accepts."""

    def look(resource: Resource) -> Iterator[str]:
        if where(resource.inputs):
            yield from (message for look in looks for message in look(resource.inputs))

    return PerResource(look, type_)


def _rule(
    severity: Severity, name: str, description: str, check: PerResource | Every, citation: Citation
) -> Rule:
    per_resource, type_ = check if isinstance(check, PerResource) else (None, "")
    return Rule(
        name,
        description,
        citation.source,
        severity,
        type=type_,
        per_resource=per_resource,
        every=None if isinstance(check, PerResource) else check,
        ids=tuple(citation.ids.split(", ")),
    )


low: Final = partial(_rule, "low")
medium: Final = partial(_rule, "medium")
high: Final = partial(_rule, "high")


def checkov(file: str, ids: str) -> Citation:
    """A check of Checkov, by the name of its file."""
    return Citation(f"bridgecrewio/checkov, {file} (3.3.30, 2026-10)", ids)


def psrule(file: str, ids: str) -> Citation:
    """A rule of PSRule for Azure, by the file that holds it."""
    return Citation(f"Azure/PSRule.Rules.Azure, {file} (read 2026-11-22)", ids)


def azure_policy(file: str, ids: str) -> Citation:
    """A built-in definition of Azure Policy, by the name of its file."""
    return Citation(f"Azure/azure-policy, {file} (read 2026-11-22)", ids)


def kyverno(file: str, ids: str) -> Citation:
    """A policy of Kyverno's collection, by its file."""
    return Citation(f"kyverno/policies, {file} (read 2026-11-22)", ids)
