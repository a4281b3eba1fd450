"""The cluster-wide autoscaler profile: AKS's wire strings as values, with AKS's defaults."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"(?:[0-9.]+(?:ms|s|m|h))+")


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


_Duration = Annotated[
    float, BeforeValidator(lambda value: seconds(value) if isinstance(value, str) else value)
]


@dataclass(frozen=True, kw_only=True, config=ConfigDict(alias_generator=to_camel, populate_by_name=True))
class Profile:
    """`autoScalerProfile` (cluster-autoscaler.md, "profile settings"); durations in seconds.

    The two `daemonset-eviction` switches and `balance-similar-node-groups` have no field: they don't change
    what this simulation decides, the last because it is not simulated.
    """

    scan_interval: _Duration = 10
    scale_down_delay_after_add: _Duration = 600
    scale_down_delay_after_delete: _Duration = 10
    scale_down_delay_after_failure: _Duration = 180
    scale_down_unneeded_time: _Duration = 600
    scale_down_unready_time: _Duration = 1200
    scale_down_utilization_threshold: float = 0.5
    ignore_daemonsets_utilization: bool = False
    max_graceful_termination_sec: float = 600
    max_empty_bulk_delete: int = 10
    max_node_provision_time: _Duration = 900
    max_total_unready_percentage: float = 45
    ok_total_unready_count: int = 3
    new_pod_scale_up_delay: _Duration = 0
    skip_nodes_with_local_storage: bool = False
    skip_nodes_with_system_pods: bool = True
    expander: Literal["random", "least-waste", "most-pods", "priority"] = "random"

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> "Profile":
        """Read a profile as Azure holds it: `{"maxNodeProvisionTime": "15m", "expander": "priority", …}`.

        Raises:
            ValueError: a value is not of its setting's kind; the message names the setting.
        """
        values: dict[str, Any] = {name: str(value) for name, value in wire.items() if value not in (None, "")}
        if "scanInterval" in values:
            values.setdefault("scaleDownDelayAfterDelete", values["scanInterval"])
        try:
            return cls(**values)
        except ValidationError as error:
            name = str(error.errors()[0]["loc"][0])
            raise ValueError(f"autoScalerProfile.{name}: {wire[name]!r} is not valid") from None
