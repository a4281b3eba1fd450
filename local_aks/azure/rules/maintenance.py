"""Rules of maintenance configurations (planned-maintenance.md; managedClusters.json 2025-09-01, MaintenanceWindow)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time, timedelta
from typing import Final

from local_aks.azure import arm
from local_aks.azure.rules.rule import ResourceRequest, Rule, invalid, when

_TYPE: Final = "azure-native:containerservice:MaintenanceConfiguration"
_NAMES: Final = ("default", "aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule")
_WEST, _EAST = timedelta(hours=-12), timedelta(hours=14)
"""The time zones of the world."""


def _name(request: ResourceRequest) -> Mapping[str, object] | None:
    wrong = request.type == _TYPE and request.name not in _NAMES
    return when(wrong, name=request.name, names=", ".join(_NAMES))


def _start(request: ResourceRequest) -> Mapping[str, object] | None:
    text = arm.at(request.body, "maintenanceWindow.startTime")
    if request.type != _TYPE or text is None:
        return None
    try:
        time.fromisoformat(text)
    except ValueError:
        return {"time": text}
    return None


def _offset(request: ResourceRequest) -> Mapping[str, object] | None:
    text = arm.at(request.body, "maintenanceWindow.utcOffset")
    if request.type != _TYPE or text is None:
        return None
    hours, minutes = map(int, text[1:].split(":"))
    offset = timedelta(hours=hours, minutes=minutes) * (-1 if text[0] == "-" else 1)
    return when(minutes > 59 or not _WEST <= offset <= _EAST, offset=text)  # noqa: PLR2004 - of an hour


def _schedules(request: ResourceRequest) -> list[str]:
    return sorted(arm.section(request.body, "maintenanceWindow.schedule"))


def _one_schedule(request: ResourceRequest) -> Mapping[str, object] | None:
    in_windows = request.type == _TYPE and "maintenanceWindow" in request.body
    return when(in_windows and len(_schedules(request)) != 1, number=len(_schedules(request)))


def _weekly(request: ResourceRequest) -> Mapping[str, object] | None:
    others = [kind for kind in _schedules(request) if kind != "weekly"]
    return when(request.type == _TYPE and request.name == "default" and bool(others))


MAINTENANCE_RULES: Final[tuple[Rule[ResourceRequest], ...]] = (
    Rule(
        id="maintenance-name",
        code="InvalidParameter",
        message="Maintenance configuration name '{name}' is not supported. Supported names are: {names}.",
        broken=_name,
        source="planned-maintenance.md (docs/facts/aks.md#kubernetes-versions)",
    ),
    Rule(
        id="maintenance-start",
        code="InvalidParameter",
        message=invalid("maintenanceWindow.startTime", "'{time}' is not between 00:00 and 23:59."),
        broken=_start,
        source="managedClusters.json 2025-09-01, startTime",
    ),
    Rule(
        id="maintenance-offset",
        code="InvalidParameter",
        message=invalid("maintenanceWindow.utcOffset", "'{offset}' is not between -12:00 and +14:00."),
        broken=_offset,
        source="managedClusters.json 2025-09-01, utcOffset",
    ),
    Rule(
        id="maintenance-schedule",
        code="InvalidParameter",
        message=invalid("maintenanceWindow.schedule", "It needs exactly one schedule and has {number}."),
        broken=_one_schedule,
        source='planned-maintenance.md, "Schedule types"; managedClusters.json 2025-09-01, Schedule',
    ),
    Rule(
        id="maintenance-weekly",
        code="InvalidParameter",
        message=invalid("maintenanceWindow.schedule", "Configuration default takes a weekly schedule only."),
        broken=_weekly,
        source='planned-maintenance.md, "Schedule types"',
    ),
)
