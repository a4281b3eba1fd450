"""Rules of a container registry. Pure: planning calls the same without the SDKs."""

from collections.abc import Iterator, Sequence
from typing import Final

from ..arguments.mistakes import Mistake

MAX_RANGES: Final = 100
"""Rules of addresses that a registry takes (container-registry-access-selected-networks.md)."""


def premium_mistakes(
    attach: str | None, sku: str, days: int | None, ranges: Sequence[str] | None, *, at: str = ""
) -> Iterator[Mistake]:
    """What only a new registry of the tier Premium has.

    Args:
        attach: ARM id of a registry to use instead of a new one, if any.
        sku: tier of a new one.
        days: how long untagged images are kept, if not for ever.
        ranges: those that may pull and push, if not all.
        at: path of the group that these belong to, with its dot.
    """
    for key, value in ((f"{at}retentionDays", days), (f"{at}authorizedIpRanges", list(ranges or ()) or None)):
        if value is not None and attach is not None:
            yield Mistake(key, value, f"no value with {at}attach, because that registry is its owner's")
        elif value is not None and sku != "Premium":
            yield Mistake(key, value, f"no value unless {at}sku is Premium; it is {sku}")


def attached_name_mistakes(
    attach: str | None, name: str | None, *, keys: tuple[str, str] = ("attach", "registryName")
) -> Iterator[Mistake]:
    """Only a new registry is given a name; `keys` are the paths of both."""
    if attach is not None and name is not None:
        yield Mistake(keys[1], name, f"no value with {keys[0]}, because that registry has its name")


def number_of_ranges_mistakes(ranges: Sequence[str] | None) -> Iterator[Mistake]:
    """A registry takes so many ranges and no more."""
    if len(ranges or ()) > MAX_RANGES:
        yield Mistake("authorizedIpRanges", len(ranges or ()), f"at most {MAX_RANGES} ranges")
