"""A local copy of one kind of API object, kept up to date by a watch (list, then watch from there)."""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

import urllib3

from local_aks.kube.errors import ClusterUnavailableError

_RETRY_SECONDS: Final = 0.5
_WATCH_SECONDS: Final = 300
"""How long the server keeps one watch open."""
_FIRST_LIST_SECONDS: Final = 30.0


class _WatchEndedError(Exception):
    """The server can't go on with a watch, e.g. because its version is too old: list again."""


class Informer:
    """Objects of one kind by uid. Reading costs no request; an unchanged object stays the same Python object."""

    def __init__(
        self,
        http: urllib3.PoolManager,
        url: str,
        headers: Mapping[str, str],
        query: Mapping[str, str] | None = None,
        *,
        keep_deleted: bool = False,
    ) -> None:
        """Start a thread that lists and watches `url`.

        Args:
            http: with the server's certificate authority.
            url: of the list.
            headers: to sign in with.
            query: narrows both, e.g. by `fieldSelector`.
            keep_deleted: whether somebody calls `take_deleted`.
        """
        self._http = http
        self._url = url
        self._headers = {**headers, "Accept": "application/json"}
        self._query = dict(query or {})
        self._keep_deleted = keep_deleted
        self._objects: dict[str, dict[str, Any]] = {}
        self._deleted: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._listed = threading.Event()
        self._stop = threading.Event()
        self._problem = ""
        self._response: urllib3.BaseHTTPResponse | None = None
        threading.Thread(target=self._run, name=f"informer {url}", daemon=True).start()

    def objects(self) -> list[dict[str, Any]]:
        """The latest known objects.

        Raises:
            ClusterUnavailableError: the server does not answer.
        """
        if not self._listed.wait(_FIRST_LIST_SECONDS) or self._problem:
            raise ClusterUnavailableError(self._problem or f"no list of {self._url} yet")
        with self._lock:
            return list(self._objects.values())

    def take_deleted(self) -> list[dict[str, Any]]:
        """What was deleted since the last call, as it was at the end; without what only a new list showed."""
        with self._lock:
            deleted, self._deleted = self._deleted, {}
        return list(deleted.values())

    def stop(self) -> None:
        """End the watch and its thread."""
        self._stop.set()
        response = self._response
        if response is not None:
            # The watch ends by itself at this moment: what is half closed refuses in many ways (urllib3, `shutdown`).
            with suppress(RuntimeError, OSError, ValueError, TypeError):
                response.shutdown()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with suppress(_WatchEndedError):
                    self._watch(self._list())
            except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
                self._problem = f"{self._url}: {error}"
                self._listed.set()
                self._stop.wait(_RETRY_SECONDS)

    def _list(self) -> str:
        """Replace all objects, and return the version to watch from."""
        answer = self._http.request("GET", self._url, fields=self._query, headers=self._headers)
        if answer.status != HTTPStatus.OK:
            raise ValueError(f"status {answer.status}")
        listed = json.loads(answer.data)
        with self._lock:
            self._objects = {item["metadata"]["uid"]: item for item in listed["items"]}
        self._problem = ""
        self._listed.set()
        return str(listed["metadata"]["resourceVersion"])

    def _watch(self, version: str) -> None:
        """Follow changes until the server ends the watch; then everything is listed again."""
        query = {
            **self._query,
            "watch": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(_WATCH_SECONDS),
        }
        self._response = self._http.request(
            "GET",
            self._url,
            fields=query,
            headers=self._headers,
            preload_content=False,
            timeout=urllib3.Timeout(connect=5, read=_WATCH_SECONDS + 10),
        )
        try:
            if self._stop.is_set():
                return
            line = b""
            for chunk in self._response.stream(65536):
                *complete, line = (line + chunk).split(b"\n")
                for text in complete:
                    self._apply(json.loads(text))
        finally:
            self._response.close()
            self._response = None

    def _apply(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "ERROR":
            raise _WatchEndedError
        uid = event["object"]["metadata"]["uid"]
        with self._lock:
            if event["type"] == "DELETED":
                self._objects.pop(uid, None)
                if self._keep_deleted:
                    self._deleted[uid] = event["object"]
            else:
                self._objects[uid] = event["object"]
