"""HTTP to one API server: connections, TLS, sign-in, time limits; every failure is a `KubeError`."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

import urllib3

from kubeflow_aks.clients.addresses import is_local
from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.errors import ApiError, UnavailableError, UnreachableError
from kubeflow_aks.clients.kubernetes.exec_plugin import Credentials, ExecPlugin
from kubeflow_aks.clients.kubernetes.objects import Object, at, is_object, items

JSON: Final = "application/json"
CONNECT_SECONDS: Final = 5.0
RESPONSE_SECONDS: Final = 60.0
_CONNECTIONS: Final = 32
_LONGEST_PAUSE_SECONDS: Final = 60.0
"""Limit for `Retry-After`; the API server sends 1 s."""
_LONGEST_RESPONSE: Final = 1 << 28
"""Bytes of a response: 500 pods, the most that a list requests, take some megabytes."""


@dataclass(frozen=True)
class _Session:
    """Connections that are signed in with the same credentials."""

    headers: Mapping[str, str] = field(repr=False)
    pool: urllib3.PoolManager
    credentials: Credentials | None

    @property
    def expired(self) -> bool:
        """Whether the credentials are no longer valid."""
        return self.credentials is not None and self.credentials.expired


class Connection:
    """One API server, with one user's credentials. Safe for many threads."""

    def __init__(
        self,
        target: kubeconfig.ActiveCluster,
        *,
        connections: int = _CONNECTIONS,
        connect_seconds: float = CONNECT_SECONDS,
        response_seconds: float = RESPONSE_SECONDS,
        anywhere: bool = False,
        plugin: ExecPlugin | None = None,
    ) -> None:
        """Signs in; a connection is opened with the first request.

        Args:
            target: cluster and user of a kubeconfig.
            connections: how many are kept open.
            connect_seconds: how long to try to connect.
            response_seconds: how long the server may be silent.
            anywhere: whether the server may be on another machine.
            plugin: the program that signs in; it runs again when its credentials expire or are rejected.

        Raises:
            UnreachableError: the kubeconfig cannot be used, or its server is on another machine.
            SignInError: the program gives no credentials.
        """
        self.url = str(target.cluster.get("server") or "").rstrip("/")
        if not self.url:
            raise UnreachableError("the kubeconfig names no server for its current context")
        if not anywhere and not is_local(self.url):
            raise UnreachableError(
                f"the local AKS changes no cluster but its own, and {self.url} is not local"
            )
        self._target, self._plugin, self._connections = target, plugin, connections
        self._connect_seconds, self._response_seconds = connect_seconds, response_seconds
        self._lock = threading.Lock()
        self._session = self._signed_in()

    @classmethod
    def of(cls, config: object, *, connections: int = _CONNECTIONS) -> Connection:
        """A connection to the server of the current context of a kubeconfig, which is its text or its path.

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
        """One request to a path of the API and its response; the body is a JSON value, None sends none.

        Raises:
            UnreachableError: no connection, or it was lost.
            UnavailableError: the response is not a JSON object, or longer than any of an API server.
            ApiError: the server refuses.
        """
        return loaded(self._body_of(method, path, query, body, content_type), f"{method} {path}")

    def text(self, path: str, query: Mapping[str, str]) -> str:
        """A response that is not JSON, such as the log of a container.

        Raises:
            UnreachableError: no connection, or it was lost.
            ApiError: the server refuses.
        """
        return self._body_of("GET", path, query, None, JSON, accept=f"{JSON}, */*").decode(errors="replace")

    def time(self, path: str) -> datetime | None:
        """The server's clock, to the second, as a request shows it ("HTTP Semantics", section 6.6.1).

        Returns:
            None if the server does not send its time.

        Raises:
            UnreachableError: no connection, or it was lost.
        """
        try:
            return parsedate_to_datetime(self._request("GET", path, None, None, JSON).headers.get("Date", ""))
        except ValueError:
            return None
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise UnreachableError(f"{self.url}: {error}") from error

    def watch(self, path: str, query: Mapping[str, str], *, seconds: float) -> urllib3.BaseHTTPResponse:
        """Opens a response that goes on, of a server that may be silent for some seconds; the caller closes it.

        Raises:
            UnreachableError: no connection.
            ApiError: the server refuses.
        """
        try:
            response = self._request("GET", path, query, None, JSON, seconds=seconds, preload=False)
            if response.status != HTTPStatus.OK:
                with response:
                    _accept(response, response.read(_LONGEST_REFUSAL))
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise UnreachableError(f"{self.url}: {error}") from error
        return response

    def _body_of(
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
            response = self._request(method, path, query, body, content_type, accept=accept, preload=False)
            data = response.read(_LONGEST_RESPONSE + 1)
            if len(data) > _LONGEST_RESPONSE:
                response.close()
                raise UnavailableError(
                    f"{method} {path}: the response is longer than {_LONGEST_RESPONSE >> 20} MiB"
                )
            response.release_conn()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise UnreachableError(f"{self.url}: {error}") from error
        _accept(response, data)
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
        def send(session: _Session) -> urllib3.BaseHTTPResponse:
            return session.pool.request(
                method,
                f"{self.url}{path}{f'?{urlencode(query)}' if query else ''}",
                body=None if body is None else json.dumps(body).encode(),
                headers={**session.headers, "Content-Type": content_type, "Accept": accept},
                timeout=urllib3.Timeout(
                    connect=self._connect_seconds, read=self._response_seconds if seconds is None else seconds
                ),
                redirect=False,  # an API server sends none, and no other server may get the credentials
                preload_content=preload,
            )

        session = self._valid_session()
        response = send(session)
        if self._plugin is None or response.status != HTTPStatus.UNAUTHORIZED:
            return response
        response.close()
        return send(self._renewed_session(session))

    def _signed_in(self) -> _Session:
        credentials = self._plugin.credentials() if self._plugin else None
        target = replace(self._target, user=credentials.user) if credentials else self._target
        context = kubeconfig.tls(target) if self.url.startswith("https") else None
        pool = urllib3.PoolManager(ssl_context=context, maxsize=self._connections, retries=False)
        return _Session(kubeconfig.authorization(target), pool, credentials)

    def _valid_session(self) -> _Session:
        with self._lock:
            if self._session.expired:
                self._session = self._signed_in()
            return self._session

    def _renewed_session(self, rejected: _Session) -> _Session:
        """The session after one that the server rejects; another thread may have renewed it."""
        with self._lock:
            if self._session is rejected:
                self._session = self._signed_in()
            return self._session


_LONGEST_REFUSAL: Final = 1 << 20


def loaded(data: bytes, what: str) -> Object:
    """A JSON object as the server sent it.

    Raises:
        UnavailableError: it is something else; the message names `what`.
    """
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnavailableError(f"{what}: the response is not JSON: {_beginning(data)}") from error
    if not is_object(value):
        raise UnavailableError(f"{what}: the response is not a JSON object: {_beginning(data)}")
    return value


def _accept(response: urllib3.BaseHTTPResponse, data: bytes) -> None:
    """Raises the `ApiError` of a response: with the server's Status, else with the text of a proxy or a crash."""
    if HTTPStatus.OK <= response.status < HTTPStatus.MULTIPLE_CHOICES:
        return
    pause = _seconds(response.headers.get("Retry-After") or "")
    try:
        status = loaded(data, "the error")
    except UnavailableError:
        text = data.decode(errors="replace").strip() or _phrase(response.status)
        raise ApiError(response.status, "", text, retry_after=pause) from None
    causes = items(at(status, "details", "causes"))
    raise ApiError(
        response.status,
        str(status.get("reason") or ""),
        str(status.get("message") or _phrase(response.status)),
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
