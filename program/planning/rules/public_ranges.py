"""Rules of public address ranges that may call the API server or the registry."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network

from components.cidr import DOCUMENTATION, address_or_range, is_in, is_public
from components.mistakes import Mistake


def range_problems(
    key: str, given: Sequence[str], what: str, besides: Sequence[IPv4Network] = ()
) -> Iterator[Mistake]:
    """Invalid ranges, and ranges from which nobody can call.

    Args:
        key: the setting.
        given: what it lists.
        what: the server, as in "calls to a registry never come from private addresses".
        besides: ranges with a special meaning there.
    """
    for index, text in enumerate(given):
        try:
            found = address_or_range(text)
        except ValueError:
            form = "a single IPv4 address, or a range in CIDR form without host bits"
            yield Mistake(f"{key}[{index}]", text, form)
            continue
        if not (is_public(found) or found in besides or is_in(found, DOCUMENTATION)):
            yield Mistake(
                f"{key}[{index}]",
                text,
                f"a public range, the one your network goes out by; calls to {what} never come from private or "
                "reserved addresses",
            )


def placeholder_warnings(key: str, given: Sequence[str], who: str) -> Iterator[str]:
    """Placeholder ranges of examples; `who` must write the real ones."""
    for index, text in enumerate(given):
        if is_in(address_or_range(text), DOCUMENTATION):
            yield (
                f"{key}[{index}] is {text}: a placeholder, from which nobody calls; write the range that {who} go out "
                "by"
            )


def covered_warnings(key: str, given: Sequence[str]) -> Iterator[str]:
    """Ranges that others cover."""
    ranges = list(map(address_or_range, given))
    for index, found in enumerate(ranges):
        wider = (other for at, other in enumerate(ranges) if found != other or at < index)
        if outer := next(filter(found.subnet_of, wider), None):
            yield f"{key}[{index}] is {found}: {outer} covers it; leave one of them out"
