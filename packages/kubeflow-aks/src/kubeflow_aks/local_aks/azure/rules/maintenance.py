"""Rules of maintenance configurations (planned-maintenance.md; managedClusters.json 2025-09-01, MaintenanceWindow)."""

import re
from collections.abc import Mapping
from typing import Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ResourceRequest, Rule, rules, when

_TYPE: Final = "azure-native:containerservice:MaintenanceConfiguration"
_NAMES: Final = ("default", "aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule")
_TIME: Final = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_OFFSET: Final = re.compile(r"([+-])(\d{2}):([0-5]\d)")
_WEST, _EAST = -12 * 60, 14 * 60
"""Minutes to the time zones farthest from UTC."""


def _name(request: ResourceRequest) -> Mapping[str, object] | None:
    wrong = request.type == _TYPE and request.name not in _NAMES
    return when(wrong, name=request.name, names=", ".join(_NAMES))


def _start(request: ResourceRequest) -> Mapping[str, object] | None:
    text = arm.at(request.body, "maintenanceWindow.startTime")
    return when(request.type == _TYPE and text is not None and not _TIME.fullmatch(text), time=text)


def _offset(request: ResourceRequest) -> Mapping[str, object] | None:
    text = arm.at(request.body, "maintenanceWindow.utcOffset")
    if request.type != _TYPE or text is None:
        return None
    match = _OFFSET.fullmatch(text)
    minutes = int(f"{match[1]}1") * (60 * int(match[2]) + int(match[3])) if match else _EAST + 1
    return when(not _WEST <= minutes <= _EAST, offset=text)


def _schedules(request: ResourceRequest) -> list[str]:
    return sorted(arm.section(request.body, "maintenanceWindow.schedule"))


def _one_schedule(request: ResourceRequest) -> Mapping[str, object] | None:
    in_windows = request.type == _TYPE and "maintenanceWindow" in request.body
    return when(in_windows and len(_schedules(request)) != 1, number=len(_schedules(request)))


def _weekly(request: ResourceRequest) -> Mapping[str, object] | None:
    others = [kind for kind in _schedules(request) if kind != "weekly"]
    return when(request.type == _TYPE and request.name == "default" and bool(others))


MAINTENANCE_RULES: Final[tuple[Rule[ResourceRequest], ...]] = rules(
    {
        "maintenance-name": _name,
        "maintenance-start": _start,
        "maintenance-offset": _offset,
        "maintenance-schedule": _one_schedule,
        "maintenance-weekly": _weekly,
    }
)
