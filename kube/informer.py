"""A local copy of one kind of API object, kept up to date by a watch (list, then watch from there)."""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import urllib3

from kube.connection import Connection, loaded
from kube.errors import ApiError, UnavailableError
from kube.objects import Object, at, is_list, is_object

_PAUSE_SECONDS: Final = 0.5
"""The least time from one list to the next, whatever becomes of the first and of its watch."""
_WATCH_SECONDS: Final = 300
"""How long the server keeps one watch open."""
_FIRST_LIST_SECONDS: Final = 30.0


class Informer:
    """Objects of one kind by uid. Reading costs no request; an unchanged object stays the same Python object.

    Whatever the server answers, or whoever answers in its place, the informer lists again until it is stopped.
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
        """Start a thread that lists and watches.

        Args:
            connection: to the API server.
            path: of the list.
            query: narrows list and watch, e.g. by `fieldSelector`.
            keep_deleted: whether somebody calls `take_deleted`.
            pause_seconds: the least time from one list to the next.
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
            UnavailableError: the last list could not be had.
        """
        self._tried.wait(_FIRST_LIST_SECONDS)
        with self._lock:
            if self._problem:
                raise UnavailableError(self._problem)
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
            began = time.monotonic()
            asked = self._list_and_watch()
            self._stop.wait(max(began + self._pause_seconds - time.monotonic(), asked))

    def _list_and_watch(self) -> float:
        """Follow the server until the watch ends or an answer can't be used.

        Returns:
            Seconds that the server wants to be left alone.
        """
        try:
            version = self._list()
        except Exception as error:  # noqa: BLE001 - a thread that ends would leave old objects to be served for ever
            self._unavailable(f"{self._path}: {error}")
            return _wanted_pause(error)
        try:
            self._watch(version)
        except Exception as error:  # noqa: BLE001 - as above
            return _wanted_pause(error)
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
            raise UnavailableError("the answer is not a list of objects")
        found = {_uid(item): item for item in objects}
        with self._lock:
            self._objects = found
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
        """Take over one change.

        Raises:
            UnavailableError: it is none, for example because the version to watch from is too old.
        """
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
    """What tells an object from every other.

    Raises:
        UnavailableError: it has none or no name, so it is no object of the API.
    """
    uid, name = at(obj, "metadata", "uid"), at(obj, "metadata", "name")
    if not (isinstance(uid, str) and isinstance(name, str) and uid and name):
        raise UnavailableError("the answer has an object without uid or name")
    return uid


def _wanted_pause(error: Exception) -> float:
    return error.retry_after if isinstance(error, ApiError) else 0.0
