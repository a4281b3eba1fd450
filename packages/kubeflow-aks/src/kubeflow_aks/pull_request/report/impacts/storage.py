"""Storage classes that are deleted or replaced, which changes no volume that is there."""

from collections.abc import Iterator

from kubeflow_aks.json_values import at
from kubeflow_aks.pull_request.observed import Change
from kubeflow_aks.pull_request.report.impacts.impact import Impact, impact, quoted
from kubeflow_aks.pull_request.report.impacts.sides import GOING, Sides, forced_by, lost_clusters

_STORAGE_CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"


def impacts(sides: Sides) -> Iterator[Impact]:
    """What each deleted or replaced class means for new volumes; nothing where all volumes go with the cluster."""
    if lost_clusters(sides):
        return
    for change in sides.changes.values():
        if change.type == _STORAGE_CLASS and change.action in GOING and change.urn in sides.before.resources:
            name = at(sides.before.resources[change.urn].inputs, "metadata", "name") or change.name
            text = (
                f"StorageClass {quoted(name)} is {change.action}d{forced_by(change)}: volumes "
                f"that are there stay as they are; {_new_ones(sides, change)}."
            )
            yield impact(f"class-{change.action}d", "caution", change.name, text)


def _new_ones(sides: Sides, change: Change) -> str:
    """What happens to new volumes; a volume keeps the policy that its class had when it was made."""
    before, after = sides.before.resources[change.urn], sides.after.resources.get(change.urn)
    if after is None or at(before.inputs, "metadata", "name") != at(after.inputs, "metadata", "name"):
        return "new claims that name it stay pending"
    policies = at(before.inputs, "reclaimPolicy"), at(after.inputs, "reclaimPolicy")
    if policies[0] == policies[1]:
        return "new ones are made as the class is then"
    if policies[1] == "Retain":
        return "new ones are kept when their claims are deleted"
    return "new ones are deleted with their claims, and their data with them"
