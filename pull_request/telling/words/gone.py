"""A stack whose file goes: nothing of it goes by that."""

from collections.abc import Iterator

from pull_request.observed import Observed
from pull_request.telling.words.pool import pools
from pull_request.telling.words.word import Word, counted, listed, quoted


def words(observed: Observed) -> Iterator[Word]:
    """What stays, and how it would go."""
    base = observed.base
    if base is None or base.failure:
        return
    held = sum(resource.protect for resource in base.resources.values())
    names = listed(list(pools(base)))
    among = f", among them the pools {names}," if names else ""
    yield {
        "kind": "stack-removed",
        "level": "caution",
        "subject": observed.stack,
        "text": f"The file of stack {quoted(observed.stack)} is removed, which deletes nothing: its "
        f"{counted(len(base.resources), 'resource')} ({held} of them protected){among} "
        f"stay and are paid for. `pulumi destroy` needs the file, so run it first.",
    }
