"""Base and head of one stack, side by side."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pull_request.observed import Change, Observed, Resource, Run

CLUSTER = "azure-native:containerservice:ManagedCluster"
AGENT_POOL = "azure-native:containerservice:AgentPool"


@dataclass(frozen=True)
class Sides:
    """Base and head; the base has nothing where the stack is new or its base did not run."""

    before: Run
    after: Run
    changes: Mapping[str, Change]

    def pairs(self, type_token: str) -> Iterator[tuple[Resource, Resource]]:
        """Resources of a type that both sides have."""
        for urn, resource in self.after.resources.items():
            if resource.type == type_token and urn in self.before.resources:
                yield self.before.resources[urn], resource


def sides(observed: Observed) -> Sides:
    """Both sides of what was seen."""
    before = observed.base if observed.base and not observed.base.failure else Run()
    return Sides(before, observed.head or Run(), {change.urn: change for change in observed.changes})


def refused(seen: Sides, urn: str) -> str:
    """The sentence to add where the engine refuses to delete or replace a resource, because it is protected."""
    before, after = seen.before.resources.get(urn), seen.after.resources.get(urn)
    held = before is not None and before.protect and (after is None or after.protect)
    return " It is protected: `pulumi up` refuses this." if held else ""
