"""Rules of the hours in which a stack runs (`officeHours`; docs/facts/aks.md#stopping-and-starting)."""

import zoneinfo
from collections.abc import Iterator
from functools import cache

from components.arguments.mistakes import Mistake
from program.planning.office_hours import hours_a_day
from program.settings import HeadroomHours, OfficeHours, Settings


@cache
def _time_zones() -> set[str]:
    """Names in the machine's database, a walk through its six hundred files."""
    return zoneinfo.available_timezones()


def office_hour_problems(settings: Settings) -> Iterator[Mistake]:
    """Every broken rule of the hours in which the stack runs."""
    if settings.office_hours:
        yield from hour_problems("officeHours", settings.office_hours)


def hour_problems(key: str, hours: OfficeHours | HeadroomHours) -> Iterator[Mistake]:
    """There is at least one day, it ends after it starts, and its time zone exists.

    Args:
        key: path of the hours in a stack file.
        hours: of a week.
    """
    zones = _time_zones()
    if zones and hours.time_zone not in zones:  # a machine without the database knows none
        meant = next((name for name in sorted(zones) if name.casefold() == hours.time_zone.casefold()), None)
        expected = f"the spelling {meant}" if meant else "a name of the IANA database, like Europe/London"
        yield Mistake(f"{key}.timeZone", hours.time_zone, expected)
    if not hours.days:
        yield Mistake(f"{key}.days", [], f"at least one day; leave {key} out for all hours")
    if hours_a_day(hours) <= 0:
        yield Mistake(f"{key}.to", hours.closes, f"a time after {key}.from, {hours.opens}, on the same day")


def office_hour_warnings(settings: Settings) -> Iterator[str]:
    """A region that is short of VMs may not start a stopped cluster again (start-stop-cluster.md)."""
    if settings.office_hours and settings.production:
        yield (
            "officeHours is set in production: the cluster is stopped outside them, and Azure may lack the VMs to "
            "start it again; leave officeHours out"
        )
