"""Which addresses are this machine's, which may get credentials, and which redirects a request follows."""

from http.client import HTTPMessage
from typing import IO, Any, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

_LOCAL_HOSTS: Final = ("127.0.0.1", "::1", "localhost")


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follows nothing."""


NO_REDIRECTS: Final = build_opener(_NoRedirect)
"""Leaves redirects to the caller: Python would send a token to any host."""


class _SecureRedirect(HTTPRedirectHandler):
    def redirect_request(  # noqa: PLR0917 - urllib's signature
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Follows to any host, but not to plain http."""
        if not may_get_credentials(newurl):
            raise HTTPError(req.full_url, code, "it redirects to an address without https", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def secure_redirects() -> OpenerDirector:
    """Follows redirects by https, through the proxies that the environment names now."""
    return build_opener(_SecureRedirect)


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
