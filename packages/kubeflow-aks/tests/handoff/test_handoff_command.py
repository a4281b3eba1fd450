"""`python -m kubeflow_aks.handoff`: what it writes and prints, and what it keeps secret."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.handoff import folder as command
from kubeflow_aks.handoff.files import files
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT
from tests.handoff.made_up_outputs import TOKEN, outputs, values, with_basis


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["handoff", *arguments])


@pytest.fixture
def outputs_file(tmp_path: Path) -> Path:
    file = tmp_path / "outputs.json"
    file.write_text(json.dumps(values()))
    return file


def test_it_writes_the_files_and_shows_what_comes_next(
    outputs_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--outputs={outputs_file}", f"--build={tmp_path / 'build'}", "--", "dev"]) == 0
    folder = tmp_path / "build" / "dev" / "handoff"
    expected = files(outputs())
    assert {path.name: path.read_text() for path in folder.iterdir() if path.name in expected} == expected
    shown = capsys.readouterr()
    assert f"Next: {folder}/bootstrap.sh" in shown.out
    assert "kubeflow.argoRetries, so that retries survive evictions" in shown.out
    assert TOKEN not in shown.out + shown.err


def test_stdout_is_one_object_and_nothing_is_written(
    outputs_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = tmp_path / "build"
    assert main([f"--outputs={outputs_file}", f"--build={build}", "--stdout", "dev"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == files(outputs())
    assert (shown.err, build.exists()) == ("", False)


@pytest.mark.parametrize(
    ("stack", "text", "message"),
    [
        ("dev", "{}", "there are no outputs; run `pulumi up --stack dev` first"),
        ("prod", None, "these are the outputs of stack dev; expected those of prod"),
        ("../../etc", None, "stack: ../../etc is not allowed; expected a name of 1 to 20 lower-case letters"),
        ("a\nb", None, "stack: 'a\\nb' is not allowed; expected a name of 1 to 20 lower-case letters"),
        ("dev", json.dumps(values(jujuToken="[secret]")), "jujuToken is masked"),
        (
            "dev",
            json.dumps(values(ingressFqdn="a\x1b[31m")),
            "ingressFqdn has an unexpected value; expected a host's name",
        ),
    ],
)
def test_what_is_wrong_is_one_line(
    stack: str, text: str | None, message: str, outputs_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        outputs_file.write_text(text)
    assert main([f"--outputs={outputs_file}", f"--build={outputs_file.parent / 'build'}", "--", stack]) == (
        2 if message.startswith("stack: ") else 3
    )
    shown = capsys.readouterr()
    assert shown.err.startswith("error: ")
    assert message in shown.err
    assert (shown.err.count("\n"), shown.out) == (1, "")
    assert not (outputs_file.parent / "build").exists()


def test_another_release_ends_with_the_controller(
    outputs_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs_file.write_text(json.dumps(with_basis(kubeflow={"release": "1.10", "argoRetries": True})))
    assert main([f"--outputs={outputs_file}", f"--build={tmp_path / 'build'}", "dev"]) == 0
    shown = capsys.readouterr().out
    assert "It ends with Juju's controller: deploy/ has no root for Charmed Kubeflow 1.10" in shown
    assert "take it out until Charmed Kubeflow is there" in shown


def test_ctrl_c_is_no_traceback(
    outputs_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "write", interrupted)
    assert main([f"--outputs={outputs_file}", "dev"]) == 130
    assert capsys.readouterr().err == "error: interrupted; what was there before is as it was\n"


def test_a_reader_that_has_gone_is_no_failure(outputs_file: Path) -> None:
    handoff = f"{sys.executable} -B -m kubeflow_aks handoff --stdout --outputs {outputs_file} dev"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{handoff} | head -c 1"],
        cwd=PROJECT_ROOT,
        env={"PYTHONPATH": f"{IMPORT_PATH}:packages/ckf-spot/src", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("{", "")
