"""Base and head of one stack, side by side."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kubeflow_aks.json_values import at, text
from kubeflow_aks.pull_request.observed import Change, Observed, Resource, Run
from kubeflow_aks.pull_request.report.impacts.impact import quoted
from kubeflow_aks.text.columns import cut_apart
from kubeflow_aks.text.escape import LONGEST_VALUE

CLUSTER = "azure-native:containerservice:ManagedCluster"
AGENT_POOL = "azure-native:containerservice:AgentPool"
GOING = ("delete", "replace")
"""Actions after which what a resource held is lost."""


@dataclass(frozen=True)
class Sides:
    """Base and head; the base is empty if the stack is new or its base did not run.

    Attributes:
        changes: by URN.
        azure_refuses: URNs of what Azure refuses to make, change or delete.
    """

    before: Run
    after: Run
    changes: Mapping[str, Change]
    azure_refuses: frozenset[str] = frozenset()

    def pairs(self, type_token: str) -> Iterator[tuple[Resource, Resource]]:
        """Resources of a type that both sides have."""
        for urn, resource in self.after.resources.items():
            if resource.type == type_token and urn in self.before.resources:
                yield self.before.resources[urn], resource


def sides_of(observed: Observed) -> Sides:
    """Both sides of an observed stack."""
    before = observed.base if observed.base and not observed.base.failure else Run()
    return Sides(
        before,
        observed.head or Run(),
        {change.urn: change for change in observed.changes},
        frozenset(refusal.urn for refusal in observed.azure.refused),
    )


def lost_clusters(sides: Sides) -> set[str]:
    """The names in Azure of clusters that are deleted or replaced."""
    lost = (
        change.urn for change in sides.changes.values() if change.type == CLUSTER and change.action in GOING
    )
    return {
        text(at(sides.before.resources[urn].inputs, "resourceName"))
        for urn in lost
        if urn in sides.before.resources
    }


def forced_by(change: Change) -> str:
    """The clause on what forces a replacement, with short values."""
    steps = [_step(path, change) for path in change.forced_by]
    return f", forced by {', '.join(steps)}" if steps else ""


def _step(path: str, change: Change) -> str:
    for difference in change.differences:
        values = difference.before, difference.after
        if difference.path == path and all(isinstance(value, str | int | float) for value in values):
            before, after = cut_apart(str(difference.before), str(difference.after), LONGEST_VALUE)
            return f"{quoted(path)} ({quoted(before)} → {quoted(after)})"
    return quoted(path)


def refused(sides: Sides, urn: str) -> str:
    """The sentence to add if the engine refuses to delete or replace a resource because it is protected."""
    before, after = sides.before.resources.get(urn), sides.after.resources.get(urn)
    protected = before is not None and before.protect and (after is None or after.protect)
    return " It is protected: `pulumi up` refuses this." if protected else ""
