"""`make demo STACK=dev`: another stack than the demo's own keeps the same promises."""

from __future__ import annotations

from pathlib import Path

from tests.local.commands import make, processes_of
from tools import Tools


def test_every_promise_is_kept(tools: Tools, tmp_path: Path) -> None:  # noqa: ARG001 - skips
    build = tmp_path / "build"
    try:
        shown = make(build, "demo", "STACK=dev")
        assert shown.returncode == 0, shown.stdout + shown.stderr
        assert "The plan of stack dev" in shown.stdout
        assert "✘" not in shown.stdout
        assert (build / "dev" / "demo.html").exists()
    finally:
        assert make(build, "demo-down").returncode == 0
    assert processes_of(build) == []
