"""Protection: what `pulumi up` refuses for its sake, and where it is taken away."""

from collections.abc import Iterator, Sequence

from pull_request.telling.words.sides import Sides
from pull_request.telling.words.word import Word, listed


def refused(names: Sequence[str]) -> Iterator[Word]:
    """One word for a change that `pulumi up` refuses.

    Args:
        names: what is protected and would be replaced or deleted.
    """
    if names:
        yield {
            "kind": "refused",
            "level": "danger",
            "subject": "protection",
            "text": f"`pulumi up` refuses this change, because it would replace or delete what is protected: "
            f"{listed(list(dict.fromkeys(names)))}. Shown is what it would do without the protection; page "
            "docs/how-to/protect-and-destroy.md tells how that is taken away.",
        }


def words(seen: Sides) -> Iterator[Word]:
    """One word for all resources that stay and are no longer protected."""
    bare = [
        resource.name
        for urn, before in seen.before.resources.items()
        if (resource := seen.after.resources.get(urn)) and before.protect and not resource.protect
    ]
    names = list(dict.fromkeys(bare))
    if names:
        yield {
            "kind": "protection-removed",
            "level": "danger",
            "subject": "protection",
            "text": f"Protection is taken away from {listed(names)}: after this `pulumi up` the next change may "
            "delete them without a question.",
        }
