"""GitHub's REST API, with the few calls that are needed here: lists over all pages, patience, errors of one line.

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

from pull_request.telling.reading import is_mapping

VERSION: Final = "2022-11-28"
_PAGE: Final = 100
"""The most entries that GitHub puts on a page."""
_MOST_PAGES: Final = 100
_MOST_BYTES: Final = 20_000_000
"""Of one answer; a page of a hundred comments of the greatest length has a third of it."""
_ATTEMPTS: Final = 5
_NEXT: Final = re.compile(r'<([^<>]+)>\s*;[^,]*\brel="next"')
_SAFE: Final = frozenset({"GET", "PATCH"})
"""Methods that may be sent again when nobody knows whether the first one arrived."""


class GitHubError(Exception):
    """GitHub refuses or does not answer; the text is one line for the user.

    Attributes:
        status: of HTTP; 0 where there was no answer.
    """

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Answer:
    """What came back; the headers know no case."""

    status: int
    headers: Message
    body: bytes


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves redirects to the caller: Python would send the token to wherever the answer points."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follows nothing."""


@dataclass(frozen=True)
class GitHub:
    """One repository.

    Attributes:
        api: address of the API, without a slash at its end.
        repository: owner and name.
        token: what the job was given.
        patience: seconds that are waited in all for a limit to pass.
    """

    api: str
    repository: str
    token: str = field(repr=False)
    patience: float = 180.0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> GitHub:
        """As GitHub tells it to a job.

        Raises:
            GitHubError: a variable is missing.
        """
        names = ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN")
        missing = [name for name in names if not environment.get(name)]
        if missing:
            raise GitHubError(f"{', '.join(missing)}: not set; a job of GitHub Actions has it")
        api, repository, token = (environment[name] for name in names)
        return cls(api.rstrip("/"), repository, token)

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """One resource of the repository, by its path after `/repos/{owner}/{repo}`.

        Raises:
            GitHubError: there is none, or GitHub refuses.
        """
        found = self._json(self._request("GET", self._address(path, query)))
        if not isinstance(found, dict):
            raise GitHubError(f"GitHub's answer to GET {path} is no object")
        return cast(dict[str, Any], found)

    def pages(self, path: str, key: str = "", **query: str) -> Iterator[dict[str, Any]]:
        """Every entry of a list, page by page.

        Args:
            path: as `get` takes it.
            key: where the entries are in an answer that is no list itself.
            query: what narrows the list.

        Raises:
            GitHubError: GitHub refuses, or sends us elsewhere for the next page.
        """
        address = self._address(path, {**query, "per_page": str(_PAGE)})
        for _ in range(_MOST_PAGES):
            answer = self._request("GET", address)
            found = self._json(answer)
            listed: Any = found.get(key) if key and is_mapping(found) else found
            if not isinstance(listed, list) or not all(map(is_mapping, cast(list[Any], listed))):
                raise GitHubError(f"GitHub's answer to GET {path} is no list")
            yield from cast(list[dict[str, Any]], listed)
            more = _NEXT.search(answer.headers.get("Link", ""))
            if not more:
                return
            address = more[1]
            if not address.startswith(f"{self.api}/"):
                raise GitHubError(f"GitHub's next page of {path} is not GitHub's")
        raise GitHubError(f"{path} has more than {_MOST_PAGES * _PAGE} entries")

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Makes something; it is not sent again when GitHub fails, for it may have been made.

        Raises:
            GitHubError: GitHub refuses or fails.
        """
        return self._json(self._request("POST", self._address(path, {}), body))

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """Changes something.

        Raises:
            GitHubError: GitHub refuses.
        """
        return self._json(self._request("PATCH", self._address(path, {}), body))

    def download(self, path: str, most: int) -> bytes:
        """A file that GitHub keeps elsewhere, and to which it sends us; the token stays here.

        Args:
            path: as `get` takes it.
            most: bytes; more is an error.

        Raises:
            GitHubError: it is not there, too long, or somewhere odd.
        """
        answer = self._request("GET", self._address(path, {}), most=most)
        if answer.status in {301, 302, 303, 307, 308}:
            there = urllib.parse.urljoin(f"{self.api}/", answer.headers.get("Location", ""))
            if urllib.parse.urlsplit(there).scheme != urllib.parse.urlsplit(self.api).scheme:
                raise GitHubError(f"GitHub sends us to an odd address for {path}")
            answer = self._request("GET", there, most=most, signed=False)
        return answer.body

    def _address(self, path: str, query: Mapping[str, str]) -> str:
        asked = f"?{urllib.parse.urlencode(query)}" if query else ""
        return f"{self.api}/repos/{urllib.parse.quote(self.repository)}{path}{asked}"

    def _request(
        self,
        method: str,
        address: str,
        body: Mapping[str, Any] | None = None,
        *,
        most: int = _MOST_BYTES,
        signed: bool = True,
    ) -> Answer:
        """Sends until it is answered, as long as it may be sent again and the patience lasts."""
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
            answer = _send(request, data, most, what)
            if answer is not None and answer.status < 400:  # noqa: PLR2004 - where refusals begin
                return answer
            pause = _pause(answer, method, attempt)
            if pause is None or attempt == _ATTEMPTS - 1 or waited + pause > self.patience:
                raise _refusal(answer, what)
            time.sleep(pause)
            waited += pause
        raise AssertionError("the last attempt returns or raises")

    def _json(self, answer: Answer) -> Any:
        if answer.status >= 300:  # noqa: PLR2004 - where redirects begin
            raise GitHubError(f"GitHub has {self.repository} elsewhere; was it renamed?", answer.status)
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise GitHubError("GitHub's answer is no JSON", answer.status) from error


_OPENER: Final = urllib.request.build_opener(_NoRedirect)


def _send(request: urllib.request.Request, data: bytes | None, most: int, what: str) -> Answer | None:
    """One try; None where nothing came back."""
    try:
        with _OPENER.open(request, data, timeout=30) as response:
            answer = Answer(response.status, response.headers, response.read(most + 1))
    except urllib.error.HTTPError as error:
        with error:
            answer = Answer(error.code, error.headers, error.read(most + 1))
    except (OSError, HTTPException):
        return None
    if len(answer.body) > most:
        raise GitHubError(f"{what}: the answer has more than {most} bytes", answer.status)
    return answer


def _pause(answer: Answer | None, method: str, attempt: int) -> float | None:
    """Seconds to wait before the same request is sent again; None where it is not.

    A limit (403 or 429) says how long it lasts, in `Retry-After` or `X-RateLimit-Reset`; such a request was not
    carried out, so that any may be sent again.
    """
    growing = float(2**attempt)
    if answer is None or answer.status >= 500:  # noqa: PLR2004 - GitHub's own failure
        return growing if method in _SAFE else None
    if answer.status in {403, 429}:
        after = answer.headers.get("Retry-After", "")
        if after.isdecimal():
            return float(after)
        if answer.headers.get("X-RateLimit-Remaining") == "0":
            reset = answer.headers.get("X-RateLimit-Reset", "")
            return max(1.0, float(reset) - time.time() + 1) if reset.isdecimal() else 60.0
        return 60.0 if answer.status == 429 else None  # noqa: PLR2004 - too many requests
    return None


_REASONS: Final = {
    401: "the token is not valid",
    403: "the token may not do this, or a limit is reached",
    404: "there is no such thing, or the token may not see it",
    410: "it is gone, or switched off in this repository",
    422: "GitHub does not take it",
}


def _refusal(answer: Answer | None, what: str) -> GitHubError:
    if answer is None:
        return GitHubError(f"{what}: GitHub can't be reached")
    try:
        said = str(json.loads(answer.body)["message"])
    except (ValueError, KeyError, TypeError):
        said = ""
    words = "".join(char if char.isprintable() else " " for char in said)[:200]
    reason = _REASONS.get(answer.status, "GitHub fails" if answer.status >= 500 else "GitHub refuses")  # noqa: PLR2004
    return GitHubError(f"{what}: {answer.status}, {reason}" + (f" ({words})" if words else ""), answer.status)
