"""When a cluster is stopped and started by its hours, and when it is left to who works late."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.ci import office_hours
from kubeflow_aks.ci.aks import Event
from kubeflow_aks.ci.office_hours import Hours, settle
from kubeflow_aks.ci.power import Power
from kubeflow_aks.cli.process import ended
from kubeflow_aks.clients.pulumi import Pulumi
from kubeflow_aks.deployed.state import DeployedCluster
from kubeflow_aks.exit_codes import InconclusiveError
from tests.ci.clusters import HOURS, OneCluster, backend, in_states, state
from tests.ci.github_api import REPOSITORY, TOKEN, Repository, github

FRIDAY_EVENING = datetime(2026, 11, 20, 19, 23, tzinfo=UTC)
WORKING = Hours.of(HOURS)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "change", "what"),
    [
        ("2026-11-20T12:00", "2026-11-20T07:00", "begins"),
        ("2026-11-20T06:59", "2026-11-19T19:00", "ends"),
        ("2026-11-20T07:00", "2026-11-20T07:00", "begins"),
        ("2026-11-20T18:59", "2026-11-20T07:00", "begins"),
        ("2026-11-20T19:00", "2026-11-20T19:00", "ends"),
        ("2026-11-22T12:00", "2026-11-20T19:00", "ends"),
        ("2026-11-23T03:00", "2026-11-20T19:00", "ends"),
        # In summer London is an hour ahead of UTC.
        ("2026-07-01T06:30", "2026-07-01T06:00", "begins"),
        ("2026-07-01T18:30", "2026-07-01T18:00", "ends"),
        # The clocks go back on Sunday, 2026-10-25, and forward on 2026-03-29.
        ("2026-10-26T06:30", "2026-10-23T18:00", "ends"),
        ("2026-10-26T07:30", "2026-10-26T07:00", "begins"),
        ("2026-03-30T06:30", "2026-03-30T06:00", "begins"),
    ],
)
def test_the_last_begin_or_end_is_found(now: str, change: str, what: str) -> None:
    assert WORKING.last_change(at(now)) == (at(change), what == "begins")


@pytest.mark.parametrize(
    ("hours", "now", "change", "what"),
    [
        # A day that is not a working day in UTC yet is one in Auckland.
        ({"timeZone": "Pacific/Auckland"}, "2026-11-22T19:00", "2026-11-22T18:00", "begins"),
        ({"timeZone": "America/Los_Angeles"}, "2026-11-21T02:00", "2026-11-20T15:00", "begins"),
        # One day a week: a week back, whatever the time of day.
        ({"days": ["monday"]}, "2026-11-23T06:00", "2026-11-16T19:00", "ends"),
        ({"days": ["monday"]}, "2026-11-22T23:00", "2026-11-16T19:00", "ends"),
        # 01:30 is skipped on 2026-03-29 and comes twice on 2026-10-25.
        (
            {"days": ["sunday"], "from": "01:30", "to": "12:00"},
            "2026-03-29T02:00",
            "2026-03-29T01:30",
            "begins",
        ),
        (
            {"days": ["sunday"], "from": "01:30", "to": "12:00"},
            "2026-10-25T02:00",
            "2026-10-25T00:30",
            "begins",
        ),
    ],
)
def test_zones_weeks_and_changes_of_the_clocks(hours: Any, now: str, change: str, what: str) -> None:
    assert Hours.of({**HOURS, **hours}).last_change(at(now)) == (at(change), what == "begins")


@pytest.mark.parametrize(
    "spoilt",
    [
        {"days": ["funday"]},
        {"days": 1},
        {"from": "25:00"},
        {"to": None},
        {"timeZone": "Mars/Base"},
        {"timeZone": ""},
    ],
)
def test_hours_of_another_form_are_one_line(spoilt: Any) -> None:
    with pytest.raises(InconclusiveError, match="officeHours have an unexpected form"):
        Hours.of({**HOURS, **spoilt})


def _settled(azure: OneCluster, now: datetime = FRIDAY_EVENING, *, dry_run: bool = False) -> str:
    where = DeployedCluster("group", "aks", production=False, office_hours=HOURS)
    return settle(Power("dev", where, azure, poll=0.01), WORKING, now, dry_run=dry_run)


def test_in_the_evening_it_is_stopped() -> None:
    azure = OneCluster(states=in_states("Running"), then=in_states("Stopping", "Stopped"))
    assert _settled(azure) == "stopped: should be stopped since Friday 19:00 GMT"
    assert azure.calls == ["stop"]


def test_a_run_that_comes_hours_late_still_acts() -> None:
    azure = OneCluster(
        states=in_states("Running"),
        then=in_states("Stopped"),
        events=[Event("start/action", at("2026-11-20T07:23"))],
    )
    assert _settled(azure, at("2026-11-22T03:00")).startswith("stopped: ")


def test_in_the_morning_it_is_started() -> None:
    azure = OneCluster(
        states=in_states("Stopped"),
        then=in_states("Running"),
        events=[Event("stop/action", at("2026-11-20T19:23"))],
    )
    assert _settled(azure, at("2026-11-23T07:23")) == "started: should run since Monday 07:00 GMT"


@pytest.mark.parametrize(("operation", "past"), [("start/action", "was started"), ("write", "was changed")])
def test_who_works_late_is_not_stopped_until_the_hours_end_again(operation: str, past: str) -> None:
    azure = OneCluster(
        states=in_states("Running"),
        then=in_states("Stopped"),
        events=[Event(operation, at("2026-11-20T20:10"))],
    )
    assert _settled(azure, at("2026-11-20T20:23")) == (
        f"left until the hours change: should be stopped since Friday 19:00 GMT, but {past} at 20:10 GMT"
    )
    assert _settled(azure, at("2026-11-22T12:23")).startswith("left until")
    assert azure.calls == []
    assert _settled(azure, at("2026-11-23T19:23")).startswith("stopped: ")


def test_who_stops_it_at_noon_finds_it_stopped() -> None:
    azure = OneCluster(states=in_states("Stopped"), events=[Event("stop/action", at("2026-11-20T12:00"))])
    assert "but was stopped at 12:00 GMT" in _settled(azure, at("2026-11-20T13:23"))


@pytest.mark.parametrize("now", [FRIDAY_EVENING, at("2026-11-20T12:00")])
def test_what_is_right_is_left(now: datetime) -> None:
    azure = OneCluster(states=in_states("Stopped" if now == FRIDAY_EVENING else "Running"))
    assert _settled(azure, now).endswith(", and is so")
    assert azure.calls == []


def test_an_operation_under_way_is_left_for_the_next_run() -> None:
    azure = OneCluster(states=in_states("Updating"))
    assert _settled(azure) == "left: an operation is under way (Updating)"


def test_a_dry_run_only_prints() -> None:
    azure = OneCluster(states=in_states("Running"))
    assert _settled(azure, dry_run=True) == "would stop: should be stopped since Friday 19:00 GMT"
    assert azure.calls == []


def run(stack: str, pulumi: Pulumi, azure: OneCluster) -> int:
    """Runs the command on a Friday evening."""
    return ended(
        lambda: office_hours.run(
            stack, pulumi.project, poll=0.01, pulumi=pulumi, azure=azure, now=FRIDAY_EVENING
        )
    )


def test_production_with_office_hours_keeps_them(tmp_path: Path) -> None:
    """Its preview warns; the stack's file has the last word."""
    azure = OneCluster(states=in_states("Running"), then=in_states("Stopped"))
    deployed = backend(tmp_path, state(hours=HOURS, production=True))
    assert run("prod", deployed, azure) == 0
    assert azure.calls == ["stop"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"hours": None}, "it has no officeHours"), ({"cluster": False}, "it has no cluster")],
)
def test_without_hours_or_a_cluster_azure_is_not_called(
    settings: Any, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("dev", backend(tmp_path, state(**settings)), OneCluster()) == 0
    assert capsys.readouterr().out == f"dev: left: {expected}\n"


def test_spoilt_hours_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deployed = backend(tmp_path, state(hours={**HOURS, "from": "7 o'clock"}))
    assert run("dev", deployed, OneCluster()) == 3
    assert capsys.readouterr().err.startswith("error: dev: officeHours have an unexpected form")


@pytest.mark.parametrize("status", ["in_progress", "completed"])
def test_a_cluster_is_not_stopped_while_up_is_under_way(
    status: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    azure = OneCluster(states=in_states("Running"), then=in_states("Stopped"))
    with github(Repository(ups=[{"id": 1, "status": status}])) as address:
        for name, value in (("TOKEN", TOKEN), ("API_URL", address), ("REPOSITORY", REPOSITORY)):
            monkeypatch.setenv(f"GITHUB_{name}", value)
        code = run("dev", backend(tmp_path, state(hours=HOURS)), azure)
    assert code == 0
    assert azure.calls == ([] if status == "in_progress" else ["stop"])
    assert ("an `up` is under way" in capsys.readouterr().out) == (status == "in_progress")
