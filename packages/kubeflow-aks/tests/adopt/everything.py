"""A cluster with every property that azure-native's SDK has of a cluster, of a pool and of a maintenance window."""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from pulumi import _types  # pyright: ignore[reportPrivateUsage]

from kubeflow_aks.json_values import is_mapping
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER
from kubeflow_aks.recorder import sdk_types
from tests.adopt.published import MAINTENANCE, TABLE, Published

_LEFT_OUT: Final = {
    "agentPoolName", "agentPoolProfiles", "configName", "resourceGroupName", "resourceName",  # the place
    "adminPassword", "secret", "serverAppSecret",  # never shown
    "clientAppID", "serverAppID",  # sign-in of the old kind, which is refused
    "absoluteMonthly", "daily", "relativeMonthly",  # a schedule is of one kind
    "userAssignedIdentities",  # instead of the cluster's own
}  # fmt: skip
_GROUP: Final = "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers"
_POOL: Final = {
    "availabilityZones": ["1"],
    "capacityReservationGroupID": f"{_GROUP}/Microsoft.Compute/capacityReservationGroups/reserved",
    "count": 2,
    "gpuInstanceProfile": None,  # of GPUs alone, as is the next
    "gpuProfile": None,
    "maxCount": 3,
    "maxPods": 110,
    "minCount": 2,
    "orchestratorVersion": "1.34",
    "osDiskSizeGB": 128,
    "subnet": "nodes",
    "tags": {"team": "a"},
    "upgradeSettings": {
        "drainTimeoutInMinutes": 30,
        "maxSurge": "33%",
        "maxUnavailable": "0",
        "nodeSoakDurationInMinutes": 5,
    },
    "vmSize": "Standard_D8s_v5",
}
"""Values that the program takes, where it has settings."""
_ON_DEMAND: Final = {"scaleSetPriority": "Regular", "scaleSetEvictionPolicy": None, "spotMaxPrice": None}
SPOT_TAINT: Final = "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"
_SPOT: Final = {
    "scaleSetPriority": "Spot",
    "scaleSetEvictionPolicy": "Delete",
    "upgradeSettings": None,
    "capacityReservationGroupID": None,
    "nodeLabels": {"kubernetes.azure.com/scalesetpriority": "spot"},
}
_CLUSTER: Final[Mapping[str, Any]] = {
    "aadProfile": {"adminGroupObjectIDs": ["1f7ae3c0-5b1d-4b8e-9c0a-2d6f3e8b7a51"]},
    "apiServerAccessProfile": {"authorizedIPRanges": None, "privateDNSZone": "system", "subnetId": None},
    "autoScalerProfile": {
        **TABLE["adopted"]["spec-update"]["cluster"]["autoScalerProfile"],
        "maxEmptyBulkDelete": "5",
        "maxGracefulTerminationSec": "300",
        "maxTotalUnreadyPercentage": "30",
        "okTotalUnreadyCount": "1",
        "scaleDownDelayAfterDelete": "20s",
        "scaleDownDelayAfterFailure": "5m",
        "scaleDownUnneededTime": "5m",
        "scaleDownUnreadyTime": "5m",
        "scaleDownUtilizationThreshold": "0.4",
        "skipNodesWithLocalStorage": "true",
    },
    "disableLocalAccounts": False,
    "dnsPrefix": "everything",
    "fqdnSubdomain": None,
    "identity": {"type": "SystemAssigned"},
    "kubernetesVersion": "1.34",
    "linuxProfile": TABLE["adopted"]["avm-default"]["cluster"]["linuxProfile"],
    "location": "westeurope",
    "networkProfile": {
        "dnsServiceIP": "10.0.0.10",
        "loadBalancerProfile": {"idleTimeoutInMinutes": 4},
        "natGatewayProfile": {"idleTimeoutInMinutes": 4},
        "podCidr": "10.244.0.0/16",
        "podCidrs": ["10.244.0.0/16"],
        "serviceCidr": "10.0.0.0/16",
        "serviceCidrs": ["10.0.0.0/16"],
    },
    "nodeResourceGroup": "MC_everything",
    "securityProfile": {"imageCleaner": {"intervalHours": 48}},
    "servicePrincipalProfile": {"clientId": "msi"},
    "sku": {"name": "Base", "tier": "Standard"},
    "supportPlan": "KubernetesOfficial",
}
_WINDOW: Final = {"maintenanceWindow": {"durationHours": 4, "startTime": "22:00", "utcOffset": "+00:00"}}


def _filled(token: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
    return _merged(_made(sdk_types.hints(sdk_types.input_class(token))), chosen)


def _merged(made: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        name: _merged(made[name], value) if is_mapping(value) and name in made else value
        for name, value in chosen.items()
    }
    return {name: value for name, value in {**made, **both}.items() if value is not None}


def _made(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(hint) for name, hint in fields.items() if name not in _LEFT_OUT}


def _value(hint: Any) -> Any:
    """A value of that type, nothing in it left out."""
    for arm in (arms := list(sdk_types.arms(hint))):
        origin: Any = typing.get_origin(arm)
        if inspect.isclass(arm) and _types.is_input_type(arm) and not issubclass(arm, dict):
            return _made(sdk_types.hints(arm))
        if inspect.isclass(origin) and issubclass(origin, Mapping | Sequence):
            value = _value(typing.get_args(arm)[-1])
            return {"key": value} if issubclass(origin, Mapping) else [value]
        if isinstance(arm, enum.EnumMeta):
            return next(iter(cast(type[enum.Enum], arm))).value
    return {bool: True, int: 1, float: 1.0}.get(arms[0], "text")


def _pool(name: str, mode: str, taint: str, **chosen: Any) -> dict[str, Any]:
    return {"name": name, **_filled(AGENT_POOL, {**_POOL, "mode": mode, "nodeTaints": [taint], **chosen})}


EVERYTHING: Final = Published(
    "everything",
    {
        "cluster": _filled(MANAGED_CLUSTER, _CLUSTER),
        "network": {"nodes": "10.1.0.0/24"},
        "pools": [
            _pool("sys", "System", "CriticalAddonsOnly=true:NoSchedule", **_ON_DEMAND),
            _pool("batch", "User", "team=a:NoSchedule", **_ON_DEMAND),
            _pool("spot", "User", SPOT_TAINT, **_SPOT),
        ],
        "windows": {
            name: _filled(MAINTENANCE, _WINDOW)
            for name in ("aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule")
        },
        "managed": ["sys", "batch", "spot"],
    },
)
"""It, as one of the published clusters."""
