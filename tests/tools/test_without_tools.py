"""Where the tools can't be built, what needs them is skipped and says why; CI fails rather than skip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tools
from tests.local.commands import make
from tests.local.required import required
from tools import Missing, manifest

REQUIRE = "KUBEFLOW_AKS_REQUIRE_TOOLS"


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> str:
    """No tool is there; what is said of it."""
    missing = Missing(manifest.wanted(()))
    monkeypatch.setattr(tools, "find", _found(missing))
    return str(missing)


def _found(missing: Missing) -> Callable[..., Missing]:
    def find(*_extras: str) -> Missing:
        return missing

    return find


def test_a_test_is_skipped_and_says_what_is_missing(nothing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRE, raising=False)
    with pytest.raises(pytest.skip.Exception) as skipped:
        required()
    assert skipped.value.msg == nothing


def test_a_test_fails_where_the_tools_are_asked_for(nothing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REQUIRE, "1")
    with pytest.raises(pytest.fail.Exception) as failed:
        required()
    assert failed.value.msg == nothing


@pytest.mark.parametrize(
    ("code", "require", "goes_on"),
    [(0, "", True), (0, "1", True), (1, "", True), (1, "1", False), (130, "", False)],
    ids=["built", "built and asked for", "not built", "not built and asked for", "interrupted"],
)
def test_make_goes_on_without_tools_unless_they_are_asked_for(
    code: int,
    require: str,
    goes_on: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\n[ "$2" = tools ] && exit {code}\necho "$@"\n')
    python.chmod(0o755)
    words = ("test-local", f"PY={python}", "--old-file=.venv/.dev")
    made = make(tmp_path, *words, env={REQUIRE: require})
    assert (made.returncode == 0) == goes_on, made.stderr
    assert made.stdout.startswith("-m pytest tests/local ") == goes_on
