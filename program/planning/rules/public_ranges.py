"""Warnings about public address ranges that may call the API server or the registry."""

from collections.abc import Iterator, Sequence

from components.azure.cidr import DOCUMENTATION, address_or_range, is_in


def placeholder_warnings(key: str, ranges: Sequence[str], who: str) -> Iterator[str]:
    """Placeholder ranges of examples; `who` must write the real ones."""
    for index, text in enumerate(ranges):
        if is_in(address_or_range(text), DOCUMENTATION):
            yield (
                f"{key}[{index}] is {text}: a placeholder, from which nobody calls; write the range that {who} go out "
                "by"
            )


def covered_warnings(key: str, texts: Sequence[str]) -> Iterator[str]:
    """Ranges that others cover."""
    ranges = list(map(address_or_range, texts))
    for index, network in enumerate(ranges):
        wider = (other for at, other in enumerate(ranges) if network != other or at < index)
        if outer := next(filter(network.subnet_of, wider), None):
            yield f"{key}[{index}] is {network}: {outer} covers it; leave one of them out"
