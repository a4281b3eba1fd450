"""Changes that `pulumi up` refuses because of protection, and protection that is removed or added."""

from collections.abc import Iterator, Sequence

from kubeflow_aks.pull_request.observed import Run
from kubeflow_aks.pull_request.report.impacts.impact import Impact, impact, listed
from kubeflow_aks.pull_request.report.impacts.sides import Sides


def refused(names: Sequence[str]) -> Iterator[Impact]:
    """One impact for a change that `pulumi up` refuses, as it would replace or delete protected resources."""
    if names:
        text = (
            f"`pulumi up` refuses this change, because it would replace or delete protected "
            f"resources: {listed(list(dict.fromkeys(names)))}. This report shows the change without the protection; "
            "page `docs/how-to/protect-and-destroy.md` shows how to remove it."
        )
        yield impact("refused", "danger", "protection", text)


def impacts(sides: Sides) -> Iterator[Impact]:
    """One impact for all resources that stay and lose their protection, and one for all that get it."""
    if names := _protected(sides.before, sides.after):
        text = (
            f"Protection is removed from {listed(names)}: after this `pulumi up` the next change can "
            "delete them without a warning."
        )
        yield impact("protection-removed", "danger", "protection", text)
    if names := _protected(sides.after, sides.before):
        text = (
            f"{listed(names)} are protected: after this `pulumi up` the engine refuses to delete or replace "
            "them. Page `docs/how-to/protect-and-destroy.md` shows how to remove it."
        )
        yield impact("protection-added", "news", "protection", text)


def _protected(one: Run, other: Run) -> list[str]:
    """Names of resources of both that only one protects."""
    pairs = ((mine, other.resources.get(urn)) for urn, mine in one.resources.items())
    return list(
        dict.fromkeys(mine.name for mine, theirs in pairs if theirs and mine.protect > theirs.protect)
    )
