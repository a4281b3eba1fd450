"""What a command changes in its process: colours for a terminal only, and the garbage collector."""

from __future__ import annotations

import gc
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.cli.reference import commands
from kubeflow_aks.preview.readme import DAY
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.verify import cluster_reader
from kubeflow_aks.verify.snapshot import Result
from tests.verify.api_server import outputs_of, running
from tests.verify.clusters import good

COLOUR = re.compile(r"\x1b\[\d+m")
ALL = {words: command for words, command, _ in commands()}


@pytest.fixture(autouse=True)
def exceptions_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped exceptions of policy are judged on a day of their own time."""
    monkeypatch.setattr("kubeflow_aks.policy.command.today", lambda: date.fromisoformat(DAY))


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Says so."""
        return True


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A file of outputs of a cluster that lacks one object."""
    with running(replace(good(), contract=Result({}))) as server:
        yield str(outputs_of(server.url, tmp_path_factory.mktemp("outputs")))


class OneMoment(datetime):
    """A clock that stands still, since verify shows how far it is from the server's."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        """That moment."""
        return _STARTED.astimezone(tz)


_STARTED: Final = datetime.now(UTC)


def _shown(line: list[str], stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(cluster_reader, "datetime", OneMoment)
    monkeypatch.setattr("sys.stdout", stream)
    assert main(line) in {0, 1}
    return stream.getvalue()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("preview dev", ["\x1b[1mPlan of ", "\n \x1b[32m+\x1b[0m ", "\n\x1b[1mAgent pools:\x1b[0m\n"]),
        ("policy dev", ["\x1b[32msatisfied\x1b[0m  ", "\n\x1b[33mexception\x1b[0m  "]),
        ("cost dev --offline", ["\x1b[1mExpected cost: ", "\n\x1b[1m= whole stack ", "\n\x1b[33m!\x1b[0m "]),
        ("cost dev --offline", ["\n\x1b[1mWhat is not counted\x1b[0m\n"]),
        ("verify dev", ["\x1b[31m✘\x1b[0m ", "\n\x1b[32m✔\x1b[0m "]),
    ],
)
def test_a_terminal_gets_colours_and_a_file_the_same_text(
    command: str, expected: list[str], outputs: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("Pulumi.yaml", "Pulumi.dev.yaml", "__main__.py", "policy-exceptions.yaml"):
        (tmp_path / name).write_bytes((PROJECT_ROOT / name).read_bytes())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "110")
    line = [*command.split(), "--root", str(tmp_path)]
    if command.startswith("verify"):
        line += ["--outputs", outputs]
    coloured = _shown(line, Terminal(), monkeypatch)
    assert [text for text in expected if text not in coloured] == []
    plain = _shown(line, io.StringIO(), monkeypatch)
    assert "\x1b" not in plain
    assert COLOUR.sub("", coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert _shown(line, Terminal(), monkeypatch) == plain


@pytest.mark.parametrize("command", ["policy dev --format json", "cost dev --offline --format json"])
def test_json_has_no_colour(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert json.loads(_shown(command.split(), Terminal(), monkeypatch))


@pytest.mark.parametrize("words", ALL)
def test_a_command_that_takes_minutes_collects_garbage(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    collecting: list[bool] = []
    monkeypatch.setattr(ALL[words], "callback", lambda: collecting.append(gc.isenabled()))
    monkeypatch.setattr(ALL[words], "params", [])
    gc.disable()
    try:
        assert main(words.split()) == 0
    finally:
        gc.enable()
    assert collecting == [
        words in {"demo", "drill", "diff", "start", "stop", "local up", "local shell", "local build"}
    ]


def test_a_missing_package_of_an_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['numpy'] = None; from kubeflow_aks.cli.process import main;"
        "sys.exit(main(['cost', 'dev', '--offline']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: the package numpy is missing; install kubeflow-aks[cost]\n"
