"""Which addresses are this machine's, which may get credentials, and requests that stay at theirs."""

from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

_LOCAL_HOSTS: Final = ("127.0.0.1", "::1", "localhost")


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follows nothing."""


NO_REDIRECTS: Final = build_opener(_NoRedirect)
"""Leaves redirects to the caller: Python would send a token to any host."""


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
