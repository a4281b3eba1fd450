"""The file `kubeflow-aks`: `.venv` first, then the command in it, with its arguments, exit code and signals."""

import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from importlib import metadata
from pathlib import Path

import grimp
import pytest

from kubeflow_aks import environment, launcher
from kubeflow_aks.cli.commands import MODULES
from kubeflow_aks.environment import GROUPS, ProjectEnvironment
from kubeflow_aks.project import PROJECT_ROOT

CODE = "packages/kubeflow-aks/src/kubeflow_aks"
_COMMAND = """
import os, sys
print(*sys.argv[1:], sep="|")
print(os.path.realpath(sys.prefix), "PYTHONDONTWRITEBYTECODE" in os.environ)
sys.exit(7)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with a command that shows what it gets, and an environment for it that has nothing in it."""
    root = tmp_path / "checkout"
    (root / CODE).mkdir(parents=True)
    shutil.copy(PROJECT_ROOT / "kubeflow-aks", root)
    for name in ("__init__.py", "environment.py", "exit_codes.py", "launcher.py", "ownership.py"):
        shutil.copy(PROJECT_ROOT / CODE / name, root / CODE)
    (root / CODE / "__main__.py").write_text(_COMMAND)
    for lock in GROUPS.values():
        (root / lock).write_text("")
    environment.create(root / ".venv")
    its = ProjectEnvironment(root)
    for group in GROUPS:
        (its.folder / f".{group}").write_text(its.digest(group))
    return root


def run(*command: str | Path, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_arguments_and_exit_code_are_those_of_the_command_in_venv(root: Path) -> None:
    done = run(root / "kubeflow-aks", "preview", "a b", "--x", "", "$HOME")
    assert (done.returncode, done.stderr) == (7, "")
    assert done.stdout == f"preview|a b|--x||$HOME\n{(root / '.venv').resolve()} False\n"


def test_it_works_from_any_folder_and_through_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "kubeflow-aks").symlink_to(root / "kubeflow-aks")
    (tmp_path / "kubeflow_aks.py").write_text("raise SystemExit('the wrong one')")
    assert run(tmp_path / "kubeflow-aks", "x", folder=tmp_path).returncode == 7


def test_any_python_can_run_it(root: Path) -> None:
    """As on Windows, where no first line of a file says what runs it."""
    assert run(sys.executable, root / "kubeflow-aks", "x").stdout.startswith("x\n")


def test_an_outdated_environment_is_brought_up_to_date_first(root: Path) -> None:
    (root / GROUPS["runtime"]).write_text("# changed\n")
    (root / GROUPS["dev"]).write_text("# changed\n")
    for group in ("commands", "dev"):
        (root / ".venv" / f".{group}").unlink()
    first, second = (run(root / "kubeflow-aks", "preview") for _ in range(2))
    assert (first.returncode, second.returncode) == (7, 7)
    assert first.stderr.startswith("Bringing .venv up to date for Python 3.")
    assert second.stderr == ""


def test_an_environment_that_cannot_be_set_up_is_one_line_and_1(root: Path) -> None:
    (root / GROUPS["commands"]).write_text("click==8.5.1\n")
    (root / ".venv/.dev").unlink()
    done = run(root / "kubeflow-aks", "cost")
    assert (done.returncode, done.stdout) == (1, "")
    progress, error = done.stderr.splitlines()
    assert progress.startswith("Bringing .venv up to date")
    assert error.startswith("error: .venv: requirements-commands.txt cannot be installed: ")
    assert run(root / "kubeflow-aks", "preview").returncode == 7


def test_set_up_knows_its_groups(root: Path) -> None:
    assert [run(root / "kubeflow-aks", "set-up", *group).returncode for group in ([], ["dev"])] == [0, 0]
    wrong = run(root / "kubeflow-aks", "set-up", "everything")
    assert (wrong.returncode, wrong.stderr) == (2, "usage: kubeflow-aks set-up [runtime|commands|dev]\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize("wait", [0.0, 0.02, 0.05, 0.1, 0.2, 0.5])
def test_an_interrupt_while_it_starts_shows_no_traceback(root: Path, wait: float) -> None:
    (root / CODE / "__main__.py").write_text("import time; time.sleep(60)")
    process = _started(root, blocked=False)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert errors == ""
    assert process.returncode in {130, -signal.SIGINT}  # a shell shows 130 for both


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_an_interrupt_between_the_two_pythons_is_kept_for_the_second(root: Path) -> None:
    (root / CODE / "__main__.py").write_text("print('never reached', flush=True)")
    process = _started(root, blocked=True)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 130


def _started(root: Path, *, blocked: bool) -> "subprocess.Popen[str]":
    """The launcher; without `site`, in which Python itself answers an interrupt with a traceback."""
    if blocked:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", root / "kubeflow-aks", "preview"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@pytest.mark.skipif(sys.platform == "win32", reason="a Python of another version is a shell script here")
def test_an_older_python_is_refused_unless_there_is_a_newer_one(root: Path, tmp_path: Path) -> None:
    text = (root / "kubeflow-aks").read_text()
    assert "sys.version_info < (3, 11)" in text
    (root / "kubeflow-aks").write_text(text.replace("(3, 11)", "(9, 9)"))
    refused = subprocess.run(
        [sys.executable, root / "kubeflow-aks", "preview"],
        env={"PATH": str(tmp_path / "empty")},
        capture_output=True,
        text=True,
        check=False,
    )
    this = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert (refused.returncode, refused.stderr) == (
        1,
        f"error: Python {this} is not supported; expected 3.11 or newer\n",
    )
    newer = tmp_path / "bin/python3.12"
    newer.parent.mkdir()
    newer.write_text('#!/bin/sh\necho newer "$@"\n')
    newer.chmod(0o700)
    done = subprocess.run(
        [sys.executable, root / "kubeflow-aks", "preview", "dev"],
        env={"PATH": str(newer.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"newer {root / 'kubeflow-aks'} preview dev\n"


def test_every_command_has_a_group_of_packages() -> None:
    assert not launcher.RUNTIME & launcher.OTHERS
    assert set(MODULES) == launcher.RUNTIME | launcher.OTHERS


def test_a_command_has_the_packages_that_it_imports_and_no_more() -> None:
    """As the modules import each other, also inside functions; `ckf_spot` imports its extras where it needs them."""
    graph = grimp.build_graph("kubeflow_aks", include_external_packages=True, cache_dir=None)
    more = _distributions("commands") - _distributions("runtime")
    modules = {
        module
        for module, owners in metadata.packages_distributions().items()
        if any(_normal(owner) in more for owner in owners)
    }
    assert {"numpy", "psutil"} <= modules
    needed = {
        command: modules & graph.find_upstream_modules(module, as_package=True)
        for command, module in MODULES.items()
    }
    assert {command for command, imported in needed.items() if imported} == launcher.OTHERS, needed


def test_the_demo_and_the_local_shell_can_run_ckf_spot() -> None:
    """They run it as a program, so that no import shows what it needs."""
    project = tomllib.loads((PROJECT_ROOT / "packages/ckf-spot/pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    needed = {
        _normal(re.split(r"[<>=!~ \[;]", requirement, maxsplit=1)[0])
        for requirement in (*project["dependencies"], *project["optional-dependencies"]["kubernetes"])
    }
    assert needed <= _distributions("commands")


def _distributions(group: str) -> set[str]:
    lock = (PROJECT_ROOT / GROUPS[group]).read_text(encoding="utf-8")
    return {_normal(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}


def _normal(name: str) -> str:
    """A name as lock files have it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
