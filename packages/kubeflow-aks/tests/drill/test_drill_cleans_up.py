"""A drill's namespace goes whatever ends the drill, for the work in it keeps nodes that cost."""

from __future__ import annotations

from typing import Any

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.clients.kubernetes.errors import UnreachableError
from kubeflow_aks.drill import play
from kubeflow_aks.drill.play import Drill
from kubeflow_aks.scenario.console import Console

NOTHING: Any = None


class FakeLock:
    """A namespace that is noted only."""

    def __init__(self, fails: BaseException | None = None) -> None:
        self.fails = fails
        self.released = 0

    def acquire(self, *_: object) -> None:
        """As its test sets it."""
        if self.fails:
            raise self.fails

    def release(self) -> bool:
        """Counts."""
        self.released += 1
        return True


def gone(_: object) -> None:
    raise BrokenPipeError


def _printed(drill: Drill) -> None:
    drill.console.line("── From zero")


def playing(monkeypatch: pytest.MonkeyPatch, lock: FakeLock, *, write: Any = gone) -> Drill:
    """A drill that ends as soon as it prints."""
    plan: Any = type("Plan", (), {"minutes": 45})()
    made = Drill(NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, plan, Console(write), any_node=False)

    def make_lock(_: object) -> FakeLock:
        return lock

    monkeypatch.setattr(play, "DrillLock", make_lock)
    monkeypatch.setattr(Drill, "_run_scenario", _printed)
    return made


def test_work_is_deleted_where_nobody_reads_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = FakeLock()
    with pytest.raises(BrokenPipeError):
        playing(monkeypatch, lock).play("me")
    assert lock.released == 1


@pytest.mark.parametrize("ended", [KeyboardInterrupt(), UnreachableError("no answer")])
def test_a_namespace_of_which_nobody_knows_is_reported(
    monkeypatch: pytest.MonkeyPatch, ended: BaseException
) -> None:
    lock = FakeLock(ended)
    made = playing(monkeypatch, lock)
    with pytest.raises(type(ended)):
        made.play("me")
    assert lock.released == 0  # it may be another drill's
    assert made.problems == [
        "namespace kubeflow-aks-drill may have been created; delete it: kubectl delete namespace kubeflow-aks-drill"
    ]


@pytest.mark.parametrize("words", [["--nodes=0000100"], ["--minutes=00000300"], ["--nodes=١"]])
def test_a_number_that_is_too_large_is_refused_however_it_is_written(words: list[str]) -> None:
    assert main(["drill", *words, "--", "dev"]) == 2


@pytest.mark.parametrize("name", ["..", "--help", "../x", "a b", "DEV", "a\x1b[31m"])
def test_what_is_no_name_of_a_stack_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drill", "--", name]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("error: stack: ")
    assert shown[:-1].isprintable()
