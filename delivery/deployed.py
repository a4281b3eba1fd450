"""What a deployed stack says of itself, from its state alone: no secret is decrypted for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from delivery.pulumi_cli import Pulumi, PulumiError
from pull_request.telling.reading import is_mapping

_STACK: Final = "pulumi:pulumi:Stack"
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"


@dataclass(frozen=True)
class Deployed:
    """A stack with a cluster.

    Attributes:
        group: the cluster's resource group.
        name: the cluster's name.
        production: whether it is one that people rely on (setting `production`).
        office_hours: days, times and time zone of the setting `officeHours`; None where there are none.
    """

    group: str
    name: str
    production: bool
    office_hours: Mapping[str, Any] | None


def read(pulumi: Pulumi, stack: str) -> Deployed | None:
    """A stack as it was deployed last; None for one that has no cluster.

    Raises:
        PulumiError: its state can't be read.
    """
    try:
        resources: list[Mapping[str, Any]] = pulumi.state(stack).get("resources") or []
        by_type = {resource["type"]: resource for resource in resources}
        outputs: Mapping[str, Any] = by_type.get(_STACK, {}).get("outputs") or {}
        if _CLUSTER not in by_type or not {"clusterName", "resourceGroup"} <= set(outputs):
            return None
        basis: Any = outputs.get("costBasis")
        hours: Any = basis.get("officeHours") if is_mapping(basis) else None
        return Deployed(
            group=str(outputs["resourceGroup"]),
            name=str(outputs["clusterName"]),
            production=is_mapping(basis) and basis.get("production") is True,
            office_hours=hours if is_mapping(hours) else None,
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise PulumiError("its state has another form than expected") from error
