"""Rules of the hours in which a stack runs (`officeHours`; docs/facts/aks.md#stopping-and-starting)."""

import zoneinfo
from collections.abc import Iterator
from functools import cache

from components.arguments.mistakes import Mistake
from program.planning.office_hours import hours_a_day
from program.settings import Settings


@cache
def _time_zones() -> set[str]:
    """Names in the machine's database, a walk through its six hundred files."""
    return zoneinfo.available_timezones()


def office_hour_problems(settings: Settings) -> Iterator[Mistake]:
    """There is at least one day, it ends after it starts, and its time zone exists."""
    hours = settings.office_hours
    if hours is None:
        return
    zones = _time_zones()
    if zones and hours.time_zone not in zones:  # a machine without the database knows none
        meant = next((name for name in sorted(zones) if name.casefold() == hours.time_zone.casefold()), None)
        expected = f"the spelling {meant}" if meant else "a name of the IANA database, like Europe/London"
        yield Mistake("officeHours.timeZone", hours.time_zone, expected)
    if not hours.days:
        yield Mistake(
            "officeHours.days", [], "at least one day; leave officeHours out for a stack that always runs"
        )
    if hours_a_day(hours) <= 0:
        yield Mistake(
            "officeHours.to", hours.closes, f"a time after officeHours.from, {hours.opens}, on the same day"
        )


def office_hour_warnings(settings: Settings) -> Iterator[str]:
    """A region that is short of VMs may not start a stopped cluster again (start-stop-cluster.md)."""
    if settings.office_hours and settings.production:
        yield (
            "officeHours is set in production: the cluster is stopped outside them, and Azure may lack the VMs to "
            "start it again; leave officeHours out"
        )
