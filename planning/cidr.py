"""Address ranges as Azure takes them."""

from ipaddress import IPv4Network


def ipv4_range(text: str) -> IPv4Network:
    """The range of a text like `10.224.0.0/16`.

    Python also reads a lone address and a dotted mask, which Azure does not.

    Raises:
        ValueError: not IPv4, not in CIDR form, or with host bits set.
    """
    found = IPv4Network(text)
    if str(found) != text:
        raise ValueError(f"{text!r} is not in CIDR form")
    return found
