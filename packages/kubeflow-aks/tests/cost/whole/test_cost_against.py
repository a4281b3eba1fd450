"""`cost --against REF` as a user calls it: the other commit runs in its own tree, and nothing is changed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, cast

import jsonschema
import pytest
from referencing import Registry, Resource

from kubeflow_aks.cost.report.change import SCHEMA
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT
from tests.revisions.repository import ALICE, Project

COST_SCHEMA = SCHEMA.with_name("cost.schema.json")


@dataclass(frozen=True)
class Shown:
    """What the command gave."""

    code: int
    out: str
    stderr: str


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """This program in a repository of its own; `main` has one commit, and `change` equals it."""
    root = tmp_path_factory.mktemp("this-tree") / "project"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (PROJECT_ROOT / name).is_file() and not name.startswith(
            ("tests/", "docs/", "packages/ckf-spot/", "packages/kubeflow-aks/tests/")
        ):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes((PROJECT_ROOT / name).read_bytes())
    made = Project(root, root)
    made.git("init", "--quiet", "--initial-branch=main")
    made.commit("2026-11-01")
    made.git("checkout", "--quiet", "-b", "change")
    subprocess.run(_command(made, "dev"), env=_environment(), check=True, capture_output=True)  # compiles it
    return made


@pytest.fixture
def edited(project: Project) -> Any:
    """A change of `dev` that is not committed: its CPU pool is twice as large."""
    file = project.root / "Pulumi.dev.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        f"{text}  kubeflow-aks:pools:\n    general: {{vmSize: Standard_D8s_v5, minCount: 2, maxCount: 3}}\n"
        "    cpuspot:\n      {vmSize: Standard_D16ds_v5, priority: Spot, maxCount: 10, fallback: {maxCount: 4}}\n",
        encoding="utf-8",
    )
    yield project
    file.write_text(text, encoding="utf-8")


def _command(project: Project, *arguments: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "kubeflow_aks",
        "cost",
        "--offline",
        "--root",
        str(project.root),
        *arguments,
    ]


def _cost(project: Project, *arguments: str) -> Shown:
    before = project.state()
    done = subprocess.run(
        _command(project, *arguments),
        capture_output=True,
        text=True,
        check=False,
        env=_environment(),
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    assert project.state() == before
    return Shown(done.returncode, done.stdout, done.stderr)


def _environment() -> dict[str, str]:
    return {**os.environ, **ALICE, "PYTHONPATH": IMPORT_PATH}


def test_an_edit_is_shown_line_by_line_and_both_bills_fit_their_schema(edited: Project) -> None:
    shown = _cost(edited, "dev", "--against", "main", "--format", "json")
    assert shown.code == 0, shown.stderr
    document = json.loads(shown.out)
    schema = Resource.from_contents(json.loads(COST_SCHEMA.read_text(encoding="utf-8")))
    validator: Any = jsonschema.Draft202012Validator
    registry: Any = cast(Any, Registry)().with_resource("cost.schema.json", schema)
    validator(json.loads(SCHEMA.read_text(encoding="utf-8")), registry=registry).validate(document)
    lines = {line["name"]: line for line in document["lines"]}
    assert lines["cpuspot"]["after"]["expected"] > 1.9 * lines["cpuspot"]["before"]["expected"]
    assert document["before"]["monthly"]["expected"] < document["after"]["monthly"]["expected"]
    assert document["against"]["ref"] == "main"


def test_a_page_begins_with_the_difference(edited: Project) -> None:
    page = _cost(edited, "dev", "--against", "main", "--format", "markdown").out
    assert "### Stack `dev` against `main` (" in page
    assert "a month (was `$" in page
    assert "| cpuspot | `$" in page
    assert "<summary>The bill before</summary>" in page


def test_the_same_commit_changes_nothing(project: Project) -> None:
    shown = _cost(project, "dev", "--against", "HEAD")
    assert shown.code == 0, shown.stderr
    assert "a month, unchanged." in shown.out


def test_a_stack_that_is_new_has_no_bill_of_before(project: Project) -> None:
    new = project.root / "Pulumi.new.yaml"
    new.write_bytes((project.root / "Pulumi.dev.yaml").read_bytes())
    try:
        document = json.loads(_cost(project, "new", "--against", "main", "--format", "json").out)
    finally:
        new.unlink()
    assert (document["before"], document["whyNot"]) == (None, [])


def test_a_commit_whose_program_does_not_run_is_reported_beside_the_bill(project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "broken", "main")
    file = project.root / "Pulumi.dev.yaml"
    try:
        file.write_text(f"{file.read_text()}  kubeflow-aks:budget: {{monthly: -1}}\n")
        project.commit()
        project.git("checkout", "--quiet", "change")
        shown = _cost(project, "dev", "--against", "broken")
    finally:
        project.git("checkout", "--quiet", "--force", "change")
        project.git("branch", "--quiet", "-D", "broken")
    assert shown.code == 3, shown.stderr
    assert "The earlier cost is unknown." in shown.out
    assert "budget.monthly: -1" in shown.out


@pytest.mark.parametrize(
    ("arguments", "code", "stderr"),
    [
        (["--against", "no-such"], 2, "--against: no-such is not allowed; expected a branch, tag or commit"),
        (["--against", "--output=x"], 2, "--against: --output=x is not allowed; expected a branch"),
        (["--against=--output=x"], 2, "--against: --output=x is not allowed; expected a branch"),
        (["--against="], 2, "--against:  is not allowed; expected a branch"),
        (["--against", "main", "--format", "svg"], 2, "--against is not allowed with"),
    ],
)  # fmt: skip
def test_what_is_no_commit_is_one_line(
    project: Project, arguments: list[str], code: int, stderr: str
) -> None:
    shown = _cost(project, "dev", *arguments)
    assert shown.code == code
    assert stderr in shown.stderr
    assert not shown.out


def test_an_interrupted_one_leaves_nothing(project: Project) -> None:
    before = project.state()
    started = subprocess.Popen(
        _command(project, "dev", "--against", "main"),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=_environment(),
    )  # fmt: skip
    assert started.stderr
    assert "planning" in started.stderr.readline()
    time.sleep(0.3)
    started.send_signal(signal.SIGTERM)
    stderr = started.communicate(timeout=60)[1]
    assert (started.returncode, stderr) == (130, "error: interrupted; nothing is left behind\n")
    assert project.state() == before
    assert not [it for it in (project.root / "build" / "cost-against").iterdir() if it.is_dir()]
