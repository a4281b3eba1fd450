"""Secrets: nothing that lets somebody in stands in clear in a plan, a state or an output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from policy.rule import UNKNOWN, Resource, Rule

_KEY: Final = re.compile(
    r"(password|passwd|passphrase|token|connection_?string|(client|app|oauth|webhook)_?secret"
    r"|(account|access|api|private|shared|primary|secondary)_?key)s?$",
    re.IGNORECASE,
)
"""How a key is called whose value lets somebody in; other keys with `secret` hold the name of one."""
_KUBECONFIG: Final = re.compile(r"kubeconfig$", re.IGNORECASE)
_PAGE: Final = re.compile(r"(next|page|continue|continuation)_?(page)?_?token$", re.IGNORECASE)
"""What an API calls the place to read on from."""
_SHAPES: Final = {
    "a private key": ("-----BEGIN ", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    "a bearer token": ("eyJ", re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}")),
    "a storage key": ("==", re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{86}==(?![\w+/=])")),
    "a shared access signature": ("sig=", re.compile(r"[?&]sig=[\w%+/-]{40,}")),
    "a password in an address": ("://", re.compile(r"\b[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@")),
    "a key of a kubeconfig": ("client-key-data", re.compile(r"\bclient-key-data\W+[A-Za-z0-9+/]{16,}")),
    "a token of GitHub": ("gh", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}")),
    "a secret of an Entra application": (
        "Q~",
        re.compile(r"(?<![\w~.-])[\w~.-]{3}[78]Q~[\w~.-]{31,34}(?![\w~.-])"),
    ),
}
"""What values look like that let somebody in, whatever their key is; a part of each, quick to look for, and all."""
_SECRET: Final = "kubernetes:core/v1:Secret"  # noqa: S105 - a type


def _in_clear(resource: Resource) -> Iterator[str]:
    for path, key, text in _texts(resource.inputs):
        kind = next(
            (name for name, (part, shape) in _SHAPES.items() if part in text and shape.search(text)), None
        )
        if kind:
            yield f"{path} holds {kind} in clear"
        elif text and _says_secret(key, text):
            yield f"{path} is in clear, and its name says that it is a secret"
        elif resource.type == _SECRET and path.startswith(("data.", "stringData.")):
            yield f"{path} of a Secret is in clear"


def _says_secret(key: str, text: str) -> bool:
    if _KUBECONFIG.search(key):  # the path of one is as good for the Kubernetes provider, and no secret
        return "\n" in text or "{" in text
    return bool(_KEY.search(key)) and not _PAGE.search(key)


def _texts(value: Any, path: str = "", key: str = "") -> Iterator[tuple[str, str, str]]:
    """Every text that is neither unknown nor secret, with its path and the last key of that."""
    if value is UNKNOWN:
        return
    if isinstance(value, str):
        yield path, key, value
    elif isinstance(value, dict):
        for name, item in cast(dict[str, Any], value).items():
            yield from _texts(item, f"{path}.{name}" if path else name, name)
    elif isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from _texts(item, f"{path}[{number}]", key)


RULES: Final = (
    Rule(
        "no-secret-in-clear",
        "Whatever lets somebody in is marked as a secret, in inputs and in the stack's outputs.",
        "our own test: tests/policy/violating/secrets.yaml",
        severity="high",
        mandatory=True,
        each=_in_clear,
    ),
)
