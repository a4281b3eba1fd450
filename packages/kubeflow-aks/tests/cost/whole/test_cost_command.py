"""`python -m kubeflow_aks.cost`: what it prints, returns, and says on stderr."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.cost.report.document import SCHEMA
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.document import plan_document, to_json
from kubeflow_aks.recorder.run import record


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["cost", *arguments])


DAY = {"asOf": "2026-11-21"}


@pytest.fixture(scope="module")
def plan() -> dict[str, Any]:
    """The plan of `dev`, on a day when its Kubernetes version is supported."""
    return json.loads(to_json(plan_document(record("dev", preview=True, extra=DAY))))


def written(plan: dict[str, Any], folder: Path, **basis: Any) -> str:
    """A file with the plan, and with other settings in its `costBasis`."""
    outputs = {**plan["outputs"], "costBasis": {**plan["outputs"]["costBasis"], **basis}}
    file = folder / "plan.json"
    file.write_text(json.dumps({**plan, "outputs": outputs}), encoding="utf-8")
    return str(file)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of one width, wherever the tests run: in a narrow one cells are folded."""
    monkeypatch.setenv("COLUMNS", "110")


def run(*arguments: str) -> int:
    return main(["--offline", *arguments])


def test_text_tells_the_bill_and_what_it_prices_and_rates(
    plan: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    assert run("--plan", written(plan, tmp_path)) == 0
    out = capsys.readouterr().out
    assert out.startswith("Expected cost: $")
    for result in (
        "= batch work",
        "= whole stack",
        "Prices and rates used",
        "What is not counted",
        "the work is assumed",
        "* nobody quotes this price",
        "as of 2026-",
    ):
        assert result in out


def test_json_keeps_its_contract(
    plan: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--plan", written(plan, tmp_path), "--format", "json") == 0
    schema: Any = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema)
    assert sum(line["monthly"]["expected"] for line in document["lines"]) == pytest.approx(
        document["monthly"]["expected"]
    )


def test_markdown_is_a_comment(
    plan: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--plan", written(plan, tmp_path), "--format", "markdown") == 0
    assert capsys.readouterr().out.startswith("<!-- cost -->\n### Expected cost: ")


def test_over_the_budget_is_printed_and_returned(
    plan: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--plan", written(plan, tmp_path, budget={"monthly": 900})) == ExitCode.FINDING == 1
    assert "Over the budget of $900 a month by $" in capsys.readouterr().out
    assert run("--plan", written(plan, tmp_path, budget={"monthly": 9000})) == 0
    assert "Within the budget of $9,000 a month: $" in capsys.readouterr().out


def test_work_that_is_never_done_is_no_amount(
    plan: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = {"endless": {"pool": "cpuspot", "hoursPerMonth": 100, "stepHours": 500}}
    file = written(plan, tmp_path, workload=work, budget={"monthly": 1e6})
    assert run("--plan", file) == ExitCode.FINDING
    assert "never done" in capsys.readouterr().out
    assert run("--plan", file, "--format", "json") == ExitCode.FINDING
    document = json.loads(capsys.readouterr().out)
    assert (document["viable"], document["monthly"]["expected"], document["budget"]["over"]) == (
        False,
        None,
        True,
    )


def test_each_mistake_is_one_line_on_stderr(
    plan: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = {name: {"pool": name, "hoursPerMonth": 1, "stepHours": 1} for name in ("nowhere", "elsewhere")}
    assert run("--plan", written(plan, tmp_path, workload=work)) == 3
    result = capsys.readouterr()
    assert result.out == ""
    pools = "expected the name of a CPU or GPU pool: cpuspot, cpuod, gpuspot, gpuod"
    assert result.err.splitlines() == [
        f"error: workload.nowhere.pool: 'nowhere' is not allowed; {pools}",
        f"workload.elsewhere.pool: 'elsewhere' is not allowed; {pools}",
    ]


@pytest.mark.parametrize(
    ("text", "expected"), [("{", "not JSON"), ("[]", "not a plan document"), ('{"version": 1}', "missing")]
)
def test_a_file_that_is_no_plan_is_one_line(
    text: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text, encoding="utf-8")
    assert run("--plan", str(file)) == 3
    [line] = capsys.readouterr().err.splitlines()
    assert expected in line


def test_a_plan_that_is_not_there_and_an_unknown_stack_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--plan", str(tmp_path / "none.json")) == 2
    assert "none.json' does not exist" in capsys.readouterr().err
    assert run("nowhere") == 2
    assert "Pulumi.nowhere.yaml" in capsys.readouterr().err


@pytest.mark.parametrize("stack", ["dev", "demo", "prod"])
def test_each_stack_of_the_repository_has_a_bill(
    stack: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in ("__main__.py", "Pulumi.yaml"):
        shutil.copy(PROJECT_ROOT / file, tmp_path)
    text = (PROJECT_ROOT / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    (tmp_path / f"Pulumi.{stack}.yaml").write_text(
        f'{text}  kubeflow-aks:asOf: "2026-11-21"\n', encoding="utf-8"
    )
    assert run(stack, "--root", str(tmp_path), "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["viable"]
    assert 0 < document["batch"]["saving"] < 0.9
    assert 0 < document["saving"] < document["batch"]["saving"]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_one_leaves_nothing(stop: signal.Signals, tmp_path: Path) -> None:
    """It is stopped while matplotlib has its temporary folder."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    started = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "kubeflow_aks",
            "cost",
            "--offline",
            "--format=svg",
            f"--build={tmp_path}",
            "dev",
        ],
        cwd=PROJECT_ROOT,
        env={name: value for name, value in os.environ.items() if name != "MPLCONFIGDIR"}
        | {"TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Before that Python writes a file there, to see whether it can.
    while started.poll() is None and not any(path.is_dir() for path in temporary.iterdir()):
        time.sleep(0.01)
    started.send_signal(stop)
    sentence = started.communicate(timeout=60)[1]
    assert (started.returncode, sentence) == (130, "error: interrupted; nothing is left behind\n")
    assert not list(temporary.iterdir())
