"""`kubeflow-aks ci office-hours STACK`: stops and starts a stack's cluster by the setting `officeHours`.

Called about every hour: what counts is the last time at which the hours began or ended. A start, stop or change of the
cluster by a person after that stays until the next such time, so that nobody who works late is stopped twice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from kubeflow_aks.ci import power
from kubeflow_aks.ci.aks import Aks
from kubeflow_aks.ci.power import Power
from kubeflow_aks.clients.github import GitHub
from kubeflow_aks.clients.pulumi import Pulumi
from kubeflow_aks.exit_codes import ExitCode, InconclusiveError

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PAST: Final = {"start/action": "was started", "stop/action": "was stopped"}
_WEEK: Final = 8
"""Days to look back: whatever the time of day, a weekday comes round within them."""


@dataclass(frozen=True)
class Hours:
    """When a cluster should run; on each day of `days` from `begin` to `end` by the clocks of `zone`.

    Attributes:
        days: 0 is Monday.
        begin: time of day.
        end: time of day after `begin`.
    """

    days: frozenset[int]
    begin: time
    end: time
    zone: ZoneInfo

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Hours:
        """The hours of a stack's output.

        Raises:
            InconclusiveError: they have an unexpected form.
        """
        try:
            return cls(
                days=frozenset(_DAYS.index(day) for day in value["days"]),
                begin=time.fromisoformat(value["from"]),
                end=time.fromisoformat(value["to"]),
                zone=ZoneInfo(value["timeZone"]),
            )
        except (LookupError, TypeError, ValueError, OSError) as error:
            raise InconclusiveError(f"officeHours have an unexpected form: {error}") from error

    def last_change(self, now: datetime) -> tuple[datetime, bool]:
        """When the hours began or ended last, and whether they began.

        A time that the clocks skip counts as much later as they skip; one that they show twice counts the first time.
        """
        today = now.astimezone(self.zone).date()
        changes = [
            change
            for back in range(_WEEK)
            if (day := today - timedelta(days=back)).weekday() in self.days
            for change in self._changes(day)
            if change[0] <= now
        ]
        return max(changes)

    def _changes(self, day: date) -> tuple[tuple[datetime, bool], tuple[datetime, bool]]:
        begin, end = (datetime.combine(day, at, self.zone) for at in (self.begin, self.end))
        return (begin.astimezone(UTC), True), (end.astimezone(UTC), False)


def settle(switch: Power, hours: Hours, now: datetime, *, dry_run: bool) -> str:
    """Starts or stops a cluster by its hours, unless a person has touched it since, and returns a line about it.

    Raises:
        CommandError, AzError: it could not.
    """
    moment, run = hours.last_change(now)
    expected = "run" if run else "be stopped"
    since = f"since {moment.astimezone(hours.zone):%A %H:%M %Z}"
    cluster = switch.look()
    if not cluster.idle:
        return f"left: an operation is under way ({cluster.provisioning_state})"
    if cluster.running == run:
        return f"should {expected} {since}, and is so"
    touched = switch.azure.last_change(cluster, moment)
    if touched:
        when = touched.at.astimezone(hours.zone)
        operation = _PAST.get(touched.operation, "was changed")
        return f"left until the hours change: should {expected} {since}, but {operation} at {when:%H:%M %Z}"
    if dry_run:
        return f"would {'start' if run else 'stop'}: should {expected} {since}"
    switch.switch(run=run)
    return f"{'started' if run else 'stopped'}: should {expected} {since}"


def under_way(environment: Mapping[str, str]) -> bool:
    """Whether GitHub runs the workflow `up` now, which a stop would break half-way; no elsewhere.

    Raises:
        GitHubError: GitHub does not respond.
    """
    if not environment.get("GITHUB_TOKEN"):
        return False
    runs = GitHub.from_environment(environment).pages(
        "/actions/workflows/up.yml/runs", key="workflow_runs", status="in_progress"
    )
    return next(iter(runs), None) is not None


def run(
    stack: str,
    root: Path,
    *,
    dry_run: bool = False,
    poll: float = Power.poll,
    pulumi: Pulumi | None = None,
    azure: Aks | None = None,
    now: datetime | None = None,
) -> ExitCode:
    """Starts or stops one stack by its hours, and prints one line.

    Raises:
        CommandError: it could not be started or stopped by its hours.
    """
    with power.about(stack):
        switch = power.find_cluster_power(stack, root, pulumi, azure)
        if switch is None:
            result = "left: it has no cluster"
        elif switch.where.office_hours is None:
            result = "left: it has no officeHours"
        elif under_way(os.environ):
            result = "left: an `up` is under way"
        else:
            hours = Hours.of(switch.where.office_hours)
            switch = replace(switch, poll=poll)
            result = settle(switch, hours, now or datetime.now(UTC), dry_run=dry_run)
    print(f"{stack}: {result}")
    return ExitCode.GOOD
