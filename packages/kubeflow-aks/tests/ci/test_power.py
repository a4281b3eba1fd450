"""Stopping and starting a stack's cluster: calls to Azure, refusals, messages."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kubeflow_aks.ci import power
from kubeflow_aks.ci.aks import Event
from kubeflow_aks.cli.process import ended
from kubeflow_aks.exit_codes import UsageError
from tests.ci.clusters import OneCluster, backend, in_states, state

NO_WAIT: Any = {"poll": 0.01}


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs the command against a cluster."""

    def run(line: str, azure: OneCluster, **settings: Any) -> int:
        what, stack, *flags = line.split()
        clients: Any = {"pulumi": backend(tmp_path, state(**settings)), "azure": azure}
        if what == "state":
            return ended(lambda: power.show_state(stack, tmp_path, **clients))
        rest: Any = {"rest": timedelta(0)} if what == "start" else {"force": "--force" in flags}
        return ended(lambda: power.switch(stack, tmp_path, run=what == "start", **rest, **clients, **NO_WAIT))

    return run


def test_stop_waits_until_it_is_stopped(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    azure = OneCluster(
        states=in_states("Running"), then=in_states("Running", "Stopping", "Stopping", "Stopped")
    )
    assert run("stop dev", azure) == 0
    assert azure.calls == ["stop"]
    assert capsys.readouterr().out == "dev: stopping aks …\ndev: is stopped\n"


def test_start_waits_until_it_runs(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    azure = OneCluster(states=in_states("Stopped"), then=in_states("Starting", "Running"))
    assert run("start dev", azure) == 0
    assert azure.calls == ["start"]
    assert capsys.readouterr().out == "dev: starting aks …\ndev: runs\n"


@pytest.mark.parametrize(
    ("command", "is_now", "expected"), [("stop", "Stopped", "is stopped"), ("start", "Running", "runs")]
)
def test_a_cluster_that_is_in_the_state_already_is_left(
    run: Any, command: str, is_now: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    azure = OneCluster(states=in_states(is_now))
    assert run(f"{command} dev", azure) == 0
    assert azure.calls == []
    assert capsys.readouterr().out == f"dev: {expected} already\n"


def test_what_another_has_begun_is_waited_for(run: Any) -> None:
    azure = OneCluster(states=in_states("Stopping", "Stopping", "Stopped"))
    assert run("stop dev", azure) == 0
    assert azure.calls == []


def test_a_start_waits_for_the_end_of_a_stop(run: Any) -> None:
    azure = OneCluster(
        states=in_states("Stopping", "Stopping", "Stopped"), then=in_states("Starting", "Running")
    )
    assert run("start dev", azure) == 0
    assert azure.calls == ["start"]


@pytest.mark.parametrize("doing", ["Updating", "Upgrading", "Deleting", "Creating"])
def test_another_operation_is_left_alone(run: Any, doing: str, capsys: pytest.CaptureFixture[str]) -> None:
    azure = OneCluster(states=in_states(doing))
    assert run("stop dev", azure) == 1
    assert azure.calls == []
    printed = capsys.readouterr().err
    assert printed == f"error: dev: another operation is under way ({doing}); try again when it has ended\n"


def test_a_start_that_fails_is_an_error(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Azure has no machines, say."""
    azure = OneCluster(states=in_states("Stopped"), then=in_states("Starting", "Failed"))
    assert run("start dev", azure) == 1
    assert "it did not start: its provisioning state is Failed" in capsys.readouterr().err


def test_production_is_stopped_only_by_force(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    azure = OneCluster(states=in_states("Running"), then=in_states("Stopped"))
    assert run("stop prod", azure, production=True) == 1
    assert azure.calls == []
    printed = capsys.readouterr().err
    assert printed.startswith("error: prod: it is production: ")
    assert printed.count("\n") == 1
    assert run("stop prod --force", azure, production=True) == 0
    assert azure.calls == ["stop"]


def test_production_starts(run: Any) -> None:
    azure = OneCluster(states=in_states("Stopped"), then=in_states("Running"))
    assert run("start prod", azure, production=True) == 0


@pytest.mark.parametrize(
    ("is_now", "word"), [("Running", "running"), ("Stopped", "stopped"), ("Stopping", "stopped")]
)
def test_a_workflow_gets_one_word(
    run: Any, is_now: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("state dev", OneCluster(states=in_states(is_now))) == 0
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
    ],
)
def test_a_state_of_another_form_is_one_line(
    deployment: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pulumi = backend(tmp_path, json.loads(deployment))
    code = ended(lambda: power.switch("dev", tmp_path, run=False, pulumi=pulumi, azure=OneCluster()))
    printed = capsys.readouterr()
    assert (code, printed.out, printed.err.count("\n")) == (3, "", 1)


@pytest.mark.parametrize("name", ["-x", "a b", "../dev"])
def test_what_is_no_name_of_a_stack_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        power.switch(name, tmp_path, run=False, pulumi=backend(tmp_path, state()), azure=OneCluster())


def test_between_a_stop_and_a_start_lies_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(power, "time", SimpleNamespace(sleep=slept.append, monotonic=time.monotonic))
    at = datetime.now(UTC) - timedelta(minutes=5)
    azure = OneCluster(
        states=in_states("Stopped"), then=in_states("Running"), events=[Event("stop/action", at)]
    )
    assert power.switch("dev", tmp_path, run=True, pulumi=backend(tmp_path, state()), azure=azure) == 0
    assert 590 < slept[0] <= 600
    assert "was stopped just now; AKS recommends a pause, 10 min are left" in capsys.readouterr().out


def test_who_may_not_read_the_activity_log_can_start_all_the_same(
    run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    azure = OneCluster(states=in_states("Stopped"), then=in_states("Running"), log_is_closed=True)
    assert run("start dev", azure) == 0
    assert "it is not known when it was stopped" in capsys.readouterr().out
