"""`python -m policy` and the policy part of `python -m preview`: what they print and how they end."""

from __future__ import annotations

import datetime
import json
import re
import shutil
from pathlib import Path

import pytest

from policy import RULES
from policy.__main__ import main
from policy.exceptions import Accepted
from preview.__main__ import main as preview
from recorder.run import PROJECT_ROOT

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


def test_a_mandatory_violation_is_told_and_ends_with_1(
    leaking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mine", "--root", str(leaking)]) == 1
    out = capsys.readouterr().out
    assert "violated   no-secret-in-clear " in out
    assert "mandatory: mine: token is in clear, and its name says that it is a secret" in out


def test_the_preview_shows_it_and_ends_with_1(leaking: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert preview(["mine", "--root", str(leaking)]) == 1
    out = capsys.readouterr().out
    assert "\nPolicy:\nmandatory  no-secret-in-clear  mine: token is in clear, and" in out
    assert re.search(r"^advisory   \d+ rules +aks-api-server-closed, ", out, re.MULTILINE)
    assert "make policy STACK=mine says" in " ".join(out.split())
    assert (leaking / "build" / "mine" / "plan.json").exists()


def test_the_preview_of_our_own_stack_has_no_such_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert preview(["dev"]) == 0
    assert "Policy:" not in capsys.readouterr().out


def test_the_same_as_data(leaking: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mine", "--root", str(leaking), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [it["rule"] for it in found["rules"]] == [rule.name for rule in RULES]
    assert sum(found["counts"].values()) == len(RULES)
    (leak,) = (it for it in found["rules"] if it["rule"] == "no-secret-in-clear")
    assert leak["status"] == "violated"
    assert leak["violated"] == [
        {"urn": "stack::mine", "message": "token is in clear, and its name says that it is a secret"}
    ]


def test_a_plan_of_somebody_else_is_judged_alone(leaking: Path, capsys: pytest.CaptureFixture[str]) -> None:
    preview(["mine", "--root", str(leaking)])
    capsys.readouterr()
    plan = leaking / "build" / "mine" / "plan.json"
    assert main(["--plan", str(plan), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["stack"] == "mine"


def test_an_accepted_violation_fails_nothing_and_says_why(
    leaking: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _accept(monkeypatch, "no-secret-in-clear")
    assert main(["mine", "--root", str(leaking), "--format", "json"]) == 0
    (leak,) = (
        it for it in json.loads(capsys.readouterr().out)["rules"] if it["rule"] == "no-secret-in-clear"
    )
    assert leak["status"] == "exception"
    assert (leak["accepted"][0]["reason"], leak["accepted"][0]["date"]) == ("a test", "2026-11-22")


def test_an_exception_that_a_stack_does_not_need_ends_with_1(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _accept(monkeypatch, "spot-is-marked")
    assert main(["mine", "--root", str(project)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "stale: spot-is-marked passes on mine: take mine out of the exception of 2026-11-22"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none"], "stack 'none': no file Pulumi.none.yaml; stacks here: mine"),
        (["--plan", "none.json"], "none.json: No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_a_line(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main([*arguments, "--root", str(project)]) == 1
    assert capsys.readouterr().err == f"{told}\n"


def test_a_wrong_command_line_ends_with_2() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--format", "xml"])
    assert ended.value.code == 2


def _accept(monkeypatch: pytest.MonkeyPatch, rule: str) -> None:
    """Has one row in place of those of `exceptions.yaml`."""

    def load(**_: object) -> tuple[Accepted, ...]:
        return (Accepted(rule, ("mine",), "a test", datetime.date(2026, 11, 22), "our choice"),)

    monkeypatch.setattr("policy.__main__.load", load)
