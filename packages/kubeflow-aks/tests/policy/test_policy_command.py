"""`python -m kubeflow_aks.policy` and the preview: the result of each rule of policy for a stack."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import FILE
from kubeflow_aks.project import PROJECT_ROOT

_STACK = """\
config:
  kubeflow-aks:asOf: "2026-11-21"
  kubeflow-aks:protect: false
  kubeflow-aks:tags: {owner: me, environment: demo}
"""
_LEAK = """\
import runpy
import pulumi

runpy.run_path({program!r}, run_name="__main__")
pulumi.export("token", "plain")
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["policy", *arguments])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder of its own with the real program."""
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(PROJECT_ROOT / name, tmp_path)
    (tmp_path / "Pulumi.mine.yaml").write_text(_STACK)
    return tmp_path


@pytest.fixture
def leaking(project: Path) -> Path:
    """The same, with a secret in clear among the outputs."""
    (project / "__main__.py").write_text(_LEAK.format(program=str(PROJECT_ROOT / "__main__.py")))
    return project


def test_a_stack_that_keeps_what_is_mandatory(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mine", "--root", str(project)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("satisfied  spot-is-marked ") for line in lines)
    assert lines[-1].startswith("mine: ")
    assert lines[-1].endswith(f" of {len(RULES)} rules")


def test_a_mandatory_violation_is_reported_and_ends_with_1(
    leaking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mine", "--root", str(leaking)]) == 1
    out = capsys.readouterr().out
    assert "violated   no-secret-in-clear " in out
    assert "mandatory: mine: token is in clear text, and its name is that of a secret" in out


def test_the_preview_shows_it_and_ends_with_1(leaking: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["preview", "mine", "--root", str(leaking)]) == 1
    out = capsys.readouterr().out
    assert "\nPolicy:\nmandatory  no-secret-in-clear  mine: token is in clear text, and" in out
    assert re.search(r"^advisory   \d+ rules +aks-api-server-closed, ", out, re.MULTILINE)
    assert "./kubeflow-akspolicymine" in "".join(out.split())
    assert (leaking / "build" / "mine" / "plan.json").exists()


def test_the_preview_of_our_own_stack_has_no_such_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["preview", "dev"]) == 0
    assert "Policy:" not in capsys.readouterr().out


def test_the_same_as_data(leaking: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mine", "--root", str(leaking), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [it["rule"] for it in document["rules"]] == [rule.name for rule in RULES]
    assert sum(document["counts"].values()) == len(RULES)
    (leak,) = (it for it in document["rules"] if it["rule"] == "no-secret-in-clear")
    assert leak["status"] == "violated"
    assert leak["violated"] == [
        {"urn": "stack::mine", "message": "token is in clear text, and its name is that of a secret"}
    ]


def test_a_plan_of_somebody_else_is_judged_alone(leaking: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command_line(["preview", "mine", "--root", str(leaking)])
    capsys.readouterr()
    plan = leaking / "build" / "mine" / "plan.json"
    assert main(["--plan", str(plan), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["stack"] == "mine"


def test_an_accepted_violation_fails_nothing_and_says_why(
    leaking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _accept(leaking, "no-secret-in-clear")
    assert main(["mine", "--root", str(leaking), "--format", "json"]) == 0
    (leak,) = (
        it for it in json.loads(capsys.readouterr().out)["rules"] if it["rule"] == "no-secret-in-clear"
    )
    assert leak["status"] == "exception"
    assert (leak["accepted"][0]["reason"], leak["accepted"][0]["date"]) == ("a test", "2026-11-22")


def test_an_exception_past_its_last_day_ends_with_1(
    leaking: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _accept(leaking, "no-secret-in-clear")
    monkeypatch.setattr("kubeflow_aks.policy.command.today", lambda: date(2099, 11, 23))
    assert main(["mine", "--root", str(leaking)]) == 1
    ended = (
        "no-secret-in-clear on mine: the exception of 2026-11-22 ended on 2099-11-22; comply, or decide again"
    )
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith(f"expired: {ended}")
    assert "exception  no-secret-in-clear" in out
    assert main(["mine", "--root", str(leaking), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["expired"][0].startswith(ended)


def test_an_exception_that_a_stack_does_not_need_ends_with_1(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _accept(project, "spot-is-marked")
    assert main(["mine", "--root", str(project)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "stale: spot-is-marked passes on mine: take mine out of the exception of 2026-11-22"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "stack 'none': no file Pulumi.none.yaml; stacks here: mine"),
        (["--plan", "none.json"], "--plan: File 'none.json' does not exist"),
    ],
)
def test_what_cannot_be_read_is_a_line(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main([*arguments, "--root", str(project)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


@pytest.mark.parametrize("command", ["preview", "policy"])
def test_exceptions_that_cannot_be_read_end_with_3(
    command: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / FILE).write_text("[{rule: spot, stacks: [mine], reason: a test, source: our choice}]")
    assert command_line([command, "mine", "--root", str(project)]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == (
        "error: policy-exceptions.yaml: [0].rule: 'spot' is not allowed; expected the name of a rule\n"
        "policy-exceptions.yaml: [0].date: None is not allowed; expected a day such as 2026-11-22\n"
        "policy-exceptions.yaml: [0].expiresOn: None is not allowed; expected a day such as 2026-11-22\n"
    )


def test_a_wrong_command_line_ends_with_2() -> None:
    assert main(["--format", "xml"]) == 2


def test_the_exceptions_of_a_plan_are_those_of_the_project_that_the_command_runs_in(
    leaking: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command_line(["preview", "mine", "--root", str(leaking)])
    _accept(leaking, "no-secret-in-clear")
    plan = str(leaking / "build" / "mine" / "plan.json")
    monkeypatch.chdir(tmp_path.parent)
    assert [main(["--plan", plan]), main(["--plan", plan, "--root", str(leaking)])] == [1, 0]
    monkeypatch.chdir(leaking)
    assert main(["--plan", plan]) == 0
    assert "exception  no-secret-in-clear" in capsys.readouterr().out


def _accept(project: Path, rule: str) -> None:
    (project / FILE).write_text(
        f"[{{rule: {rule}, stacks: [mine], reason: a test, date: 2026-11-22, expiresOn: 2099-11-22, source: test}}]"
    )
