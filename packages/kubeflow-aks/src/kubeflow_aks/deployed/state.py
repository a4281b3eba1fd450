"""The cluster of a deployed stack, from the stack's state alone: no secret is decrypted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.clients.pulumi import Pulumi, PulumiError
from kubeflow_aks.json_values import is_mapping

_STACK: Final = "pulumi:pulumi:Stack"
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"


@dataclass(frozen=True)
class DeployedCluster:
    """The cluster of a stack.

    Attributes:
        group: its resource group.
        name: its name.
        production: setting `production`.
        office_hours: days, times and time zone of the setting `officeHours`; None if it is not set.
    """

    group: str
    name: str
    production: bool
    office_hours: Mapping[str, Any] | None


def read(pulumi: Pulumi, stack: str) -> DeployedCluster | None:
    """The cluster as it was deployed last; None if the stack has none.

    Raises:
        PulumiError: the state cannot be read.
    """
    try:
        resources: list[Mapping[str, Any]] = pulumi.state(stack).get("resources") or []
        by_type = {resource["type"]: resource for resource in resources}
        outputs: Mapping[str, Any] = by_type.get(_STACK, {}).get("outputs") or {}
        if _CLUSTER not in by_type or not {"clusterName", "resourceGroup"} <= set(outputs):
            return None
        basis: Any = outputs.get("costBasis")
        hours: Any = basis.get("officeHours") if is_mapping(basis) else None
        return DeployedCluster(
            group=str(outputs["resourceGroup"]),
            name=str(outputs["clusterName"]),
            production=is_mapping(basis) and basis.get("production") is True,
            office_hours=hours if is_mapping(hours) else None,
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise PulumiError("the state has an unexpected form") from error
