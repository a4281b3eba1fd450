"""HTTP to one API server: connections, TLS, sign-in, time limits, and every way to fail as one kind of error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import urllib3

from kube import kubeconfig
from kube.errors import ApiError, UnavailableError, UnreachableError
from kube.objects import Object, at, is_object, items

JSON: Final = "application/json"
CONNECT_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 60.0
_CONNECTIONS: Final = 32
LOCAL_HOSTS: Final = ("127.0.0.1", "::1", "localhost")
"""Names of this machine for itself."""
_LONGEST_PAUSE_SECONDS: Final = 60.0
"""What a server may ask for with `Retry-After`; the API server asks for 1 s."""


class Connection:
    """One API server, with one user's credentials. Safe for many threads."""

    def __init__(
        self,
        target: kubeconfig.ActiveCluster,
        *,
        connections: int = _CONNECTIONS,
        connect_seconds: float = CONNECT_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
        anywhere: bool = False,
    ) -> None:
        """A connection that is opened with the first request.

        Args:
            target: cluster and user of a kubeconfig.
            connections: how many are kept open.
            connect_seconds: how long to try to connect.
            answer_seconds: how long the server may send nothing.
            anywhere: whether the server may be on another machine.

        Raises:
            UnreachableError: the kubeconfig can't be used, or its server is not on this machine though it must be.
        """
        self.url = str(target.cluster.get("server") or "").rstrip("/")
        if not self.url:
            raise UnreachableError("the kubeconfig names no server for its current context")
        if not anywhere and urlsplit(self.url).hostname not in LOCAL_HOSTS:
            raise UnreachableError(
                f"the local AKS changes no cluster but its own, and {self.url} is not local"
            )
        self._connect_seconds = connect_seconds
        self._answer_seconds = answer_seconds
        self._headers = kubeconfig.authorization(target)
        self._pool = urllib3.PoolManager(
            ssl_context=kubeconfig.tls(target) if self.url.startswith("https") else None,
            maxsize=connections,
            retries=False,
        )
        self._connect_seconds, self._answer_seconds = connect_seconds, answer_seconds

    @classmethod
    def of(cls, config: object, *, connections: int = _CONNECTIONS) -> Connection:
        """A connection to the server of a kubeconfig's current context.

        Args:
            config: the kubeconfig's text, or a path to it.
            connections: how many are kept open.

        Raises:
            UnreachableError: it is none, or its server is not on this machine.
        """
        return cls(kubeconfig.active(kubeconfig.load(config)), connections=connections)

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: object = None,
        content_type: str = JSON,
    ) -> Object:
        """One request and its answer.

        Args:
            method: of HTTP.
            path: of the API, from its first slash.
            query: what follows the question mark.
            body: anything that JSON can say; None sends none.
            content_type: of the body.

        Raises:
            UnreachableError: no connection, or it was lost.
            UnavailableError: the answer is no JSON object.
            ApiError: the server refuses.
        """
        return loaded(self._answered(method, path, query, body, content_type), f"{method} {path}")

    def text(self, path: str, query: Mapping[str, str]) -> str:
        """What a path answers that is no JSON, such as the log of a container.

        Raises:
            UnreachableError: no connection, or it was lost.
            ApiError: the server refuses.
        """
        return self._answered("GET", path, query, None, JSON, accept=f"{JSON}, */*").decode(errors="replace")

    def watch(self, path: str, query: Mapping[str, str], *, seconds: float) -> urllib3.BaseHTTPResponse:
        """Open an answer that goes on; whoever reads it closes it.

        Args:
            path: of the API, from its first slash.
            query: what follows the question mark.
            seconds: how long the server may send nothing.

        Raises:
            UnreachableError: no connection.
            ApiError: the server refuses.
        """
        try:
            answer = self._request("GET", path, query, None, JSON, seconds=seconds, preload=False)
            if answer.status != HTTPStatus.OK:
                with answer:
                    _accept(answer, answer.read(_LONGEST_REFUSAL))
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise UnreachableError(f"{self.url}: {error}") from error
        return answer

    def _answered(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: object,
        content_type: str,
        *,
        accept: str = JSON,
    ) -> bytes:
        try:
            answer = self._request(method, path, query, body, content_type, accept=accept)
            data = answer.data
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise UnreachableError(f"{self.url}: {error}") from error
        _accept(answer, data)
        return data

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: object,
        content_type: str,
        *,
        seconds: float | None = None,
        preload: bool = True,
        accept: str = JSON,
    ) -> urllib3.BaseHTTPResponse:
        return self._pool.request(
            method,
            f"{self.url}{path}{f'?{urlencode(query)}' if query else ''}",
            body=None if body is None else json.dumps(body).encode(),
            headers={**self._headers, "Content-Type": content_type, "Accept": accept},
            timeout=urllib3.Timeout(
                connect=self._connect_seconds, read=self._answer_seconds if seconds is None else seconds
            ),
            redirect=False,  # an API server sends none, and the sign-in is for nobody else
            preload_content=preload,
        )


_LONGEST_REFUSAL: Final = 1 << 20


def loaded(data: bytes, what: str) -> Object:
    """A JSON object as the server sent it.

    Raises:
        UnavailableError: it is none; the message names `what`.
    """
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnavailableError(f"{what}: the answer is not JSON: {_beginning(data)}") from error
    if not is_object(value):
        raise UnavailableError(f"{what}: the answer is not a JSON object: {_beginning(data)}")
    return value


def _accept(answer: urllib3.BaseHTTPResponse, data: bytes) -> None:
    """Raises what the server refuses.

    Raises:
        ApiError: the server's Status object as an error; a proxy's or a crash's text as it is.
    """
    if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        return
    pause = _seconds(answer.headers.get("Retry-After") or "")
    try:
        status = loaded(data, "the refusal")
    except UnavailableError:
        text = data.decode(errors="replace").strip() or _phrase(answer.status)
        raise ApiError(answer.status, "", text, retry_after=pause) from None
    causes = items(at(status, "details", "causes"))
    raise ApiError(
        answer.status,
        str(status.get("reason") or ""),
        str(status.get("message") or _phrase(answer.status)),
        tuple(str(at(cause, "field")) for cause in causes if at(cause, "reason") == "FieldValueRequired"),
        retry_after=pause,
    )


def _seconds(retry_after: str) -> float:
    """The whole seconds of a `Retry-After` header; 0 for its other form, a date, which no API server sends."""
    return min(float(retry_after), _LONGEST_PAUSE_SECONDS) if retry_after.isdecimal() else 0.0


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return f"status {status}"


def _beginning(data: bytes) -> str:
    return repr(data[:80].decode(errors="replace"))
