"""Address ranges in the form that Azure accepts, and ranges with a special meaning."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv4Network
from typing import Final

from ..arguments.mistakes import Mistake


def _ranges(*texts: str) -> tuple[IPv4Network, ...]:
    return tuple(map(IPv4Network, texts))


PRIVATE: Final = _ranges("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
"""Ranges that Microsoft supports inside a cluster (concepts-network-azure-cni-overlay.md): RFC 1918 and RFC 6598."""
RESERVED: Final = _ranges(
    # concepts-network-cni-overview.md, "Prerequisites"
    "169.254.0.0/16",
    "172.30.0.0/16",
    "172.31.0.0/16",
    "192.0.2.0/24",
    # "Azure Virtual Network FAQ", address ranges
    "127.0.0.0/8",
    "168.63.129.16/32",
    "224.0.0.0/4",
    "255.255.255.255/32",
    # No host may have such an address ("IANA special-purpose addresses")
    "0.0.0.0/8",
)
"""Ranges that neither the network nor pods and services of a cluster may have."""
DOCUMENTATION: Final = _ranges("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
"""Placeholder ranges of examples ("IANA special-purpose addresses")."""


def ipv4_range(text: str) -> IPv4Network:
    """The range of a text like `10.224.0.0/16`.

    Python also reads a lone address and a dotted mask, which Azure does not.

    Raises:
        ValueError: not IPv4, not in CIDR form, or with host bits set.
    """
    network = IPv4Network(text)
    if str(network) != text:
        raise ValueError(f"{text!r} is not in CIDR form")
    return network


def address_or_range(text: str) -> IPv4Network:
    """The range of a text like `20.50.60.0/24`, or of one address like `20.50.60.70`.

    Azure's lists of callers take both (hashicorp/terraform-provider-azurerm#11014).

    Raises:
        ValueError: neither.
    """
    return ipv4_range(text if "/" in text else f"{text}/32")


def is_in(inner: IPv4Network, ranges: tuple[IPv4Network, ...]) -> bool:
    """Whether a range lies inside one of others."""
    return any(inner.subnet_of(outer) for outer in ranges)


def is_public(network: IPv4Network) -> bool:
    """Whether packets on the internet can come from a range, as `az aks` checks too (acs/_validators.py)."""
    return network.is_global and not network.is_multicast


def range_mistakes(key: str, text: str, example: str) -> Iterator[Mistake]:
    """A text that is no range as Azure takes it."""
    try:
        ipv4_range(text)
    except ValueError:
        form = f"an IPv4 range in CIDR form without host bits, for instance {example}"
        yield Mistake(key, text, form)


def well_formed(texts: Mapping[str, str]) -> dict[str, IPv4Network]:
    """The ranges, by key, of the texts that are some."""
    networks: dict[str, IPv4Network] = {}
    for key, text in texts.items():
        with suppress(ValueError):
            networks[key] = ipv4_range(text)
    return networks


def public_range_mistakes(
    ranges: Sequence[str] | None, *, key: str, what: str, besides: Sequence[IPv4Network] = ()
) -> Iterator[Mistake]:
    """Invalid ranges, and ranges from which nobody can call.

    Args:
        ranges: the ranges, if any.
        key: the path of their list.
        what: the server, as in "calls to a registry never come from private addresses".
        besides: ranges with a special meaning there.
    """
    for index, text in enumerate(ranges or ()):
        try:
            network = address_or_range(text)
        except ValueError:
            form = "a single IPv4 address, or a range in CIDR form without host bits"
            yield Mistake(f"{key}[{index}]", text, form)
            continue
        if not (is_public(network) or network in besides or is_in(network, DOCUMENTATION)):
            yield Mistake(
                f"{key}[{index}]",
                text,
                f"a public range, the one your network goes out by; calls to {what} never come from private or "
                "reserved addresses",
            )


def overlap_mistakes(ranges: Mapping[str, IPv4Network]) -> Iterator[Mistake]:
    """Ranges, by key, that overlap an earlier one."""
    for number, (key, net) in enumerate(ranges.items()):
        shared = [f"{other} {its}" for other, its in list(ranges.items())[:number] if its.overlaps(net)]
        if shared:
            yield Mistake(key, str(net), f"a range that does not overlap {', '.join(shared)}")


def together_mistakes(examples: Mapping[str, str], *texts: str) -> Iterator[Mistake]:
    """Ranges of one network or cluster: each well-formed, no two overlapping.

    Args:
        examples: an example by key.
        texts: the ranges, in the order of those keys.
    """
    wrong = [
        mistake
        for (key, example), text in zip(examples.items(), texts, strict=True)
        for mistake in range_mistakes(key, text, example)
    ]
    yield from wrong
    if not wrong:
        yield from overlap_mistakes(dict(zip(examples, map(ipv4_range, texts), strict=True)))
