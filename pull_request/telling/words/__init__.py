"""A change in this product's words, read from inputs and outputs of resources alone."""

from collections.abc import Iterator

from pull_request.observed import Observed
from pull_request.telling.words import access, cluster, gone, losses, pools, protection, versions
from pull_request.telling.words.sides import Sides, sides
from pull_request.telling.words.word import Word

__all__ = ["Word", "words_of"]

_LEVELS = ("danger", "caution", "news")


def words_of(observed: Observed) -> list[Word]:
    """What the change means, the worst first."""
    if observed.head is None:
        return list(gone.words(observed))
    if observed.head.failure:
        return []
    words = [*protection.refused(observed.refused), *_words(sides(observed))]
    return sorted(words, key=lambda word: _LEVELS.index(word["level"]))


def _words(seen: Sides) -> Iterator[Word]:
    lost = list(cluster.lost(seen))
    yield from lost
    yield from losses.words(seen)
    yield from protection.words(seen)
    yield from pools.words(seen, with_cluster=bool(lost))
    yield from versions.words(seen)
    yield from access.words(seen)
    yield from cluster.changed(seen)
