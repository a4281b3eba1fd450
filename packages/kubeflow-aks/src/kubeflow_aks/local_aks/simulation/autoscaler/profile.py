"""The cluster-wide autoscaler profile: AKS's wire strings as values, with AKS's defaults."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"(?:[0-9.]+(?:ms|s|m|h))+")
_BOOLEANS: Final = {"true": True, "false": False}
EXPANDERS: Final = ("random", "least-waste", "most-pods", "priority")


@dataclass(frozen=True, kw_only=True)
class Profile:
    """`autoScalerProfile` (cluster-autoscaler.md, "profile settings"); durations in seconds.

    The two `daemonset-eviction` switches and `balance-similar-node-groups` have no field: they don't change
    what this simulation decides, the last because it is not simulated.
    """

    scan_interval: float = 10
    scale_down_delay_after_add: float = 600
    scale_down_delay_after_delete: float = 10
    scale_down_delay_after_failure: float = 180
    scale_down_unneeded_time: float = 600
    scale_down_unready_time: float = 1200
    scale_down_utilization_threshold: float = 0.5
    ignore_daemonsets_utilization: bool = False
    max_graceful_termination: float = 600
    max_empty_bulk_delete: int = 10
    max_node_provision_time: float = 900
    max_total_unready_percentage: float = 45
    ok_total_unready_count: int = 3
    new_pod_scale_up_delay: float = 0
    skip_nodes_with_local_storage: bool = False
    skip_nodes_with_system_pods: bool = True
    expander: str = "random"

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> "Profile":
        """Read a profile as Azure holds it: `{"maxNodeProvisionTime": "15m", "expander": "priority", …}`.

        Raises:
            ValueError: a value is not of its setting's kind; the message names the setting.
        """
        values: dict[str, Any] = {}
        for name, (field, convert) in _WIRE.items():
            if wire.get(name) not in (None, ""):
                try:
                    values[field] = convert(str(wire[name]))
                except (ValueError, KeyError):
                    raise ValueError(f"autoScalerProfile.{name}: {wire[name]!r} is not valid") from None
        values.setdefault("scale_down_delay_after_delete", values.get("scan_interval", cls.scan_interval))
        return cls(**values)


def seconds(text: str) -> float:
    """A Go duration ("90s", "1h30m") in seconds.

    Raises:
        ValueError: the text is not a Go duration.
    """
    if text == "0":
        return 0.0
    if not _DURATION.fullmatch(text):
        raise ValueError(f"{text!r} is not a duration such as 10s or 15m")
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"([0-9.]+)(ms|s|m|h)", text))


def _boolean(text: str) -> bool:
    return _BOOLEANS[text.lower()]


def _expander(text: str) -> str:
    if text not in EXPANDERS:
        raise ValueError(text)
    return text


_WIRE: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    "scanInterval": ("scan_interval", seconds),
    "scaleDownDelayAfterAdd": ("scale_down_delay_after_add", seconds),
    "scaleDownDelayAfterDelete": ("scale_down_delay_after_delete", seconds),
    "scaleDownDelayAfterFailure": ("scale_down_delay_after_failure", seconds),
    "scaleDownUnneededTime": ("scale_down_unneeded_time", seconds),
    "scaleDownUnreadyTime": ("scale_down_unready_time", seconds),
    "scaleDownUtilizationThreshold": ("scale_down_utilization_threshold", float),
    "ignoreDaemonsetsUtilization": ("ignore_daemonsets_utilization", _boolean),
    "maxGracefulTerminationSec": ("max_graceful_termination", float),
    "maxEmptyBulkDelete": ("max_empty_bulk_delete", int),
    "maxNodeProvisionTime": ("max_node_provision_time", seconds),
    "maxTotalUnreadyPercentage": ("max_total_unready_percentage", float),
    "okTotalUnreadyCount": ("ok_total_unready_count", int),
    "newPodScaleUpDelay": ("new_pod_scale_up_delay", seconds),
    "skipNodesWithLocalStorage": ("skip_nodes_with_local_storage", _boolean),
    "skipNodesWithSystemPods": ("skip_nodes_with_system_pods", _boolean),
    "expander": ("expander", _expander),
}
