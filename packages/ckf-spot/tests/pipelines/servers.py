"""What the examples talk to, on 127.0.0.1: a web server with a tgz, and an API server of Kubeflow Pipelines."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler
from io import BytesIO
from pathlib import Path
from typing import Any

from serving import QuietHandler, serving

IRIS = {
    "setosa.csv": "5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n",
    "versicolor.csv": "7.0,3.2,4.7,1.4,Iris-versicolor\n6.4,3.2,4.5,1.5,Iris-versicolor\n",
    "virginica.csv": "6.3,3.3,6.0,2.5,Iris-virginica\n5.8,2.7,5.1,1.9,Iris-virginica\n7.1,3.0,5.9,2.1,Iris-virginica\n",
}
"""Made up in the form of the blog's archive: a file for each species, without a header."""
MERGED = "".join(IRIS.values())


class _QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Keeps quiet."""


@contextmanager
def archive(folder: Path) -> Generator[str]:
    """The address of a tgz with these files."""
    with tarfile.open(folder / "iris-csv-files.tar.gz", "w:gz") as tgz:
        for name, rows in reversed(IRIS.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(rows)
            tgz.addfile(entry, BytesIO(rows.encode()))
    with serving(partial(_QuietFiles, directory=str(folder))) as address:
        yield f"{address}/iris-csv-files.tar.gz"


@dataclass
class PipelinesApi:
    """As much of the API as a client needs to start a run.

    Attributes:
        address: of the server.
        runs: what clients have sent.
    """

    address: str = ""
    runs: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def answer(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        match method, path.partition("?")[0].rpartition("/")[2]:
            case "GET", "healthz":
                return {"multi_user": False}
            case "GET", "experiments":
                return {"experiments": []}
            case "POST", "experiments":
                return {"experiment_id": "1", "display_name": body["display_name"]}
            case "POST", "runs":
                self.runs.append(body)
                return {"run_id": "1"}
            case _:
                raise AssertionError(path)


@contextmanager
def pipelines_api() -> Generator[PipelinesApi]:
    """An API server that keeps every run that is sent to it."""
    api = PipelinesApi()

    class Handler(QuietHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else {}
            self.answer(200, json.dumps(api.answer(self.command, self.path, body)).encode())

        do_GET = do_POST = _answer  # noqa: N815 - the base class looks for these names

    with serving(Handler) as address:
        api.address = address
        yield api
