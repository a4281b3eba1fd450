"""Counts of what a script did, as Prometheus reads them from its pod.

This file runs in the cluster as it is, from a ConfigMap, with nothing but Python's standard library.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from itertools import accumulate
from socketserver import TCPServer
from typing import Any, Final

PATH: Final = "/metrics"
PORT: Final = 9464
"""The port that OpenTelemetry's exporters for Prometheus take by default."""
_PATIENCE_SECONDS: Final = 2
"""How long a client may be silent."""


class Counter:
    """A number that only grows, for each value of at most one label."""

    def __init__(self, name: str, text: str, label: str = "", values: Iterable[str] = ("",)) -> None:
        """Begins at 0 for each of `values`, so that an increase is seen from the first one; there are no others."""
        self.head = f"# HELP {name} {text}\n# TYPE {name} counter"
        self._name, self._label = name, label
        self._counts = dict.fromkeys(values, 0)
        self._lock = threading.Lock()

    def count(self, value: str = "") -> None:
        """One more.

        Raises:
            KeyError: it has no such value of its label.
        """
        with self._lock:
            self._counts[value] += 1

    def samples(self) -> Iterator[str]:
        """Its lines."""
        for value, number in self._counts.items():
            yield f"{self._name}{_labels(self._label, value)} {number}"


class Histogram:
    """How often something took so many seconds."""

    def __init__(self, name: str, text: str, bounds: Sequence[int]) -> None:
        """`bounds` are the upper ones of its buckets, in order; the last bucket has none."""
        self.head = f"# HELP {name} {text}\n# TYPE {name} histogram"
        self._name, self._bounds = name, bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0
        self._lock = threading.Lock()

    def observe(self, seconds: float) -> None:
        """It took so many."""
        with self._lock:
            self._counts[bisect_left(self._bounds, seconds)] += 1
            self._sum += seconds

    def samples(self) -> Iterator[str]:
        """Its lines."""
        with self._lock:
            counts, total = list(accumulate(self._counts)), self._sum
        for bound, number in zip((*map(str, self._bounds), "+Inf"), counts, strict=True):
            yield f"{self._name}_bucket{_labels('le', bound)} {number}"
        yield f"{self._name}_sum {total}"
        yield f"{self._name}_count {counts[-1]}"


Metric = Counter | Histogram


def exposition(metrics: Iterable[Metric]) -> str:
    """The metrics in the text format of Prometheus, version 0.0.4."""
    return "".join(f"{line}\n" for metric in metrics for line in (metric.head, *metric.samples()))


def serve(metrics: Sequence[Metric], address: str) -> str:
    """Answers `GET /metrics` and nothing else, one client after another, in a thread that ends with the process.

    Args:
        metrics: what it answers.
        address: `host:port` to listen on; port 0 is any free one.

    Returns:
        The URL.

    Raises:
        OSError: the address cannot be listened on.
    """

    class Answer(BaseHTTPRequestHandler):
        timeout = _PATIENCE_SECONDS

        def do_GET(self) -> None:
            if self.path.partition("?")[0] != PATH:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            text = exposition(metrics).encode()
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
            pass

    host, _, port = address.rpartition(":")
    server = _Server((host, int(port)), Answer)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return f"http://{host}:{server.server_address[1]}{PATH}"


class _Server(TCPServer):
    """Unlike `HTTPServer` it asks no DNS for the host's name, which a network policy may keep from the pod."""

    allow_reuse_address = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes before it has its answer is no concern of the log's."""


def _labels(name: str, value: str) -> str:
    return f'{{{name}="{value}"}}' if name else ""
