"""Where the tools can't be built, their tests are skipped with the reason; CI fails rather than skip."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kubeflow_aks import tools
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Missing, manifest
from tests.local.required import required

REQUIRE = "KUBEFLOW_AKS_REQUIRE_TOOLS"


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> str:
    """No tool is there; the message about it."""
    missing = Missing(manifest.selected(()))
    monkeypatch.setattr(tools, "find", _finder(missing))
    return str(missing)


def _finder(missing: Missing) -> Callable[..., Missing]:
    def find(*_extras: str) -> Missing:
        return missing

    return find


def test_a_test_is_skipped_with_the_name_of_what_is_missing(
    nothing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(REQUIRE, raising=False)
    with pytest.raises(pytest.skip.Exception) as skipped:
        required()
    assert skipped.value.msg == nothing


def test_a_test_fails_where_the_tools_are_required(nothing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REQUIRE, "1")
    with pytest.raises(pytest.fail.Exception) as failed:
        required()
    assert failed.value.msg == nothing


@pytest.mark.parametrize(
    ("code", "require", "goes_on"),
    [(0, "", True), (0, "1", True), (1, "", True), (1, "1", False), (130, "", False)],
    ids=["built", "built and required", "not built", "not built and required", "interrupted"],
)
def test_make_goes_on_without_tools_unless_they_are_required(
    code: int,
    require: str,
    goes_on: bool,
    tmp_path: Path,
) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\n[ "$2" = kubeflow_aks ] && exit {code}\necho "$@"\n')
    python.chmod(0o755)
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    made = subprocess.run(
        ["make", "-f", str(PROJECT_ROOT / "Makefile"), "test-local", "--old-file=.venv/.dev"],
        cwd=tmp_path,
        env={**outside, REQUIRE: require},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode == 0) == goes_on, made.stderr
    assert made.stdout.startswith("-m pytest packages/kubeflow-aks/tests/local ") == goes_on
