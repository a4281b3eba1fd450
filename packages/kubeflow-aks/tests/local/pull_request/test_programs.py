"""Previews of programs that fail or hang: one line for each, and nothing is left behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import psutil
import pytest

from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.pull_request import programs
from kubeflow_aks.pull_request.programs import Program, operate
from kubeflow_aks.pull_request.stand_ins import StandIns
from kubeflow_aks.revisions.programs import ProgramError
from kubeflow_aks.tools import Tools
from tests.local.commands import PATIENCE_SECONDS

DAY = date(2026, 9, 1)
THING = "import pulumi\nclass Thing(pulumi.ComponentResource):\n    pass\n"
ENDED = "the program exited before it was complete"


@pytest.fixture(autouse=True)
def no_stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Components need no provider."""

    @contextmanager
    def stand_ins(_python: Path, run: RunDirectory, **_: object) -> Generator[StandIns]:
        yield StandIns({}, run)

    monkeypatch.setattr(programs, "stand_ins", stand_ins)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text("config:\n  small:given: one\n")
    return folder


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.at(tmp_path / "run")


def _program(root: Path, text: str) -> Program:
    (root / "__main__.py").write_text(text)
    return Program(root, root, Path(sys.executable), "dev", DAY, {})


def _refusal(of: Program, run: RunDirectory, tools: Tools, limit: float = PATIENCE_SECONDS) -> str:
    with pytest.raises(ProgramError) as refused:
        operate("preview", of, run, tools, limit=limit)
    assert not _left(of.root)
    return str(refused.value)


def _left(root: Path) -> list[psutil.Process]:
    """Processes that work in a project folder."""
    processes: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.cwd() == str(root):
                processes.append(process)
        except psutil.Error:
            continue
    return processes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_such\n", "ModuleNotFoundError: No module named 'nothing_such' (__main__.py line 1)"),
        ("def (\n", "SyntaxError: invalid syntax (__main__.py line 1)"),
        (
            "def f():\n    raise ValueError('two\\nlines')\nf()\n",
            "ValueError: two lines (__main__.py line 2)",
        ),
        (
            "import pulumi\nraise pulumi.RunError('a: 1 is not allowed\\nb: 2 is not allowed')\n",
            "a: 1 is not allowed\nb: 2 is not allowed",
        ),
        ("input('What? ')\n", "EOFError: EOF when reading a line (__main__.py line 1)"),
        ("import os\nprint('goodbye', flush=True)\nos._exit(4)\n", f"{ENDED}; its last output: goodbye"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", ENDED),
        (
            "import pulumi\npulumi.export('x', pulumi.Output.from_input(1).apply(lambda x: x / 0))\n",
            "ZeroDivisionError: division by zero (__main__.py line 2)",
        ),
    ],
)
def test_a_program_that_fails_gives_the_reason(
    text: str, message: str, root: Path, run: RunDirectory, tools: Tools
) -> None:
    assert _refusal(_program(root, text), run, tools) == message


def test_a_program_that_is_not_there(root: Path, run: RunDirectory, tools: Tools) -> None:
    of = _program(root, "")
    (root / "__main__.py").unlink()
    assert _refusal(of, run, tools) == "__main__.py: missing, so there is no program to run"


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("while True:\n    pass\n", 1),
        (
            "import subprocess, time\nsubprocess.Popen(['sleep', '99'], start_new_session=True)\ntime.sleep(99)\n",
            3,
        ),
    ],
)
def test_a_program_that_does_not_end_is_ended_with_all_it_started(
    text: str, limit: int, root: Path, run: RunDirectory, tools: Tools
) -> None:
    assert _refusal(_program(root, text), run, tools, limit=limit) == (
        f"the program took longer than {limit} s (--time-limit) and was stopped"
    )


def test_what_a_program_leaves_running_is_ended(root: Path, run: RunDirectory, tools: Tools) -> None:
    text = "import subprocess\nsubprocess.Popen(['sleep', '100'], start_new_session=True)\n"
    operate("preview", _program(root, text), run, tools, limit=PATIENCE_SECONDS)
    assert not _left(root)


def test_a_million_lines_are_read_and_forgotten(
    root: Path, run: RunDirectory, tools: Tools, capfd: pytest.CaptureFixture[str]
) -> None:
    text = "for n in range(1_000_000):\n    print('line', n)\nraise SystemExit('enough')\n"
    before = psutil.Process().memory_info().rss
    assert "enough" in _refusal(_program(root, text), run, tools)
    assert "line 1" not in "".join(capfd.readouterr())
    assert psutil.Process().memory_info().rss - before < 50 << 20


def test_a_program_sees_nothing_of_the_users_environment_and_writes_nothing_beside_itself(
    root: Path, run: RunDirectory, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARM_CLIENT_SECRET", "of the user")
    (root / "beside.py").write_text("import sys\nFOUND = 'kubeflow_aks' in sys.modules\n")
    text = (
        f"{THING}import os, sys, importlib.util\nimport beside\n"
        "pulumi.export('names', sorted(os.environ))\n"
        "pulumi.export('ours', beside.FOUND or bool(importlib.util.find_spec('kubeflow_aks')))\n"
        "pulumi.export('home', os.listdir(os.environ['HOME']))\n"
    )
    done = operate("preview", _program(root, text), run, tools, limit=PATIENCE_SECONDS)
    [stack] = [step for step in done.result.steps if step.type == "pulumi:pulumi:Stack"]
    assert "ARM_CLIENT_SECRET" not in stack.outputs["names"]
    assert stack.outputs["ours"] is False
    assert stack.outputs["home"] == []
    assert not list(root.rglob("__pycache__"))
    assert os.environ["ARM_CLIENT_SECRET"]


def test_an_encrypted_value_is_stood_in_for(root: Path, run: RunDirectory, tools: Tools) -> None:
    (root / "Pulumi.dev.yaml").write_text("config:\n  small:given:\n    deep: {secure: v1:abc}\n")
    text = f"{THING}pulumi.export('given', pulumi.Config().require_object('given'))\n"
    done = operate("up", _program(root, text), run, tools, limit=PATIENCE_SECONDS)
    [stack] = [step for step in done.result.steps if step.type == "pulumi:pulumi:Stack"]
    assert stack.outputs["given"] == {"deep": "\0encrypted"}


def test_what_the_engine_leaves_alone_is_known_of_a_preview_and_of_an_up(
    root: Path, run: RunDirectory, tools: Tools
) -> None:
    text = f"{THING}Thing('a:b:C', 'c', {{'x': 1}}, pulumi.ResourceOptions(ignore_changes=['x']))\n"
    ignored = {"urn:pulumi:dev::small::a:b:C::c": ["x"]}
    of = _program(root, text)
    for operation in ("preview", "up", "preview"):
        done = operate(operation, of, run, tools, limit=PATIENCE_SECONDS)
        assert {urn: names for urn, names in done.ignored.items() if names} == ignored
