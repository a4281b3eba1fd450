"""Protection that is taken away: afterwards the engine deletes these resources without a question."""

from collections.abc import Iterator

from pull_request.telling.words.sides import Sides
from pull_request.telling.words.word import Word, listed


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
