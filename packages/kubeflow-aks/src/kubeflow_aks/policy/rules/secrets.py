"""Secrets: no credential is in clear text in a plan, a state or an output."""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from kubeflow_aks.policy.rule import UNKNOWN, Resource
from kubeflow_aks.policy.table import PerResource, rules

_KEY: Final = re.compile(
    r"(password|passwd|passphrase|token|connection_?string|(client|app|oauth|webhook)_?secret"
    r"|(account|access|api|private|shared|primary|secondary)_?key)s?$",
    re.IGNORECASE,
)
"""Keys of credentials; other keys with `secret` have the name of one."""
_KUBECONFIG: Final = re.compile(r"kubeconfig$", re.IGNORECASE)
_PAGE: Final = re.compile(r"(next|page|continue|continuation)_?(page)?_?token$", re.IGNORECASE)
"""Keys of an API's paging tokens."""
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
"""Forms of credentials, whatever their key: a part that is quick to find, and the whole pattern."""
_SECRET: Final = "kubernetes:core/v1:Secret"  # noqa: S105 - a type


def _in_clear(resource: Resource) -> Iterator[str]:
    for path, key, text in _texts(resource.inputs):
        kind = next(
            (name for name, (part, shape) in _SHAPES.items() if part in text and shape.search(text)), None
        )
        if kind:
            yield f"{path} has {kind} in clear text"
        elif text and _has_secret_name(key, text):
            yield f"{path} is in clear text, and its name is that of a secret"
        elif resource.type == _SECRET and path.startswith(("data.", "stringData.")):
            yield f"{path} of a Secret is in clear text"


def _has_secret_name(key: str, text: str) -> bool:
    if _KUBECONFIG.search(key):  # it may also be the path of a file, which is no secret
        return "\n" in text or "{" in text
    return bool(_KEY.search(key)) and not _PAGE.search(key)


def _texts(value: Any, path: str = "", key: str = "") -> Iterator[tuple[str, str, str]]:
    """Every text that is neither unknown nor secret, with its path and the path's last key."""
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


RULES: Final = rules(
    {
        "no-secret-in-clear": PerResource(_in_clear),
    }
)
