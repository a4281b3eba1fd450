"""`python -m delivery.office_hours STACK`: stops and starts a stack's cluster by the setting `officeHours`.

Called every hour or so, however late: what counts is the last time at which the hours began or ended. Whoever starts,
stops or changes the cluster after that is right until the next such time, so nobody who works late is stopped twice.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from delivery import power
from delivery.azure_cli import Azure, AzureError
from delivery.github import GitHub, GitHubError
from delivery.power import Power, PowerError
from delivery.pulumi_cli import Pulumi, PulumiError
from revisions.repository import is_stack_name

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEK: Final = 8
"""Days to look back: whatever the time of day, a weekday comes round within them."""


class HoursError(Exception):
    """Office hours that can't be read; the text is one line for the user."""


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
            HoursError: they have another form than expected.
        """
        try:
            return cls(
                days=frozenset(_DAYS.index(day) for day in value["days"]),
                begin=time.fromisoformat(value["from"]),
                end=time.fromisoformat(value["to"]),
                zone=ZoneInfo(value["timeZone"]),
            )
        except (LookupError, TypeError, ValueError, OSError) as error:
            raise HoursError(f"officeHours have another form than expected: {error}") from error

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
    """Brings a cluster to what its hours say, unless somebody has asked for something else since.

    Returns:
        What it did or left, one line.

    Raises:
        PowerError, AzureError: it could not.
    """
    moment, run = hours.last_change(now)
    wanted = "run" if run else "be stopped"
    since = f"since {moment.astimezone(hours.zone):%A %H:%M %Z}"
    cluster = switch.look()
    if not cluster.idle:
        return f"left: an operation is under way ({cluster.doing})"
    if cluster.runs == run:
        return f"should {wanted} {since}, and is so"
    touched = switch.azure.last_change(cluster, moment)
    if touched:
        when = touched.at.astimezone(hours.zone)
        return f"left until the hours change: should {wanted} {since}, but {_told(touched.what)} at {when:%H:%M %Z}"
    if dry_run:
        return f"would {'start' if run else 'stop'}: should {wanted} {since}"
    if run:
        switch.start()
    else:
        switch.stop()
    return f"{'started' if run else 'stopped'}: should {wanted} {since}"


def _told(what: str) -> str:
    return {"start/action": "was started", "stop/action": "was stopped"}.get(what, "was changed")


def under_way(environment: Mapping[str, str]) -> bool:
    """Whether GitHub runs the workflow `up` now, which a stop would break half-way; no elsewhere.

    Raises:
        GitHubError: GitHub does not tell.
    """
    if not environment.get("GITHUB_TOKEN"):
        return False
    runs = GitHub.from_environment(environment).pages(
        "/actions/workflows/up.yml/runs", key="workflow_runs", status="in_progress"
    )
    return next(iter(runs), None) is not None


def main(
    arguments: Sequence[str] | None = None,
    pulumi: Pulumi | None = None,
    azure: Azure | None = None,
    now: datetime | None = None,
) -> int:
    """Looks at one stack and prints one line.

    Returns:
        0; 1 where it could not be brought to what its hours say.
    """
    parser = argparse.ArgumentParser(
        prog="python -m delivery.office_hours", description="A cluster's office hours."
    )
    parser.add_argument("stack")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--poll", type=float, default=Power.poll, help="seconds between two looks")
    options = parser.parse_args(arguments)
    if not is_stack_name(options.stack):
        parser.error(f"{options.stack!a} is no stack's name")
    try:
        switch = power.of(options.stack, pulumi or Pulumi(Path.cwd()), azure or Azure())
        if switch is None:
            said = "left: it has no cluster"
        elif switch.where.office_hours is None:
            said = "left: it has no officeHours"
        elif under_way(os.environ):
            said = "left: an `up` is under way"
        else:
            hours = Hours.of(switch.where.office_hours)
            switch = replace(switch, poll=options.poll)
            said = settle(switch, hours, now or datetime.now(UTC), dry_run=options.dry_run)
    except (HoursError, PowerError, AzureError, PulumiError, GitHubError, OSError) as error:
        print(f"error: {options.stack}: {' | '.join(str(error).splitlines())}", file=sys.stderr)
        return 1
    print(f"{options.stack}: {said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
