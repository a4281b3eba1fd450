"""A local copy of one kind of API object, kept up to date by a watch (list, then watch from there)."""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import urllib3

from kubeflow_aks.clients.kubernetes.connection import Connection, loaded
from kubeflow_aks.clients.kubernetes.errors import ApiError, UnavailableError
from kubeflow_aks.clients.kubernetes.objects import Object, at, is_list, is_object

_PAUSE_SECONDS: Final = 0.5
"""The least time from one list to the next, also if the first or its watch fails."""
_WATCH_SECONDS: Final = 300
"""How long the server keeps one watch open."""
_FIRST_LIST_SECONDS: Final = 30.0


class Informer:
    """Objects of one kind by uid. Reading costs no request; an unchanged object stays the same Python object.

    Whatever the response is, also of a proxy, the informer lists again until it is stopped.
    """

    def __init__(
        self,
        connection: Connection,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        keep_deleted: bool = False,
        pause_seconds: float = _PAUSE_SECONDS,
    ) -> None:
        """Start a thread that lists and watches, narrowed by the query, such as a `fieldSelector`.

        `keep_deleted` is for `take_deleted`; from one list to the next pass at least `pause_seconds`.
        """
        self._connection = connection
        self._path = path
        self._query = dict(query or {})
        self._keep_deleted = keep_deleted
        self._pause_seconds = pause_seconds
        self._objects: dict[str, dict[str, Any]] = {}
        self._deleted: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._tried = threading.Event()
        self._stop = threading.Event()
        self._problem = f"no list of {path} yet"
        self._response: urllib3.BaseHTTPResponse | None = None
        threading.Thread(target=self._run, name=f"informer {path}", daemon=True).start()

    def objects(self) -> list[dict[str, Any]]:
        """The latest known objects.

        Raises:
            UnavailableError: the last list failed.
        """
        self._tried.wait(_FIRST_LIST_SECONDS)
        with self._lock:
            if self._problem:
                raise UnavailableError(self._problem)
            return list(self._objects.values())

    def take_deleted(self) -> list[dict[str, Any]]:
        """Objects deleted since the last call, in their last state; without those that are missing in a new list."""
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
            began = time.monotonic()
            pause = self._list_and_watch()
            self._stop.wait(max(began + self._pause_seconds - time.monotonic(), pause))

    def _list_and_watch(self) -> float:
        """Follows until the watch ends or a response cannot be used; returns the pause that the server requests, s."""
        try:
            version = self._list()
        except Exception as error:  # noqa: BLE001 - if the thread ended, old objects would be returned for ever
            self._unavailable(f"{self._path}: {error}")
            return _requested_pause(error)
        try:
            self._watch(version)
        except Exception as error:  # noqa: BLE001 - as above
            return _requested_pause(error)
        return 0.0

    def _unavailable(self, problem: str) -> None:
        with self._lock:
            self._problem = problem
        self._tried.set()

    def _list(self) -> str:
        """Replace all objects, and return the version to watch from."""
        listed = self._connection.call("GET", self._path, self._query)
        objects, version = listed.get("items"), at(listed, "metadata", "resourceVersion")
        if not is_list(objects) or not isinstance(version, str):
            raise UnavailableError("the response is not a list of objects")
        by_uid = {_uid(item): item for item in objects}
        with self._lock:
            self._objects = by_uid
            self._problem = ""
        self._tried.set()
        return version

    def _watch(self, version: str) -> None:
        """Follow changes until the server ends the watch; then everything is listed again."""
        query = {
            **self._query,
            "watch": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(_WATCH_SECONDS),
        }
        self._response = self._connection.watch(self._path, query, seconds=_WATCH_SECONDS + 10)
        try:
            if self._stop.is_set():
                return
            line = b""
            for chunk in self._response.stream(65536):
                *complete, line = (line + chunk).split(b"\n")
                for text in complete:
                    self._apply(loaded(text, "the watch"))
        finally:
            self._response.close()
            self._response = None

    def _apply(self, event: Object) -> None:
        """Applies one event of the watch; an `UnavailableError` for another, such as that its version is too old."""
        kind, obj = event.get("type"), event.get("object")
        if kind not in {"ADDED", "MODIFIED", "DELETED"} or not is_object(obj):
            raise UnavailableError(f"the watch ended with {kind!r}")
        uid = _uid(obj)
        with self._lock:
            if kind == "DELETED":
                self._objects.pop(uid, None)
                if self._keep_deleted:
                    self._deleted[uid] = obj
            else:
                self._objects[uid] = obj


def _uid(obj: object) -> str:
    """The uid of an object; an `UnavailableError` where it has none or no name, so it is not an object of the API."""
    uid, name = at(obj, "metadata", "uid"), at(obj, "metadata", "name")
    if not (isinstance(uid, str) and isinstance(name, str) and uid and name):
        raise UnavailableError("the response has an object without uid or name")
    return uid


def _requested_pause(error: Exception) -> float:
    return error.retry_after if isinstance(error, ApiError) else 0.0
