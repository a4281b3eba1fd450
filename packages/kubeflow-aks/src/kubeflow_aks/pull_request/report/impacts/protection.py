"""Changes that `pulumi up` refuses because of protection, and protection that is removed."""

from collections.abc import Iterator, Sequence

from kubeflow_aks.pull_request.report.impacts.impact import Impact, listed
from kubeflow_aks.pull_request.report.impacts.sides import Sides


def refused(names: Sequence[str]) -> Iterator[Impact]:
    """One impact for a change that `pulumi up` refuses.

    Args:
        names: of protected resources that would be replaced or deleted.
    """
    if names:
        yield {
            "kind": "refused",
            "level": "danger",
            "subject": "protection",
            "text": f"`pulumi up` refuses this change, because it would replace or delete protected "
            f"resources: {listed(list(dict.fromkeys(names)))}. This report shows the change without the protection; "
            "page `docs/how-to/protect-and-destroy.md` shows how to remove it.",
        }


def impacts(sides: Sides) -> Iterator[Impact]:
    """One impact for all resources that stay and lose their protection."""
    unprotected = [
        resource.name
        for urn, before in sides.before.resources.items()
        if (resource := sides.after.resources.get(urn)) and before.protect and not resource.protect
    ]
    names = list(dict.fromkeys(unprotected))
    if names:
        yield {
            "kind": "protection-removed",
            "level": "danger",
            "subject": "protection",
            "text": f"Protection is removed from {listed(names)}: after this `pulumi up` the next change can "
            "delete them without a warning.",
        }
