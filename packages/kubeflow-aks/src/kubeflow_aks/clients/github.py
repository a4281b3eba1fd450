"""GitHub's REST API of one repository: resources, lists over all pages, and retries at rate limits.

Source: "REST API best practices" and "Using pagination in the REST API" of GitHub.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from typing import Any, Final, cast

from kubeflow_aks.clients.addresses import NO_REDIRECTS
from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.json_values import is_mapping

VERSION: Final = "2022-11-28"
_PAGE: Final = 100
"""The most entries that GitHub puts on a page."""
_MOST_PAGES: Final = 100
_MOST_BYTES: Final = 20_000_000
"""Bytes of one response; a page of 100 comments of the greatest length has a third of that."""
_ATTEMPTS: Final = 5
_NEXT: Final = re.compile(r'<([^<>]+)>\s*;[^,]*\brel="next"')
_SAFE: Final = frozenset({"GET", "PATCH"})
"""Methods that may be retried if there was no response."""


class GitHubError(ClientError):
    """GitHub refuses with a status of HTTP, or does not answer: 0; the text is one line for the user."""

    exit_code = ExitCode.FINDING

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Response:
    """A response; header names are case-insensitive."""

    status: int
    headers: Message
    body: bytes


@dataclass(frozen=True)
class GitHub:
    """One repository, by addresses without a slash at their end; rate limits take at most `patience` seconds in all."""

    api: str
    repository: str
    token: str = field(repr=False)
    patience: float = 180.0
    server: str = "https://github.com"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> GitHub:
        """From the variables of a GitHub Actions job.

        Raises:
            GitHubError: a variable is missing.
        """
        names = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
        missing = [name for name in names if not environment.get(name)]
        if missing:
            raise GitHubError(f"{', '.join(missing)}: not set; GitHub Actions sets it for a job")
        api, repository, token = (environment[name] for name in names)
        server = environment.get("GITHUB_SERVER_URL") or cls.server
        return cls(api.rstrip("/"), repository, token, server=server.rstrip("/"))

    def page(self, path: str) -> str:
        """Address of a page of the repository for people."""
        return f"{self.server}/{urllib.parse.quote(self.repository)}/{path}"

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """One resource of the repository, by its path after `/repos/{owner}/{repo}`.

        Raises:
            GitHubError: it does not exist, or GitHub refuses.
        """
        document = self._json(self._request("GET", self._address(path, query)))
        if not isinstance(document, dict):
            raise GitHubError(f"GitHub's response to GET {path} is not an object")
        return cast(dict[str, Any], document)

    def pages(self, path: str, /, key: str = "", **query: str) -> Iterator[dict[str, Any]]:
        """Every entry of a list, page by page; `key` has the entries if the response is an object.

        Raises:
            GitHubError: GitHub refuses, or names another host for the next page.
        """
        address = self._address(path, {**query, "per_page": str(_PAGE)})
        for _ in range(_MOST_PAGES):
            response = self._request("GET", address)
            document = self._json(response)
            listed: Any = document.get(key) if key and is_mapping(document) else document
            if not isinstance(listed, list) or not all(map(is_mapping, cast(list[Any], listed))):
                raise GitHubError(f"GitHub's response to GET {path} is not a list")
            yield from cast(list[dict[str, Any]], listed)
            more = _NEXT.search(response.headers.get("Link", ""))
            if not more:
                return
            address = more[1]
            if not address.startswith(f"{self.api}/"):
                raise GitHubError(f"the next page of {path} is not on GitHub's API")
        raise GitHubError(f"{path} has more than {_MOST_PAGES * _PAGE} entries")

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Create a resource; not retried if GitHub fails, because it may have been created.

        Raises:
            GitHubError: GitHub refuses or fails.
        """
        return self._json(self._request("POST", self._address(path, {}), body))

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """Change a resource.

        Raises:
            GitHubError: GitHub refuses.
        """
        return self._json(self._request("PATCH", self._address(path, {}), body))

    def download(self, path: str, most: int) -> bytes:
        """A file of at most so many bytes that GitHub redirects to; the token is not sent there.

        Raises:
            GitHubError: it does not exist, is too long, or has an unexpected address.
        """
        response = self._request("GET", self._address(path, {}), most=most)
        if response.status in {301, 302, 303, 307, 308}:
            there = urllib.parse.urljoin(f"{self.api}/", response.headers.get("Location", ""))
            if urllib.parse.urlsplit(there).scheme != urllib.parse.urlsplit(self.api).scheme:
                raise GitHubError(f"GitHub redirects {path} to an unexpected address")
            response = self._request("GET", there, most=most, signed=False)
        return response.body

    def _address(self, path: str, query: Mapping[str, str]) -> str:
        parameters = f"?{urllib.parse.urlencode(query)}" if query else ""
        return f"{self.api}/repos/{urllib.parse.quote(self.repository)}{path}{parameters}"

    def _request(
        self,
        method: str,
        address: str,
        body: Mapping[str, Any] | None = None,
        *,
        most: int = _MOST_BYTES,
        signed: bool = True,
    ) -> Response:
        """Sends a request, and again while it may be retried and the patience lasts."""
        what = f"{method} {urllib.parse.urlsplit(address).path}"
        waited = 0.0
        for attempt in range(_ATTEMPTS):
            request = urllib.request.Request(address, method=method)  # noqa: S310 - the API's own scheme
            request.add_header("User-Agent", "kubeflow-aks")
            if signed:
                request.add_header("Accept", "application/vnd.github+json")
                request.add_header("Authorization", f"Bearer {self.token}")
                request.add_header("X-GitHub-Api-Version", VERSION)
            data = json.dumps(body).encode() if body is not None else None
            if data is not None:
                request.add_header("Content-Type", "application/json")
            response = _send(request, data, most, what)
            if response is not None and response.status < 400:  # noqa: PLR2004 - where errors begin
                return response
            pause = _pause(response, method, attempt)
            if pause is None or attempt == _ATTEMPTS - 1 or waited + pause > self.patience:
                raise _refusal(response, what)
            time.sleep(pause)
            waited += pause
        raise AssertionError("the last attempt returns or raises")

    def _json(self, response: Response) -> Any:
        if response.status >= 300:  # noqa: PLR2004 - where redirects begin
            raise GitHubError(f"GitHub redirects {self.repository}; was it renamed?", response.status)
        try:
            return json.loads(response.body)
        except (ValueError, RecursionError) as error:
            raise GitHubError("GitHub's response is not JSON", response.status) from error


def _send(request: urllib.request.Request, data: bytes | None, most: int, what: str) -> Response | None:
    """One attempt; None if there was no response."""
    try:
        with NO_REDIRECTS.open(request, data, timeout=30) as opened:
            response = Response(opened.status, opened.headers, opened.read(most + 1))
    except urllib.error.HTTPError as error:
        with error:
            response = Response(error.code, error.headers, error.read(most + 1))
    except (OSError, HTTPException):
        return None
    if len(response.body) > most:
        raise GitHubError(f"{what}: the response has more than {most} bytes", response.status)
    return response


def _pause(response: Response | None, method: str, attempt: int) -> float | None:
    """Seconds to wait before a retry; None for no retry.

    A rate limit (403 or 429) has its end in `Retry-After` or `X-RateLimit-Reset`; such a request was not
    carried out, so that any method may be retried.
    """
    growing = float(2**attempt)
    if response is None or response.status >= 500:  # noqa: PLR2004 - GitHub's own failure
        return growing if method in _SAFE else None
    if response.status in {403, 429}:
        after = response.headers.get("Retry-After", "")
        if after.isdecimal():
            return float(after)
        if response.headers.get("X-RateLimit-Remaining") == "0":
            reset = response.headers.get("X-RateLimit-Reset", "")
            return max(1.0, float(reset) - time.time() + 1) if reset.isdecimal() else 60.0
        return 60.0 if response.status == 429 else None  # noqa: PLR2004 - too many requests
    return None


_REASONS: Final = {
    401: "the token is not valid",
    403: "the token may not do this, or a limit is reached",
    404: "it does not exist, or the token may not see it",
    410: "it was deleted, or is disabled in this repository",
    422: "GitHub rejects it as invalid",
}


def _refusal(response: Response | None, what: str) -> GitHubError:
    if response is None:
        return GitHubError(f"{what}: GitHub cannot be reached")
    try:
        message = str(json.loads(response.body)["message"])
    except (ValueError, KeyError, TypeError):
        message = ""
    words = "".join(char if char.isprintable() else " " for char in message)[:200]
    reason = _REASONS.get(response.status, "GitHub fails" if response.status >= 500 else "GitHub refuses")  # noqa: PLR2004
    return GitHubError(
        f"{what}: {response.status}, {reason}" + (f" ({words})" if words else ""), response.status
    )
