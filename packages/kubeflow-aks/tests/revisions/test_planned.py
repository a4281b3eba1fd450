"""The plan of another commit comes from its own preview, which may do anything."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import psutil
import pytest

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.revisions.planned import planned
from kubeflow_aks.revisions.programs import ProgramError
from kubeflow_aks.revisions.repository import Revision
from kubeflow_aks.revisions.trees import Tree
from kubeflow_aks.revisions.workplace import tree_of, workplace

COMMANDS = "packages/kubeflow-aks/src/kubeflow_aks"
DATED = "name: small\nconfig: {asOf: {default: ''}}\n"
WRITES = """\
import json, os, pathlib, sys
folder = pathlib.Path("build", sys.argv[-1])
folder.mkdir(parents=True)
run = {"arguments": sys.argv[1:], "variables": dict(os.environ), "stack": pathlib.Path("Pulumi.dev.yaml").read_text()}
(folder / "plan.json").write_text(json.dumps(run))
"""


def _package(folder: Path, main: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").touch()
    (folder / "__main__.py").write_text(main)


def _tree(root: Path, preview: str, project: str = "name: small\n", stack: str = "config: {}\n") -> Tree:
    """A tree whose preview is a text of ours."""
    _package(root / COMMANDS, preview)
    (root / "Pulumi.yaml").write_text(project)
    (root / "Pulumi.dev.yaml").write_text(stack)
    (root / "requirements.txt").write_bytes((PROJECT_ROOT / "requirements.txt").read_bytes())
    return Tree(root, Revision("main", "0" * 40, date(2026, 5, 4)), "", "main")


def _planned(tree: Tree, limit: float = 60) -> dict[str, Any]:
    return json.loads(planned(tree, "dev", limit=limit, report=lambda _: None).read_text())


def _refusal(tree: Tree, limit: float = 60) -> str:
    with pytest.raises(ProgramError) as refused:
        planned(tree, "dev", limit=limit, report=lambda _: None)
    at = str(tree.root)
    assert not [it for it in psutil.process_iter(["cwd"]) if it.info["cwd"] == at]
    return str(refused.value)


def test_it_gets_the_stack_and_nothing_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARM_CLIENT_SECRET", "mine")
    plan = _planned(_tree(tmp_path / "tree", WRITES))
    assert plan["arguments"] == ["preview", "--", "dev"]
    assert "ARM_CLIENT_SECRET" not in plan["variables"]
    assert not Path(plan["variables"]["HOME"]).exists()


@pytest.mark.parametrize("package", ["preview", "kubeflow_aks/preview"])
def test_a_tree_from_before_the_one_command_is_planned_by_its_own(package: str, tmp_path: Path) -> None:
    tree = _tree(tmp_path / "tree", WRITES)
    shutil.rmtree(tree.root / "packages")
    _package(tree.root / "kubeflow_aks", "")
    _package(tree.root / package, WRITES)
    assert _planned(tree)["arguments"] == ["--", "dev"]


def test_a_tree_from_before_the_packages_is_planned_by_its_own(tmp_path: Path) -> None:
    """The commands lay at its root, beside the program that imported facts of theirs."""
    tree = _tree(tmp_path / "tree", "")
    shutil.rmtree(tree.root / "packages")
    _package(tree.root / "kubeflow_aks", f"import kubeflow_aks.catalogue\n{WRITES}")
    (tree.root / "kubeflow_aks/cli/commands").mkdir(parents=True)
    (tree.root / "kubeflow_aks" / "catalogue.py").touch()
    assert _planned(tree)["arguments"] == ["preview", "--", "dev"]


@pytest.mark.parametrize(
    ("project", "stack", "judged"),
    [
        (DATED, "config:\n  small:a: é\n", {"small:a": "é", "small:asOf": "2026-05-04"}),
        (DATED, "{}", {"small:asOf": "2026-05-04"}),
        (DATED, "config: {'small:asOf': '2026-09-01'}", None),
        ("name: small\n", "config: {}\n", None),
    ],
)  # fmt: skip
def test_it_is_judged_on_the_day_of_its_commit_where_it_can_be(
    project: str, stack: str, judged: dict[str, str] | None, tmp_path: Path
) -> None:
    written = _planned(_tree(tmp_path / "tree", WRITES, project, stack))["stack"]
    assert written == stack if judged is None else json.loads(written)["config"] == judged


@pytest.mark.parametrize(
    ("preview", "expected"),
    [
        ("import sys\nsys.exit('a: 1\\nb: 2 is not allowed')", "a: 1\nb: 2 is not allowed"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "the program exited before it was complete"),
        ("import sys\nfor i in range(10**5): print(i, file=sys.stderr)", "\n".join(map(str, range(99_980, 100_000)))),
        ("while True:\n    print('x' * 9999)", "the program took longer than 1 s and was stopped"),
        (
            "import subprocess, time\nsubprocess.Popen(['sleep', '99'], start_new_session=True)\ntime.sleep(99)",
            "the program took longer than 1 s and was stopped",
        ),
    ],
)  # fmt: skip
def test_why_there_is_no_plan_is_reported(preview: str, expected: str, tmp_path: Path) -> None:
    limit = 1 if "took longer" in expected else 60
    assert _refusal(_tree(tmp_path / "tree", preview), limit) == expected


def test_a_plan_that_breaks_a_rule_is_a_plan(tmp_path: Path) -> None:
    assert _planned(_tree(tmp_path / "tree", f"{WRITES}sys.exit(1)\n"))["arguments"]


def test_a_plan_that_lies_in_the_commit_is_none(tmp_path: Path) -> None:
    tree = _tree(tmp_path / "tree", "import sys\nsys.exit('a: 1 is not allowed')")
    (tree.root / "build" / "dev").mkdir(parents=True)
    (tree.root / "build" / "dev" / "plan.json").write_text("{}")
    assert _refusal(tree) == "a: 1 is not allowed"


def test_links_in_the_commit_lead_to_nothing_of_the_user(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    (theirs / "dev").mkdir(parents=True)
    stack, plan = theirs / "Pulumi.dev.yaml", theirs / "dev" / "plan.json"
    stack.write_text("{}")
    plan.write_text("mine")
    tree = _tree(tmp_path / "tree", WRITES, DATED)
    (tree.root / "build").symlink_to(theirs)
    (tree.root / "Pulumi.dev.yaml").unlink()
    (tree.root / "Pulumi.dev.yaml").symlink_to(stack)
    assert "small:asOf" in _planned(tree)["stack"]
    assert (stack.read_text(), plan.read_text()) == ("{}", "mine")


def test_a_commit_of_before_there_were_plans_is_reported(tmp_path: Path) -> None:
    tree = _tree(tmp_path / "tree", "")
    shutil.rmtree(tree.root / "packages")
    assert _refusal(tree) == "preview/: missing; the commit is older than plan documents"


def test_a_stack_that_is_not_there_is_reported(tmp_path: Path) -> None:
    tree = _tree(tmp_path / "tree", WRITES)
    (tree.root / "Pulumi.dev.yaml").unlink()
    assert _refusal(tree) == "stack 'dev': no file Pulumi.dev.yaml; stacks here: none"


def test_this_program_is_planned_at_another_commit(tmp_path: Path) -> None:
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    with (
        workplace(tmp_path, PROJECT_ROOT) as place,
        tree_of(head, place, PROJECT_ROOT) as root,
    ):
        assert root != PROJECT_ROOT
        revision = Revision("HEAD", head, date(2026, 11, 22))
        plan = _planned(Tree(root, revision, "", "HEAD"), limit=300)
    assert plan["stack"] == "dev"
    assert any(it["type"].endswith(":ManagedCluster") for it in plan["resources"])
