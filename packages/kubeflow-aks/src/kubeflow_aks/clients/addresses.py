"""Which addresses are this machine's, and which may get credentials."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

_LOCAL_HOSTS: Final = ("127.0.0.1", "::1", "localhost")


def is_local(url: str) -> bool:
    """Whether a URL's host is this machine."""
    try:
        return urlsplit(url).hostname in _LOCAL_HOSTS
    except ValueError:
        return False


def may_get_credentials(url: str) -> bool:
    """Whether credentials may be sent to a URL: by https, or by http to this machine."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (
            parts.scheme == "https" or (parts.scheme == "http" and is_local(url))
        )
    except ValueError:
        return False
