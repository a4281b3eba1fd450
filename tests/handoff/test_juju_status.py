"""How far a model is, in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from handoff.scripts.juju_status import progress
from recorder.run import PROJECT_ROOT


def application(state: str, message: str = "") -> dict[str, Any]:
    return {"application-status": {"current": state, "message": message}}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (
            {"applications": {"minio": application("active"), "mlmd": application("active")}},
            (True, "2 of 2 applications active"),
        ),
        (
            {
                "applications": {
                    "minio": application("active"),
                    "kfp": application("blocked", "Add\n relation"),
                }
            },
            (False, "1 of 2 applications active; kfp (blocked: Add relation)"),
        ),
        (
            {"applications": {letter: application("waiting") for letter in "abcdef"}},
            (
                False,
                "0 of 6 applications active; a (waiting), b (waiting), c (waiting), d (waiting), and 2 more",
            ),
        ),
        ({"applications": {}}, (False, "0 of 0 applications active")),
        ({"applications": {"x": None}}, (False, "0 of 1 applications active; x (unknown)")),
        ([], (False, "0 of 0 applications active")),
    ],
)
def test_progress(status: Any, expected: tuple[bool, str]) -> None:
    assert progress(status) == expected


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (json.dumps({"applications": {"a": application("active")}}), 0, "1 of 1 applications active\n"),
        ("", 1, "Juju does not say how far it is\n"),
    ],
)
def test_it_needs_nothing_but_python(text: str, code: int, said: str) -> None:
    script = PROJECT_ROOT / "handoff/scripts/juju_status.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(script)],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, said, "")
