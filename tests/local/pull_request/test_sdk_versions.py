"""A pull request that brings another version of an SDK: base and head are each served by their own environment."""

from __future__ import annotations

import re
import sys
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.local_aks.engine import Engine, Result
from kubeflow_aks.local_aks.engine.program import served
from kubeflow_aks.local_aks.kubernetes_provider import file_cluster
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.pull_request.changes import changes_of
from kubeflow_aks.pull_request.observed import Difference
from kubeflow_aks.pull_request.stand_ins import stand_ins
from kubeflow_aks.tools import Tools
from tests.local.required import required_environment

PROGRAM: Final = Path(__file__).parents[1] / "programs" / "kinds"
BEFORE: Final = """\
pulumi-kubernetes==4.34.1 \\
    --hash=sha256:613f477ba6569e73d36236d4dd2a64c767d96d4ee837b7dab80f4095fcb007e6 \\
    --hash=sha256:7fa70fbaa50d2f17c6f4efe747d5f9290fbf5c5de9a8818713b28b29a4615848
"""
TODAY: Final = date(2026, 11, 22)


def _lock() -> bytes:
    """This tree's lock file with the SDK of Kubernetes before this one, and without that of Azure, which is large."""
    text = (PROJECT_ROOT / "requirements.txt").read_text()
    packages = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)
    others = [
        package for package in packages if not package.startswith(("pulumi-kubernetes", "pulumi-azure"))
    ]
    return "".join([*others, BEFORE]).encode()


def _run(operation: str, python: Path, run: RunDirectory, tools: Tools) -> Result:
    with stand_ins(python, run, today=TODAY) as serving:
        config = {"kubeconfig": file_cluster.kubeconfig()}
        serve = partial(served, python=python)
        engine = Engine(run, tools, serving.providers, PROGRAM, "test", config, serve)
        return getattr(engine, operation)()


@pytest.fixture
def older(tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: ARG001 - found in the cache
    """The Python of an environment in which nothing is that tests or tools need."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return required_environment(_lock())


def test_another_version_of_an_sdk_shows_as_what_it_changes(
    older: Path, tools: Tools, tmp_path: Path
) -> None:
    run = RunDirectory.at(tmp_path / "run")
    assert _run("up", older, run, tools).changes["create"]
    assert _run("preview", older, run, tools).changed() == ()
    [change] = changes_of(_run("preview", Path(sys.executable), run, tools).steps, ())
    assert (change.action, change.name) == ("update", "inside")
    assert change.differences == (Difference("version", "update", "4.34.1", version("pulumi-kubernetes")),)
