"""`kubectl` for tests: JSON in, JSON out."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.tools import Tools

Object = dict[str, Any]
Value = TypeVar("Value")

_LONGEST_SECONDS: Final = 240
"""Wall time after which a test gives up."""


@dataclass(frozen=True)
class Kubectl:
    """Commands on one cluster and namespace."""

    tools: Tools
    kubeconfig: Path
    namespace: str = "default"

    def apply(self, *objects: Object) -> None:
        """Creates or updates objects."""
        stream = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.run("apply", "-f", "-", stdin=json.dumps(stream))

    def get(self, *arguments: str) -> Any:
        """An object, or the list of them."""
        return json.loads(self.run("get", *arguments, "-o", "json"))

    def items(self, kind: str, selector: str = "") -> list[Object]:
        """Every object of a kind, or those with these labels."""
        return self.get(kind, "--selector", selector)["items"]

    def read(self, path: str) -> Any:
        """The API server's answer at a path such as `/api/v1/nodes`, without a process: for what waits."""
        return self._api.read(path)

    def pods(self) -> list[Object]:
        """Every pod of the namespace, without a process."""
        return self.read(f"/api/v1/namespaces/{self.namespace}/pods")["items"]

    @cached_property
    def _api(self) -> ApiServer:
        return ApiServer.of(self.kubeconfig)

    def run(self, *arguments: str, stdin: str = "") -> str:
        """Any command; its standard output."""
        command = [
            self.tools["kubectl"],
            "--kubeconfig",
            self.kubeconfig,
            "--cache-dir",
            self.kubeconfig.with_name("kubectl-cache"),
            "--namespace",
            self.namespace,
            *arguments,
        ]
        environment = {**os.environ, "KUBECACHEDIR": str(self.kubeconfig.with_name("kubectl-cache"))}
        done = subprocess.run(
            command, env=environment, input=stdin, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def eventually(look: Callable[[], Value]) -> Value:
    """What `look` returns as soon as it is true."""
    deadline = time.monotonic() + _LONGEST_SECONDS
    while not (value := look()):
        assert time.monotonic() < deadline, f"still {value!r} after {_LONGEST_SECONDS} s"
        time.sleep(0.1)
    return value
