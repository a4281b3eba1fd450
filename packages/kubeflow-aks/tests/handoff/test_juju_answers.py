"""How far a model is, in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.handoff.scripts.juju_answers import applications, local_records, models, progress, setting
from kubeflow_aks.project import PROJECT_ROOT
from tests.handoff.fake_programs import OWN
from tests.handoff.recorded_juju import RECORDING


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
    ("text", "code", "message"),
    [
        (json.dumps({"applications": {"a": application("active")}}), 0, "1 of 1 applications active\n"),
        ("", 1, "no answer from Juju\n"),
    ],
)
def test_it_needs_nothing_but_python(text: str, code: int, message: str, tmp_path: Path) -> None:
    script = PROJECT_ROOT / "packages/kubeflow-aks/src/kubeflow_aks/handoff/scripts/juju_answers.py"
    (tmp_path / "status.json").write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(script), "status", str(tmp_path / "status.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, message, "")


def _recorded(name: str) -> Any:
    return json.loads(json.loads(RECORDING.read_text())[name]["stdout"])


@pytest.mark.parametrize(
    ("clouds", "credentials", "controllers", "expected"),
    [
        ("clouds-none", "credentials-none", "controllers-none", ["", "", "", ""]),
        ("clouds", "credentials", "controllers-half-made", ["k8s", "oauth2", OWN, ""]),
        ("clouds", "credentials", "controllers", ["k8s", "oauth2", OWN, "192.0.2.7:17070"]),
    ],
)
def test_what_the_real_client_keeps_is_read(
    clouds: str, credentials: str, controllers: str, expected: list[str]
) -> None:
    answers = (_recorded(clouds), _recorded(credentials), _recorded(controllers))
    assert local_records("aks-demo", "aks-demo-controller", *answers) == expected


def test_an_error_is_no_list_of_models() -> None:
    with pytest.raises(ValueError, match="no list"):
        models(_recorded("models-half-made"))
    assert models({"models": [{"name": "admin/kubeflow", "short-name": "kubeflow"}]}) == ["kubeflow"]


def test_an_error_is_no_empty_model() -> None:
    """After one `juju status` and `juju config` print `{}`, as `juju models` does."""
    with pytest.raises(ValueError, match="no list"):
        applications(_recorded("models-half-made"))
    assert applications({"applications": {}}) == []
    assert applications({"applications": {"minio": application("active")}}) == ["minio"]


def test_the_value_of_an_option() -> None:
    answer = {
        "application": "a",
        "settings": {"text": {"value": "a: |\n  b: c\n"}, "unset": {"type": "string"}},
    }
    assert setting(answer, "text") == "a: |\n  b: c\n"
    assert setting(answer, "unset") == ""
    with pytest.raises(ValueError, match="no option other"):
        setting(answer, "other")
