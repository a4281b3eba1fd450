"""Stopping and starting a stack's cluster: what is asked of Azure, what is refused, what is said."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from delivery import power
from delivery.azure_cli import Event
from tests.delivery.clusters import OneCluster, backend, seen, state

NO_WAIT = ["--poll", "0.01", "--rest", "0"]


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs the command against a cluster."""

    def run(line: str, azure: OneCluster, **given: Any) -> int:
        return power.main([*line.split(), *NO_WAIT], backend(tmp_path, state(**given)), azure)

    return run


def test_stop_asks_and_waits_until_it_is_stopped(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    azure = OneCluster(states=seen("Running"), then=seen("Running", "Stopping", "Stopping", "Stopped"))
    assert run("stop dev", azure) == 0
    assert azure.asked == ["stop"]
    assert capsys.readouterr().out == "dev: stopping aks …\ndev: is stopped\n"


def test_start_asks_and_waits_until_it_runs(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    azure = OneCluster(states=seen("Stopped"), then=seen("Starting", "Running"))
    assert run("start dev", azure) == 0
    assert azure.asked == ["start"]
    assert capsys.readouterr().out == "dev: starting aks …\ndev: runs\n"


@pytest.mark.parametrize(
    ("what", "is_now", "said"), [("stop", "Stopped", "is stopped"), ("start", "Running", "runs")]
)
def test_what_it_is_already_is_not_asked_again(
    run: Any, what: str, is_now: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    azure = OneCluster(states=seen(is_now))
    assert run(f"{what} dev", azure) == 0
    assert azure.asked == []
    assert capsys.readouterr().out == f"dev: {said} already\n"


def test_what_another_has_begun_is_waited_for(run: Any) -> None:
    azure = OneCluster(states=seen("Stopping", "Stopping", "Stopped"))
    assert run("stop dev", azure) == 0
    assert azure.asked == []


def test_a_start_waits_for_the_end_of_a_stop(run: Any) -> None:
    azure = OneCluster(states=seen("Stopping", "Stopping", "Stopped"), then=seen("Starting", "Running"))
    assert run("start dev", azure) == 0
    assert azure.asked == ["start"]


@pytest.mark.parametrize("doing", ["Updating", "Upgrading", "Deleting", "Creating"])
def test_another_operation_is_left_alone(run: Any, doing: str, capsys: pytest.CaptureFixture[str]) -> None:
    azure = OneCluster(states=seen(doing))
    assert run("stop dev", azure) == 1
    assert azure.asked == []
    told = capsys.readouterr().err
    assert told == f"error: dev: another operation is under way ({doing}); try again when it has ended\n"


def test_a_start_that_fails_is_told(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Azure has no machines, say."""
    azure = OneCluster(states=seen("Stopped"), then=seen("Starting", "Failed"))
    assert run("start dev", azure) == 1
    assert "it did not start: its provisioning state is Failed" in capsys.readouterr().err


def test_production_is_stopped_only_by_force(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    azure = OneCluster(states=seen("Running"), then=seen("Stopped"))
    assert run("stop prod", azure, production=True) == 1
    assert azure.asked == []
    told = capsys.readouterr().err
    assert told.startswith("error: prod: it is production: ")
    assert told.count("\n") == 1
    assert run("stop prod --force", azure, production=True) == 0
    assert azure.asked == ["stop"]


def test_production_starts(run: Any) -> None:
    azure = OneCluster(states=seen("Stopped"), then=seen("Running"))
    assert run("start prod", azure, production=True) == 0


@pytest.mark.parametrize(
    ("is_now", "word"), [("Running", "running"), ("Stopped", "stopped"), ("Stopping", "stopped")]
)
def test_a_workflow_gets_one_word(
    run: Any, is_now: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("state dev", OneCluster(states=seen(is_now))) == 0
    assert capsys.readouterr().out == f"{word}\n"


def test_a_stack_without_a_cluster_is_absent_and_can_not_be_stopped(
    run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("state dev", OneCluster(), cluster=False) == 0
    assert capsys.readouterr().out == "absent\n"
    assert run("stop dev", OneCluster(), cluster=False) == 1
    assert capsys.readouterr().err == "error: dev: it has no cluster; deploy it first\n"


@pytest.mark.parametrize(
    "deployment",
    [
        '{"resources": [1]}',
        '{"resources": [{}]}',
        '{"resources": "x"}',
        "[1]",
        '{"resources": [{"type": "pulumi:pulumi:Stack", "outputs": 1}]}',
    ],
)
def test_a_state_of_another_form_is_one_line(
    deployment: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = power.main(["stop", "dev"], backend(tmp_path, json.loads(deployment)), OneCluster())
    told = capsys.readouterr()
    assert (code, told.out, told.err.count("\n")) == (1, "", 1)


@pytest.mark.parametrize("name", ["-x", "a b", "../dev"])
def test_what_is_no_name_of_a_stack_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        power.main(["stop", "--", name], backend(tmp_path, state()), OneCluster())


def test_between_a_stop_and_a_start_lies_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(power.time, "sleep", slept.append)
    at = datetime.now(UTC) - timedelta(minutes=5)
    azure = OneCluster(states=seen("Stopped"), then=seen("Running"), events=[Event("stop/action", at)])
    assert power.main(["start", "dev"], backend(tmp_path, state()), azure) == 0
    assert 590 < slept[0] <= 600
    assert "was stopped just now; AKS asks for a pause, 10 min are left" in capsys.readouterr().out


def test_who_may_not_read_the_activity_log_can_start_all_the_same(
    run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    azure = OneCluster(states=seen("Stopped"), then=seen("Running"), log_is_closed=True)
    assert run("start dev", azure) == 0
    assert "can't tell when it was stopped" in capsys.readouterr().out
