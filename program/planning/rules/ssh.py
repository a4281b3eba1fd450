"""Rules of SSH keys and user names."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from program.settings import Problem, Settings

_RSA: Final = "ssh-rsa"
_ED25519: Final = "ssh-ed25519"
_MIN_BITS: Final = 2048
"""Shortest RSA key, and the kinds of key ("SSH keys for Linux VMs in Azure")."""
_MAX_NAME: Final = 64
_FORBIDDEN_NAME: Final = re.compile(
    r"1|123|a|actuser|adm|admin[12]?|administrator|aspnet|backup|console|david|guest|john|owner|root|server|sql|"
    r"support(_388945a0)?|sys|test[123]?|user[1-5]?",
    re.IGNORECASE,
)
"""User names that Azure refuses on every VM ("Compute REST API", OSProfile, adminUsername)."""


def ssh_problems(settings: Settings) -> Iterator[Problem]:
    """User names and keys that Azure refuses."""
    if settings.ssh is None:
        return
    name = settings.ssh.admin_username
    if _FORBIDDEN_NAME.fullmatch(name) or len(name) > _MAX_NAME:
        yield Problem(
            "ssh.adminUsername",
            name,
            f"a name of at most {_MAX_NAME} characters that is not one of the common names which Azure refuses, "
            "like admin, root, test and user; azureuser is one that it takes",
        )
    key = settings.ssh.public_key
    if fault := _key_fault(key):
        secret = "PRIVATE KEY" in key
        yield Problem("ssh.publicKey", "(a private key)" if secret else key, fault)


def ssh_warnings(settings: Settings) -> Iterator[str]:
    """Keys that AKS is known to refuse."""
    if settings.ssh and settings.ssh.public_key.startswith(_ED25519):
        yield (
            f"ssh.publicKey is an {_ED25519} key: AKS refused such keys as invalid (Azure/AKS#4431) and documents RSA "
            f"keys only; an RSA key of {_MIN_BITS} bits or more is safe"
        )


def _key_fault(text: str) -> str | None:
    """What is expected instead of an invalid key; None for a valid one."""
    kind, _, rest = text.strip().partition(" ")
    encoded = rest.split(" ")[0]
    if "\n" in text.strip() or kind not in (_RSA, _ED25519) or not encoded:
        return f"the one line of an OpenSSH .pub file that starts with {_RSA}"
    try:
        fields = _fields(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        return "a whole key; this one is cut off or mistyped, copy the .pub file again"
    if fields[0] != kind.encode():
        found = fields[0].decode("ascii", errors="replace")
        return f"a key whose first word is the type inside it; this one has {kind} and holds {found}"
    if kind == _ED25519:
        return None if len(fields) == 2 and len(fields[1]) == 32 else "a whole Ed25519 key of 32 bytes"  # noqa: PLR2004
    if len(fields) != 3:  # noqa: PLR2004 - type, exponent, modulus
        return "a whole RSA key; this one is cut off or mistyped, copy the .pub file again"
    bits = int.from_bytes(fields[2], "big").bit_length()
    return None if bits >= _MIN_BITS else f"an RSA key of at least {_MIN_BITS} bits; this one has {bits}"


def _fields(blob: bytes) -> list[bytes]:
    """The fields of a key: each with its length before it, as four bytes (RFC 4253, section 6.6).

    Raises:
        ValueError: there are none, or the last one is cut off.
    """
    found: list[bytes] = []
    while blob:
        end = 4 + int.from_bytes(blob[:4], "big")
        if len(blob) < end:
            raise ValueError("cut off")
        found.append(blob[4:end])
        blob = blob[end:]
    if not found:
        raise ValueError("empty")
    return found
