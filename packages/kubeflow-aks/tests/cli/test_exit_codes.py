"""The exit codes that the page of commands promises: each is played by the command line as a user calls it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.cli.reference import commands
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.preview.readme import DAY
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.text import generated
from kubeflow_aks.verify.snapshot import Result
from tests.adopt.published import SMALL
from tests.ci.test_drifts import DRIFTED
from tests.handoff.made_up_outputs import values
from tests.preview.test_quota_command import ENOUGH
from tests.verify.api_server import outputs_of, running
from tests.verify.clusters import good

ALL: Final = {words: command for words, command, _ in commands()}
GOOD: Final = f"""\
config:
  kubeflow-aks:asOf: "{DAY}"
  kubeflow-aks:protect: false
  kubeflow-aks:tags: {{owner: me, environment: demo}}
"""
LOST: Final = json.dumps({"steps": [{"op": "delete", "urn": "urn:pulumi:dev::aks::a:b:C::pool"}]})
CASES: Final = [
    ("sizes --offline", 0),
    ("sizes --vcpus 3 --offline", 1),
    ("preview dev", 0),
    ("preview bad", 1),
    ("quota dev --usage enough.json", 0),
    ("quota dev --usage little.json", 1),
    ("quota dev", 3),
    ("policy dev", 0),
    ("policy bad", 1),
    ("policy --plan empty.json", 3),
    ("cost dev --offline", 0),
    ("cost poor --offline", 1),
    ("cost --plan empty.json --offline", 3),
    ("cost-trace spot trace.json", 0),
    ("cost-trace spot empty.json", 3),
    ("diff HEAD", 3),
    ("adopt theirs --cluster cluster.json --owner me", 0),
    ("adopt theirs --cluster servant.json --owner me", 1),
    ("adopt theirs --cluster empty.json --owner me", 3),
    ("verify dev --outputs empty.json", 3),
    ("handoff dev --outputs outputs.json", 0),
    ("handoff dev --outputs outputs.json --build taken", 1),
    ("handoff dev --outputs empty.json", 3),
    ("drill dev --outputs empty.json", 3),
    ("start dev", 3),
    ("stop dev", 3),
    ("local shell", 1),
    ("local market evict spot", 1),
    ("local down", 0),
    ("local down --build used", 1),
    ("ci comment", 1),
    ("ci demo trial --hours 1", 0),
    ("ci demo dev --hours 1", 1),
    ("ci drift dev --preview drifted.json --messages nothing --dry-run", 0),
    ("ci drift dev --preview nothing --messages nothing --dry-run", 3),
    ("ci losses lost.json", 0),
    ("ci losses lost.json --approved empty.json", 1),
    ("ci losses empty.json", 3),
    ("ci office-hours dev", 3),
    ("ci power state dev", 3),
    ("ci proof demo-proof --commit 0a1b2c3 --results .", 0),
    ("ci reaper", 3),
    ("ci stacks", 0),
    ("ci stacks --only nowhere", 1),
]
PLAYED_ELSEWHERE: Final = {
    ("preview", 3): "packages/kubeflow-aks/tests/policy/test_policy_command.py",
    ("diff", 0): "packages/kubeflow-aks/tests/local/pull_request/test_changes_of_a_stack.py",
    ("diff", 1): "packages/kubeflow-aks/tests/local/pull_request/test_command.py",
    ("verify", 0): "packages/kubeflow-aks/tests/verify/test_verify_command.py",
    ("verify", 1): "below",
    ("verify", 4): "packages/kubeflow-aks/tests/verify/test_verify_command.py",
    ("drill", 0): "packages/kubeflow-aks/tests/local/drill/test_drill.py",
    ("drill", 1): "packages/kubeflow-aks/tests/local/drill/test_drill.py",
    ("start", 0): "packages/kubeflow-aks/tests/ci/test_power.py",
    ("start", 1): "packages/kubeflow-aks/tests/ci/test_power.py",
    ("stop", 0): "packages/kubeflow-aks/tests/ci/test_power.py",
    ("stop", 1): "packages/kubeflow-aks/tests/ci/test_power.py",
    ("demo", 0): "packages/kubeflow-aks/tests/demo/test_demo_command.py",
    ("demo", 1): "packages/kubeflow-aks/tests/demo/test_demo_command.py",
    ("local up", 0): "packages/kubeflow-aks/tests/local/test_demo.py",
    ("local up", 1): "packages/kubeflow-aks/tests/demo/test_demo_command.py",
    ("local shell", 0): "packages/kubeflow-aks/tests/local/test_demo.py",
    ("local market", 0): "packages/kubeflow-aks/tests/demo/test_demo_command.py",
    ("local build", 0): "packages/kubeflow-aks/tests/tools/test_build.py",
    ("local build", 1): "packages/kubeflow-aks/tests/tools/test_build.py",
    ("ci proof", 3): "packages/kubeflow-aks/tests/ci/test_proof.py",
    **{("ci currency", code): "packages/kubeflow-aks/tests/ci/test_currency.py" for code in (0, 1, 3)},
    ("ci comment", 0): "packages/kubeflow-aks/tests/ci/test_comment.py",
    ("ci drift", 1): "packages/kubeflow-aks/tests/ci/test_drifts.py",
    ("ci office-hours", 0): "packages/kubeflow-aks/tests/ci/test_office_hours.py",
    ("ci office-hours", 1): "packages/kubeflow-aks/tests/ci/test_office_hours.py",
    ("ci power", 0): "packages/kubeflow-aks/tests/ci/test_power.py",
    ("ci power", 1): "packages/kubeflow-aks/tests/ci/test_power.py",
    ("ci reaper", 0): "packages/kubeflow-aks/tests/ci/test_reaper.py",
    ("ci reaper", 1): "packages/kubeflow-aks/tests/ci/test_reaper.py",
}
"""Codes that need a cluster, GitHub or an engine, with the test that has one."""


@pytest.fixture(autouse=True)
def exceptions_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped exceptions of policy are judged on a day of their own time."""
    monkeypatch.setattr("kubeflow_aks.policy.command.today", lambda: date.fromisoformat(DAY))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the real program, in whose folder the command is called, without any program on PATH."""
    for name in ("__main__.py", "Pulumi.yaml", "Pulumi.demo.yaml"):
        shutil.copy(PROJECT_ROOT / name, tmp_path)
    texts = {
        "Pulumi.dev.yaml": GOOD,
        "Pulumi.demo-dev.yaml": GOOD,
        "Pulumi.bad.yaml": f"{GOOD}  kubeflow-aks:colour: red\n",
        "Pulumi.poor.yaml": f"{GOOD}  kubeflow-aks:budget: {{monthly: 1}}\n",
        "enough.json": ENOUGH.replace('"limit": "', '"limit": "9'),
        "little.json": ENOUGH.replace('"limit": "', '"limit": "-'),
        "empty.json": "{}",
        "nothing": "",
        "cluster.json": json.dumps(SMALL),
        "servant.json": json.dumps({**SMALL, "identity": None}),
        "drifted.json": DRIFTED,
        "lost.json": LOST,
        "outputs.json": json.dumps(values()),
        "trace.json": json.dumps({"metadata": {"gap_seconds": 300}, "data": [1] * 400 + [0] * 4 + [1] * 400}),
        "taken/dev/handoff/mine": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    for name in ("GITHUB_TOKEN", "GITHUB_REPOSITORY", "RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def _words(line: str) -> str:
    return next(words for words in sorted(ALL, key=len, reverse=True) if f"{line} ".startswith(f"{words} "))


@pytest.mark.parametrize(("line", "code"), CASES, ids=str)
def test_a_command_returns_what_the_page_says(
    line: str, code: int, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    used = RunDirectory.at(open_folder(project / "used", "dev") / "local")
    with used.lock():
        assert main(line.split()) == code, capsys.readouterr().err
    errors = [text for text in capsys.readouterr().err.splitlines() if text.startswith("error: ")]
    assert len(errors) <= 1
    assert code in ALL[_words(line)].exit_codes


def test_every_code_of_the_page_is_played() -> None:
    promised = {
        (words, code) for words, command in ALL.items() for code in (0, 1, 3, 4) if code in command.exit_codes
    }
    played = {(_words(line), code) for line, code in CASES}
    assert promised == played | PLAYED_ELSEWHERE.keys()
    assert not played & PLAYED_ELSEWHERE.keys()
    files = {file for file in PLAYED_ELSEWHERE.values() if file.endswith(".py")}
    assert [file for file in files if not (PROJECT_ROOT / file).is_file()] == []


def test_a_broken_promise_of_a_cluster_is_1(project: Path) -> None:
    with running(replace(good(), contract=Result({}))) as server:
        assert main(["verify", "dev", "--outputs", outputs_of(server.url, project)]) == 1


@pytest.mark.parametrize("words", ALL)
def test_an_unknown_option_is_2(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words.split(), "--nothing-such"]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert shown.err.startswith("error: No such option '--nothing-such'")


@pytest.mark.parametrize("words", ALL)
def test_an_argument_too_many_is_2(words: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert project
    assert main([*words.split(), *["x"] * 5]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_outside_of_a_project_is_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["preview"]) == 2
    expected = f"error: {tmp_path}: no Pulumi.yaml here or in a folder above; pass --root DIR\n"
    assert capsys.readouterr().err == expected


def test_the_project_is_the_nearest_one_above(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project / "deep" / "down"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert main(["preview", "dev"]) == 0
    assert (project / "build" / "dev" / "plan.json").is_file()


@pytest.mark.parametrize("words", ["--help", *(f"{words} --help" for words in ALL)])
def test_help_has_an_example_and_imports_no_sdk(words: str) -> None:
    code = (
        "import sys; from kubeflow_aks.cli.process import main; code = main(sys.argv[1:]);"
        "slow = {'pulumi', 'pulumi_azure_native', 'kubernetes', 'matplotlib', 'yaml'} & set(sys.modules);"
        "sys.exit(code or str(slow or '') or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert words == "--help" or "Example:\n  kubeflow-aks " in done.stdout


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [("preview", "d", {"demo", "dev"}), ("local up", "pr", {"prod"}), ("", "dri", {"drill"})],
)
def test_a_shell_completes_commands_and_stacks(words: str, incomplete: str, expected: set[str]) -> None:
    line = " ".join(("kubeflow-aks", *words.split(), incomplete))
    done = subprocess.run(
        [sys.executable, "-m", "kubeflow_aks"],
        cwd=PROJECT_ROOT,
        env={
            **os.environ,
            "_KUBEFLOW_AKS_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words.split()) + 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert {text.partition(",")[2] for text in done.stdout.split()} == expected


def test_the_page_is_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert generated.main(["--check", "kubeflow_aks.cli.reference"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("line", ["drill dev", "stop dev", "handoff dev --outputs outputs.json"])
def test_no_variable_agrees_forces_or_shows_secrets(
    line: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither of those that make once took, nor of those that the library of the command line can take."""
    calls: list[dict[str, Any]] = []

    def callback(of: str) -> Callable[..., int]:
        def take(**parameters: Any) -> int:
            calls.append(parameters)
            return 0

        monkeypatch.setattr(ALL[of], "callback", take)
        return take

    command = _words(line)
    callback(command)
    for name in ("YES", "FORCE", "STDOUT", "ANY_NODE"):
        for prefix in ("", "KUBEFLOW_AKS_", f"KUBEFLOW_AKS_{command.upper()}_"):
            monkeypatch.setenv(f"{prefix}{name}", "1")
    assert main(line.split()) == 0, capsys.readouterr().err
    flags = {
        name: value for name, value in calls[0].items() if name in {"yes", "force", "stdout", "any_node"}
    }
    assert flags
    assert not any(flags.values())
    assert project
