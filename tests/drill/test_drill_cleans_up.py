"""A drill's namespace goes whatever ends the drill, for the work in it keeps nodes that cost."""

from __future__ import annotations

from typing import Any

import pytest

from drill import __main__ as command
from drill import play
from drill.play import Drill
from kube.errors import UnreachableError
from story.console import Console

NOTHING: Any = None


class Claimed:
    """A namespace that is noted only."""

    def __init__(self, fails: BaseException | None = None) -> None:
        self.fails = fails
        self.released = 0

    def take(self, *_: object) -> None:
        """As it is told to."""
        if self.fails:
            raise self.fails

    def release(self) -> bool:
        """Counts."""
        self.released += 1
        return True


@pytest.fixture(autouse=True)
def _signals_of_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "handle_interrupts", lambda: None)


def gone(_: object) -> None:
    raise BrokenPipeError


def _printed(drill: Drill) -> None:
    drill.console.line("── From zero")


def playing(monkeypatch: pytest.MonkeyPatch, claim: Claimed, *, write: Any = gone) -> Drill:
    """A drill that ends as soon as it prints."""
    plan: Any = type("Plan", (), {"minutes": 45})()
    made = Drill(NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, plan, Console(write), any_node=False)

    def claimed(_: object) -> Claimed:
        return claim

    monkeypatch.setattr(play, "Claim", claimed)
    monkeypatch.setattr(Drill, "_watched", _printed)
    return made


def test_work_is_deleted_where_nobody_reads_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claimed()
    with pytest.raises(BrokenPipeError):
        playing(monkeypatch, claim).play("me")
    assert claim.released == 1


@pytest.mark.parametrize("ended", [KeyboardInterrupt(), UnreachableError("no answer")])
def test_a_namespace_of_which_nobody_knows_is_told(
    monkeypatch: pytest.MonkeyPatch, ended: BaseException
) -> None:
    claim = Claimed(ended)
    made = playing(monkeypatch, claim)
    with pytest.raises(type(ended)):
        made.play("me")
    assert claim.released == 0  # it may be another drill's
    assert made.problems == [
        "namespace kubeflow-aks-drill may be there now: kubectl delete namespace kubeflow-aks-drill"
    ]


@pytest.mark.parametrize("words", [["--nodes=0000100"], ["--minutes=00000300"], ["--nodes=١"]])
def test_a_number_that_is_too_large_is_refused_however_it_is_written(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main([*words, "--", "dev"])
    assert ended.value.code == 2


@pytest.mark.parametrize("name", ["..", "--help", "../x", "a b", "DEV", "a\x1b[31m"])
def test_what_is_no_name_of_a_stack_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--", name]) == 1
    told = capsys.readouterr().err
    assert told.startswith("error: stack: ")
    assert told[:-1].isprintable()
