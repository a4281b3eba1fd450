"""Rules of SSH keys and user names. Pure."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from ..arguments.mistakes import Mistake

RSA: Final = "ssh-rsa"
ED25519: Final = "ssh-ed25519"
MIN_BITS: Final = 2048
"""Shortest RSA key, and the kinds of key ("SSH keys for Linux VMs in Azure")."""
_MAX_NAME: Final = 64
_NAME: Final = re.compile(r"[A-Za-z][-A-Za-z0-9_]*")
_FORBIDDEN_NAME: Final = re.compile(
    r"1|123|a|actuser|adm|admin[12]?|administrator|aspnet|backup|console|david|guest|john|owner|root|server|sql|"
    r"support(_388945a0)?|sys|test[123]?|user[1-5]?",
    re.IGNORECASE,
)
"""User names that Azure refuses on every VM ("Compute REST API", OSProfile, adminUsername)."""


def name_mistakes(name: str) -> Iterator[Mistake]:
    """A user name that Azure refuses."""
    if not _NAME.fullmatch(name) or _FORBIDDEN_NAME.fullmatch(name) or len(name) > _MAX_NAME:
        yield Mistake(
            "adminUsername",
            name,
            f"a name of at most {_MAX_NAME} characters that is not one of the common names which Azure refuses, "
            "like admin, root, test and user; azureuser is one that it takes",
        )


def key_mistakes(key: str) -> Iterator[Mistake]:
    """A key that Azure refuses."""
    if fault := _key_fault(key):
        secret = "PRIVATE KEY" in key
        yield Mistake("publicKey", "(a private key)" if secret else key, fault)


def _key_fault(text: str) -> str | None:
    """What is expected instead of an invalid key; None for a valid one."""
    kind, _, rest = text.strip().partition(" ")
    encoded = rest.split(" ")[0]
    if "\n" in text.strip() or kind not in (RSA, ED25519) or not encoded:
        return f"the one line of an OpenSSH .pub file that starts with {RSA}"
    try:
        fields = _fields(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        return "a whole key; this one is cut off or mistyped, copy the .pub file again"
    if fields[0] != kind.encode():
        inner = fields[0].decode("ascii", errors="replace")
        return f"a key whose first word is the type inside it; this one has {kind} and holds {inner}"
    if kind == ED25519:
        return None if len(fields) == 2 and len(fields[1]) == 32 else "a whole Ed25519 key of 32 bytes"  # noqa: PLR2004
    if len(fields) != 3:  # noqa: PLR2004 - type, exponent, modulus
        return "a whole RSA key; this one is cut off or mistyped, copy the .pub file again"
    bits = int.from_bytes(fields[2], "big").bit_length()
    return None if bits >= MIN_BITS else f"an RSA key of at least {MIN_BITS} bits; this one has {bits}"


def _fields(blob: bytes) -> list[bytes]:
    """The fields of a key: each with its length before it, as four bytes (RFC 4253, section 6.6).

    Raises:
        ValueError: there are none, or the last one is cut off.
    """
    fields: list[bytes] = []
    while blob:
        end = 4 + int.from_bytes(blob[:4], "big")
        if len(blob) < end:
            raise ValueError("cut off")
        fields.append(blob[4:end])
        blob = blob[end:]
    if not fields:
        raise ValueError("empty")
    return fields
