"""Loss of the cluster, and changes of its registry, addresses and data store."""

from collections.abc import Iterator

from kubeflow_aks.json_values import at
from kubeflow_aks.pull_request.report.impacts.impact import Impact, impact, quoted
from kubeflow_aks.pull_request.report.impacts.sides import CLUSTER, GOING, Sides, forced_by, refused

_REGISTRY = "azure-native:containerregistry:Registry"
_ADDRESS = "azure-native:network:PublicIPAddress"
_CONTAINER = "azure-native:storage:BlobContainer"


def lost(sides: Sides) -> Iterator[Impact]:
    """The loss of a cluster that is deleted or replaced."""
    for change in sides.changes.values():
        if change.type == CLUSTER and change.action in GOING:
            text = (
                f"The cluster {quoted(change.name)} is {change.action}d{forced_by(change)}: EVERYTHING in it "
                f"is lost, Charmed Kubeflow, notebooks, running work and all volumes.{refused(sides, change.urn)}"
            )
            yield impact(f"cluster-{change.action}d", "danger", change.name, text)


def changed(sides: Sides) -> Iterator[Impact]:
    """Changes of addresses, and registries and data stores that are added."""
    for old, new in sides.pairs(_ADDRESS):
        labels = [at(side.inputs, "dnsSettings", "domainNameLabel") for side in (old, new)]
        if labels[0] != labels[1]:
            text = (
                f"DNS label of {quoted(new.name)}: {quoted(labels[0])} → {quoted(labels[1])}; "
                "the old name no longer resolves."
            )
            yield impact("dns-name", "caution", new.name, text)
    for change in sides.changes.values():
        if change.action == "create" and change.type in (_REGISTRY, _CONTAINER) and sides.before.resources:
            what = "Registry" if change.type == _REGISTRY else "Container of the data store"
            kind = "registry" if change.type == _REGISTRY else "data-store"
            yield impact(kind, "news", change.name, f"{what} {quoted(change.name)} is added.")
