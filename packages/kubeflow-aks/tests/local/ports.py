"""What any user of the machine gets from the ports of our processes: clients without a credential."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterable
from typing import Final, NamedTuple

import psutil

_TIMEOUT: Final = 3.0
_REFUSED: Final = frozenset({400, 401, 403})
_ETCD_RANGE: Final = json.dumps({"key": "AA==", "range_end": "AA==", "limit": 1})
"""The first key there is, in base64: etcd's JSON gateway."""
_REQUESTS: Final = (
    ("GET", "/", ""),
    ("GET", "/metrics", ""),
    ("GET", "/version", ""),
    ("GET", "/configz", ""),
    ("GET", "/debug/pprof/cmdline", ""),
    ("GET", "/api/v1/secrets", ""),
    ("GET", "/discovery/prometheus", ""),
    ("POST", "/v3/kv/range", _ETCD_RANGE),
)


class Port(NamedTuple):
    """Where a process listens."""

    process: str
    address: str
    number: int


def listening(pids: Iterable[int]) -> set[Port]:
    """Every TCP port on which these processes and their children listen."""
    processes = [psutil.Process(pid) for pid in pids]
    processes += [child for process in processes for child in process.children(recursive=True)]
    return {
        Port(process.name(), connection.laddr.ip, connection.laddr.port)
        for process in processes
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }


def readable(port: Port) -> list[str]:
    """What a client gets there that shows no credential, over plain HTTP and over TLS; empty when all is refused."""
    return [
        f"{port.process}: {scheme} {method} {path}: {answer}"
        for scheme in ("http", "https")
        for method, path, body in _REQUESTS
        if (answer := _ask(scheme, port, method, path, body))
    ]


def _ask(scheme: str, port: Port, method: str, path: str, body: str) -> str:
    where = port.address if port.address not in {"::", "0.0.0.0"} else "127.0.0.1"  # noqa: S104 - compared only
    if scheme == "http":
        client = http.client.HTTPConnection(where, port.number, timeout=_TIMEOUT)
    else:
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        client = http.client.HTTPSConnection(where, port.number, timeout=_TIMEOUT, context=trusting)
    try:
        client.request(method, path, body)
        answer = client.getresponse()
        return "" if answer.status in _REFUSED else f"{answer.status} {answer.read(200)!r}"
    except (OSError, http.client.HTTPException):
        return ""
    finally:
        client.close()
