"""A change of the lock file alone, by the command that a person types: each tree runs with the packages it lists."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Generator
from functools import reduce
from importlib.metadata import version
from typing import Any, Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.local.commands import PATIENCE_SECONDS
from tests.local.pull_request.conftest import environment
from tests.local.required import skip
from tests.revisions.repository import Project

EARLIER: Final = {
    "pulumi-kubernetes": (
        "4.33.0",
        "42ca472ca89260bf2f3dae61860909dc2367d8fa61448b47d77237053ef402eb",
        "84aa1ba77284a96930ee9a090ac031b587b23380b36b2b3921b025be55fec7f4",
    ),
    "pulumi-azure-native": (
        "3.28.0",
        "50e1c9d2767617aabf7d04b21cc059ea1ed6e3a763f5216fdc331feed31c76f5",
        "fd5d8ee2ffe1fb544615d3b074821e4bb150b91d72daaaaf65f6f4ce5283e64e",
    ),
}
"""Packages with an earlier version, and the hashes of its wheel and its source archive."""


@pytest.fixture
def tree(this_tree: Project) -> Generator[Project]:
    """A tree whose `.venv` was set up before its lock file is edited."""
    lock = this_tree.root / "requirements.txt"
    before = lock.read_bytes()
    linked = this_tree.root / ".venv"
    linked.symlink_to(PROJECT_ROOT / ".venv")
    yield this_tree
    linked.unlink()
    lock.write_bytes(before)


def _with_earlier(package: str, lock: str) -> str:
    """A lock file with the earlier version of a package."""
    number, *hashes = EARLIER[package]
    lines = " \\\n    ".join([f"{package}=={number}", *(f"--hash=sha256:{digest}" for digest in hashes)])
    edited = re.sub(
        rf"^{package}==.*\n(?: .*\n)+", f"{lines}\n".replace("\\", r"\\"), lock, flags=re.MULTILINE
    )
    assert edited != lock
    return edited


def _changes(tree: Project) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, tree.root / "kubeflow-aks", "diff", "main", "--stack", "demo"],
        cwd=tree.root,
        env={name: value for name, value in environment().items() if name != "PYTHONPATH"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    if "can't be made" in done.stderr:
        skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return json.loads((tree.root / "build" / "pr-preview" / "demo.json").read_text(encoding="utf-8"))[
        "changes"
    ]


def test_other_versions_of_sdks_are_no_changes_that_are_overlooked(tree: Project) -> None:
    lock = tree.root / "requirements.txt"
    lock.write_text(reduce(lambda text, package: _with_earlier(package, text), EARLIER, lock.read_text()))
    assert {(change["action"], change["name"]) for change in _changes(tree)} == {
        ("update", "kubeflow-aks-demo"),  # the provider of Kubernetes
        ("delete", f"default_{version('pulumi-azure-native').replace('.', '_')}"),
        ("create", "default_3_28_0"),
    }
