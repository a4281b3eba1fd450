"""Azure Resource Manager, with a token of the caller's `az`.

The token is kept in memory only and is in no message.
"""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import urllib3

from kubeflow_aks.clients.addresses import is_local, may_get_credentials
from kubeflow_aks.clients.az import Az
from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.json_values import at, text
from kubeflow_aks.text.sentences import one_line

_TOKEN: Final = re.compile(r"[\w.~+/=-]+", re.ASCII)
"""A bearer token's letters (RFC 6750, "b64token")."""
_BUSY: Final = frozenset({HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})
_ATTEMPTS: Final = 5
_PAUSE_SECONDS: Final = 5.0
_LONGEST_PAUSE_SECONDS: Final = 60.0
_LONGEST: Final = 500
_TIMEOUT: Final = urllib3.Timeout(connect=10.0, read=60.0)


@dataclass(frozen=True)
class Response:
    """A response of Resource Manager: HTTP status, and its JSON value, None if it is empty or not JSON."""

    status: int
    body: Any

    @property
    def code(self) -> str:
        """Azure's error code, else the HTTP status."""
        return one_line(self._error("code") or self.status, _LONGEST)

    @property
    def reason(self) -> str:
        """Status, error code and message on one line."""
        message = one_line(self._error("message"), _LONGEST)
        return f"{self.status} {self.code}{': ' if message else ''}{message}"

    def _error(self, key: str) -> str:
        return str(at(self.body, "error", key) or "")


class ResourceManager:
    """Resource Manager of the cloud that `az` uses, with its sign-in."""

    def __init__(self, az: Az | None = None, *, sleep: Callable[[float], object] = time.sleep) -> None:
        """Reads the cloud's address; the token is read with the first request.

        Raises:
            AzError: `az` is missing, or does not answer.
            ClientError: the address may not get a token.
        """
        self._az = az or Az()
        self._sleep = sleep
        self._pool = urllib3.PoolManager(retries=False, timeout=_TIMEOUT)
        self._token = ""
        cloud = self._az.json("cloud", "show")
        self.endpoint = text(at(cloud, "endpoints", "resourceManager")).rstrip("/")
        if not may_get_credentials(self.endpoint):
            raise ClientError(
                "`az cloud show` names no address of Resource Manager with https; set the cloud with `az cloud set`"
            )

    @property
    def is_local(self) -> bool:
        """Whether it is a stand-in on this machine."""
        return is_local(self.endpoint)

    def request(self, method: str, path: str, api_version: str) -> Response:
        """Sends a request; repeats it while Azure is busy, and once with a new token if the token has expired.

        Raises:
            AzError: `az` gives no token.
            ClientError: no response, or the token is rejected.
        """
        renewed = False
        for attempt in range(_ATTEMPTS):
            response = self._send(method, path, api_version)
            if response.status == HTTPStatus.UNAUTHORIZED:
                if renewed:
                    raise ClientError("Azure rejects the sign-in of `az`; run `az login`")
                self._token, renewed = "", True
            elif attempt == _ATTEMPTS - 1 or response.status not in _BUSY:
                return _response(response)
            else:
                self._sleep(_pause(response))
        raise ClientError(f"{self.endpoint} is busy; try again later")

    def _send(self, method: str, path: str, api_version: str) -> urllib3.BaseHTTPResponse:
        self._token = self._token or self._new_token()
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        url = f"{self.endpoint}{path}?api-version={api_version}"
        try:
            return self._pool.request(method, url, headers=headers, redirect=False)
        except urllib3.exceptions.HTTPError as error:
            reason = re.sub(r"^<.*?>: ", "", str(error))
            raise ClientError(f"{self.endpoint} does not answer: {one_line(reason, _LONGEST)}") from None

    def _new_token(self) -> str:
        words = ("account", "get-access-token", "--resource", f"{self.endpoint}/")
        token = text(at(self._az.json(*words), "accessToken"))
        if not _TOKEN.fullmatch(token):
            raise ClientError("`az account get-access-token` printed no token; run `az login`")
        return token


def _pause(response: urllib3.BaseHTTPResponse) -> float:
    """Seconds of the header `Retry-After`, at most a minute."""
    after = response.headers.get("Retry-After") or ""
    return min(float(after), _LONGEST_PAUSE_SECONDS) if after.isdecimal() else _PAUSE_SECONDS


def _response(response: urllib3.BaseHTTPResponse) -> Response:
    try:
        return Response(response.status, json.loads(response.data))
    except (ValueError, RecursionError):
        return Response(response.status, None)
