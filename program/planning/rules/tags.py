"""Tags of a stack; `components.azure.tags` has the rules of each."""

from collections.abc import Iterator
from typing import Final
from unicodedata import category

from components.arguments.mistakes import Mistake, shown_key
from components.azure.tags import MAX_NAME_OF_STORAGE, tag_mistakes
from program.settings import Settings

_MAX_TAGS_OF_DNS: Final = 15


def tag_problems(settings: Settings) -> Iterator[Mistake]:
    """Number, names and values of the tags are what every Azure resource of the stack accepts."""
    longest = {"longest": MAX_NAME_OF_STORAGE} if settings.data.store else {}
    yield from tag_mistakes(settings.tags.as_dict(), **longest)


def tag_warnings(settings: Settings) -> Iterator[str]:
    """Line breaks and the like, and more tags than the DNS zone takes on which AKS puts the cluster's (use-tags.md)."""
    for name, value in settings.tags.as_dict().items():
        if controls := sorted({repr(sign)[1:-1] for sign in value if category(sign) == "Cc"}):
            yield (
                f"{shown_key(f'tags.{name}')} has control characters ({', '.join(controls)}): no page of Azure says "
                "that a value may; write it in one line, without `|` before it"
            )
    tags = len(settings.tags.as_dict())
    if settings.api_access.private_cluster and tags > _MAX_TAGS_OF_DNS:
        yield (
            f"tags are {tags} while apiAccess.privateCluster is true: AKS puts them on the cluster's private DNS zone, "
            f"which takes {_MAX_TAGS_OF_DNS}; leave some out"
        )
