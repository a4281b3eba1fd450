"""One process that serves a program to all operations of a test, or of a module's tests: each costs half a second."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache
from pathlib import Path

from kubeflow_aks.local_aks.engine import program
from kubeflow_aks.local_aks.engine.engine import Serve


@contextmanager
def shared() -> Generator[Serve]:
    """Serves each project from one process; where variables differ that the SDK of Kubernetes reads, from another."""
    with ExitStack() as hosts:

        @cache
        def address(root: Path, _variables: frozenset[tuple[str, str]]) -> str:
            return hosts.enter_context(program.served(root))

        def serve(root: Path) -> nullcontext[str]:
            variables = {it for it in os.environ.items() if it[0].startswith("PULUMI_K8S_")}
            return nullcontext(address(root, frozenset(variables)))

        yield serve
