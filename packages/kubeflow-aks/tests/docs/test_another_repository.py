"""The page on other repositories, followed as it is written in another team's project without a checkout of ours."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
import yaml

from kubeflow_aks.cli.reference import commands as our_commands
from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import blocks, commands
from tests.installed import Installed, empty, wheel

PAGE: Final = PROJECT_ROOT / "docs/how-to/use-in-another-repository.md"
BUILD, FROM_WHEEL, FROM_GIT, *USE, PULUMI = commands(PAGE)
PROJECT: Final = Path(__file__).parent / "another_repository"
_EACH: Final = """\
import contextlib, io, json, shlex
from kubeflow_aks.cli.process import main
found = {}
for line in lines:
    with contextlib.redirect_stderr(io.StringIO()) as error:
        found[line] = [main(shlex.split(line)), error.getvalue()]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> tuple[Installed, Path]:
    """Another team's environment, in which the page's command has installed the package, and its project."""
    folder = tmp_path_factory.mktemp("team")
    built = wheel(folder, tuple(shlex.split(BUILD)))
    environment = empty(folder / "environment")
    environment.install("pulumi-azure-native", cwd=folder)
    pip, install, file = shlex.split(FROM_WHEEL)
    assert (pip, install) == ("pip", "install")
    environment.install(file.replace("<version>", built.name.split("-")[1]), cwd=built.parent)
    project = shutil.copytree(PROJECT, folder / "platform", ignore=shutil.ignore_patterns("__pycache__"))
    (basis,) = blocks(PAGE, "python")
    with (project / "__main__.py").open("a") as program:
        program.write(basis)
    return environment, project


@pytest.fixture(scope="module")
def preview(team: tuple[Installed, Path]) -> subprocess.CompletedProcess[str]:
    """The page's preview, which writes the plan."""
    environment, project = team
    return environment.run(*shlex.split(USE[0]), cwd=project)


def test_nothing_of_the_checkout_is_there(team: tuple[Installed, Path]) -> None:
    environment, project = team
    find = "import importlib.util as u; print(*filter(u.find_spec, ['components', 'program', 'ckf_spot', 'tests']))"
    assert environment.run("python", "-c", find, cwd=project).stdout == "\n"


def test_its_commands_work_as_the_page_says(
    team: tuple[Installed, Path], preview: subprocess.CompletedProcess[str]
) -> None:
    environment, project = team
    policy, cost = (environment.run(*shlex.split(line), cwd=project) for line in USE[1:])
    assert (preview.returncode, policy.returncode, cost.returncode) == (1, 1, 0), preview.stderr + cost.stderr
    assert "mandatory  spot-is-marked" in preview.stdout
    assert "details: kubeflow-aks policy dev" in " ".join(preview.stdout.split())
    assert "violated   spot-is-marked" in policy.stdout
    pool = next(line for line in cost.stdout.splitlines() if line.startswith("batch "))
    assert (pool.split()[1:3], "$0.0850" in pool) == (["spot", "0–10"], True)
    assert "costBasis" not in cost.stdout
    assert [preview.stderr, policy.stderr, cost.stderr] == ["", "", ""]


def test_its_plan_is_judged_elsewhere_by_its_own_exceptions(
    team: tuple[Installed, Path], preview: subprocess.CompletedProcess[str]
) -> None:
    environment, project = team
    assert "Written to build/dev: plan.json" in preview.stdout
    plan = str(project / "build" / "dev" / "plan.json")
    judge = ("kubeflow-aks", "policy", "--plan", plan, "--format", "json")
    answer = json.loads(environment.run(*judge, cwd=project.parent).stdout)
    mandatory = [
        rule["rule"] for rule in answer["rules"] if rule["mandatory"] and rule["status"] == "violated"
    ]
    accepted = [
        {"rule": rule, "stacks": ["dev"], "reason": "a trial", "source": "our choice"} for rule in mandatory
    ]
    text = yaml.safe_dump(accepted).replace(
        "- reason", "- date: 2026-11-23\n  expiresOn: 2099-11-23\n  reason"
    )
    (project / "policy-exceptions.yaml").write_text(text)
    assert mandatory
    assert environment.run(*judge, cwd=project).returncode == 0
    (project / "policy-exceptions.yaml").write_text("[{rule: spot}]")
    broken = environment.run(*judge, cwd=project)
    assert (broken.returncode, broken.stdout, broken.stderr.count("\n")) == (3, "", 6)
    (project / "policy-exceptions.yaml").unlink()
    bill = environment.run(
        "kubeflow-aks", "cost", "--plan", plan, "--offline", "--format", "json", cwd=project
    )
    assert json.loads(bill.stdout)["stack"] == "dev"


def test_the_policy_pack_is_a_program_of_the_environment(team: tuple[Installed, Path]) -> None:
    """`tests/local/policy/test_analyzer.py` has the engine call it."""
    environment, _ = team
    assert shlex.split(PULUMI)[-1] == "$(command -v kubeflow-aks-policy-pack)"
    assert environment.program("kubeflow-aks-policy-pack").exists()


def test_what_needs_a_checkout_says_so_in_one_line(team: tuple[Installed, Path]) -> None:
    environment, project = team
    (project / "preview.json").touch()
    (project / "preview.txt").touch()
    examples = [command.example for _, command, _ in our_commands() if command.needs_checkout]
    lines = [*examples, "cost --against main", "quota", "verify", "start", "stop"]
    done = environment.run("python", "-c", f"lines = {lines!r}\n{_EACH}", cwd=project)
    answers: dict[str, tuple[int, str]] = json.loads(done.stdout)
    assert {code for line, (code, _) in answers.items() if line in examples} == {2}
    assert [line for line, (_, error) in answers.items() if error.count("\n") != 1] == []
    for line in examples:
        assert answers[line][1].endswith("works in a checkout of kubeflow-aks only\n"), line
    assert answers["cost --against main"][1].startswith(
        "error: --against works in a checkout of kubeflow-aks only"
    )
    assert answers["quota"] == [
        3,
        "error: dev: the program has no output vcpuQuota, so the quota that it needs is not known\n",
    ]
    assert [answers[command][0] for command in ("verify", "start", "stop")] == [3, 3, 3]
    assert "is missing; install kubeflow-aks[" not in "".join(error for _, error in answers.values())


def test_the_page_names_these_commands() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("## What needs a checkout")[2]
    named = {words.split()[0] for words, command, _ in our_commands() if command.needs_checkout}
    assert [name for name in named if f"`{name}`" not in text] == []
    assert FROM_GIT.startswith("pip install 'kubeflow-aks[cost] @ git+")
