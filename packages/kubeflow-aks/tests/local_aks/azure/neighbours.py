"""Requests that Azure refuses, each beside the nearest one that it takes."""

from typing import Any, NamedTuple

from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    LOCATION,
    VNET_ID,
    Json,
    group,
    pool_id,
    spot_pool,
    user_pool,
)
from neighbour_clusters import CLUSTERS

from kubeflow_aks.local_aks.azure.state import AGENT_POOL, DIAGNOSTIC_SETTING, MANAGED_CLUSTER
from kubeflow_aks.local_aks.azure.types import (
    LOG_WORKSPACE,
    PUBLIC_IP,
    REGISTRY,
    RESOURCE_GROUP,
    STORAGE_ACCOUNT,
    SUBNET,
    VIRTUAL_NETWORK,
)

SYSTEM = {"mode": "System", "count": 1}


def _upgraded(**upgrade: Any) -> Json:
    return user_pool(upgradeSettings=upgrade)


POOLS: list[tuple[str, Json, str, Json]] = [
    (
        "label-of-aks",
        user_pool(nodeLabels={"node.kubernetes.io/instance-type": "big"}),
        "node.kubernetes.io/instance-type",
        user_pool(nodeLabels={"node.kubernetes.io/purpose": "big"}),
    ),
    (
        "label-syntax",
        user_pool(nodeLabels={f"{'d' * 64}.example/team": "a"}),
        "no Kubernetes label",
        user_pool(nodeLabels={f"{'d' * 63}.example/team": "a"}),
    ),
    (
        "label-syntax",
        user_pool(nodeLabels={"a..b/team": "a"}),
        "a..b/team",
        user_pool(nodeLabels={"a.b/team": "a"}),
    ),
    (
        "label-syntax",
        user_pool(nodeLabels={f"{'a.' * 126}bc/team": "a"}),
        "no Kubernetes label",
        user_pool(nodeLabels={f"{'a.' * 126}b/team": "a"}),
    ),
    (
        "taint-syntax",
        user_pool(nodeTaints=[f"{'d' * 64}.example/team=a:NoSchedule"]),
        "key=value:Effect",
        user_pool(nodeTaints=[f"{'d' * 63}.example/team=a:NoSchedule"]),
    ),
    (
        "taint-repeated",
        user_pool(nodeTaints=["app=a:NoSchedule", "app=b:NoSchedule"]),
        "occur twice",
        user_pool(nodeTaints=["app=a:NoSchedule", "app=b:NoExecute"]),
    ),
    (
        "taint-of-system-pool",
        user_pool(**SYSTEM, nodeTaints=["team=a:NoSchedule"]),
        "except 'CriticalAddonsOnly'",
        user_pool(**SYSTEM, nodeTaints=["CriticalAddonsOnly=true:NoSchedule", "team=a:PreferNoSchedule"]),
    ),
    (
        "spot-vm-size",
        spot_pool(vmSize="Standard_ND96asr_v4"),
        "ND96asr_v4",
        spot_pool(vmSize="Standard_B4as_v2"),
    ),
    (
        "encryption-at-host-size",
        user_pool(vmSize="Standard_D8_v3", enableEncryptionAtHost=True),
        "'Standard_D8_v3' does not support",
        user_pool(vmSize="Standard_D8s_v3", enableEncryptionAtHost=True),
    ),
    (
        "surge-or-unavailable",
        _upgraded(maxSurge="0"),
        "above 0 when maxUnavailable is 0",
        _upgraded(maxSurge="0", maxUnavailable="1"),
    ),
    (
        "surge-and-unavailable",
        _upgraded(maxSurge="1", maxUnavailable="50%"),
        "must be 0 when maxSurge",
        _upgraded(maxSurge="33%", maxUnavailable="0"),
    ),
    (
        "drain-timeout",
        _upgraded(drainTimeoutInMinutes=4),
        "4 is below 5 minutes",
        _upgraded(drainTimeoutInMinutes=5),
    ),
    ("max-pods", user_pool(maxPods=9), "9 is not between 10 and 250", user_pool(maxPods=10)),
]
"""The same of new agent pools."""

_MAINTENANCE = "azure-native:containerservice:MaintenanceConfiguration"
_WEEKLY = {"weekly": {"intervalWeeks": 1, "dayOfWeek": "Friday"}}
_DAILY = {"daily": {"intervalDays": 1}}
_WINDOWS = f"{CLUSTER_ID}/maintenanceConfigurations"
_NODES = f"{_WINDOWS}/aksManagedNodeOSUpgradeSchedule"
_ADDRESS = f"{GROUP_ID}/providers/Microsoft.Network/publicIPAddresses/ingress"
_ACCOUNT = f"{GROUP_ID}/providers/Microsoft.Storage/storageAccounts/datastore"
_IMAGES = f"{GROUP_ID}/providers/Microsoft.ContainerRegistry/registries/images"
_WORKSPACE = f"{GROUP_ID}/providers/Microsoft.OperationalInsights/workspaces/logs"
_LOGS = f"{CLUSTER_ID}/providers/Microsoft.Insights/diagnosticSettings/logs"
_HUB = f"{GROUP_ID.replace('kubeflow', 'hub')}/providers/Microsoft.OperationalInsights/workspaces/hub-logs"
_OTHER_NETWORK = f"{VNET_ID}2"


def _window(**changes: Any) -> Json:
    window = {"durationHours": 4, "startTime": "00:00", "utcOffset": "+00:00", "schedule": _WEEKLY}
    return {"maintenanceWindow": window | changes}


def _tags(tags: dict[str, str]) -> Json:
    return group() | {"tags": tags}


def _account(tag: str) -> Json:
    return {"location": LOCATION, "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "tags": {tag: ""}}


def _space(*prefixes: str) -> Json:
    return {"location": LOCATION, "addressSpace": {"addressPrefixes": list(prefixes)}}


def _labelled(label: str) -> Json:
    return {"location": LOCATION, "dnsSettings": {"domainNameLabel": label}}


def _registry(tier: str = "Premium", **changes: Any) -> Json:
    return {"location": LOCATION, "sku": {"name": tier}, **changes}


def _kept(days: int) -> Json:
    return {"policies": {"retentionPolicy": {"status": "enabled", "days": days}}}


def _fenced(*ranges: str) -> Json:
    rules = [{"action": "Allow", "iPAddressOrRange": text} for text in ranges]
    return {"networkRuleSet": {"defaultAction": "Deny", "ipRules": rules}}


def _collected(*categories: str, **changes: Any) -> Json:
    logs = [{"category": category, "enabled": True} for category in categories]
    return {"workspaceId": _HUB, "logs": logs, **changes}


def _keeping(days: int) -> Json:
    return {"location": LOCATION, "sku": {"name": "PerGB2018"}, "retentionInDays": days}


RESOURCES: list[tuple[str, str, str, Json, str, Json]] = [
    (
        "tags-number",
        RESOURCE_GROUP,
        GROUP_ID,
        _tags({f"t{i}": "" for i in range(51)}),
        "51 tags",
        _tags({f"t{i}": "" for i in range(50)}),
    ),
    (
        "tag-name",
        RESOURCE_GROUP,
        GROUP_ID,
        _tags({"cost/centre": "1"}),
        "'cost/centre'",
        _tags({"cost.centre": "1"}),
    ),
    ("tag-name", RESOURCE_GROUP, GROUP_ID, _tags({"": "1"}), "''", _tags({" ": "1"})),
    ("tag-name", RESOURCE_GROUP, GROUP_ID, _tags({"n" * 513: "1"}), "512", _tags({"n" * 512: "1"})),
    ("tag-name", STORAGE_ACCOUNT, _ACCOUNT, _account("n" * 129), "1 to 128", _account("n" * 128)),
    ("tag-value", RESOURCE_GROUP, GROUP_ID, _tags({"n": "v" * 257}), "'n'", _tags({"n": "v" * 256})),
    (
        "diagnostic-sink",
        DIAGNOSTIC_SETTING,
        _LOGS,
        _collected("guard", workspaceId=None),
        "at least one destination",
        _collected("guard"),
    ),
    (
        "diagnostic-category",
        DIAGNOSTIC_SETTING,
        _LOGS,
        _collected("guard", "kube-audit-admins"),
        "Category 'kube-audit-admins' is not supported.",
        _collected("guard", "kube-audit-admin"),
    ),
    ("workspace-retention", LOG_WORKSPACE, _WORKSPACE, _keeping(29), "retention is invalid", _keeping(30)),
    ("workspace-retention", LOG_WORKSPACE, _WORKSPACE, _keeping(731), "retention is invalid", _keeping(730)),
    (
        "registry-premium",
        REGISTRY,
        _IMAGES,
        _registry("Standard", **_kept(30)),
        "SKU Standard of a registry does not support a retention policy",
        _registry(**_kept(30)),
    ),
    (
        "registry-premium",
        REGISTRY,
        _IMAGES,
        _registry("Basic", **_fenced("20.1.2.0/24")),
        "network rules",
        _registry("Basic", networkRuleSet={"defaultAction": "Allow"}),
    ),
    ("registry-retention-days", REGISTRY, _IMAGES, _registry(**_kept(366)), "366", _registry(**_kept(365))),
    (
        "registry-rule-form",
        REGISTRY,
        _IMAGES,
        _registry(**_fenced("2001:db8::/32")),
        "'2001:db8::/32' is no IPv4 address",
        _registry(**_fenced("20.1.2.3")),
    ),
    (
        "registry-rules-number",
        REGISTRY,
        _IMAGES,
        _registry(**_fenced(*(f"20.0.0.{i}" for i in range(101)))),
        "at most 100",
        _registry(**_fenced(*(f"20.0.0.{i}" for i in range(100)))),
    ),
    (
        "domain-label-form",
        PUBLIC_IP,
        _ADDRESS,
        _labelled("9kubeflow"),
        "label 9kubeflow",
        _labelled("k9kubeflow"),
    ),
    ("domain-label-form", PUBLIC_IP, _ADDRESS, _labelled("k" * 64), "{1,61}", _labelled("k" * 63)),
    (
        "maintenance-start",
        _MAINTENANCE,
        _NODES,
        _window(startTime="24:00"),
        "'24:00'",
        _window(startTime="23:59"),
    ),
    (
        "maintenance-offset",
        _MAINTENANCE,
        _NODES,
        _window(utcOffset="+14:01"),
        "'+14:01'",
        _window(utcOffset="+14:00"),
    ),
    (
        "maintenance-offset",
        _MAINTENANCE,
        _NODES,
        _window(utcOffset="-12:01"),
        "'-12:01'",
        _window(utcOffset="-12:00"),
    ),
    (
        "maintenance-offset",
        _MAINTENANCE,
        _NODES,
        _window(utcOffset="+1:00"),
        "'+1:00'",
        _window(utcOffset="+01:00"),
    ),
    (
        "maintenance-schedule",
        _MAINTENANCE,
        _NODES,
        _window(schedule=_WEEKLY | _DAILY),
        "has 2",
        _window(schedule=_DAILY),
    ),
    (
        "maintenance-weekly",
        _MAINTENANCE,
        f"{_WINDOWS}/default",
        _window(schedule=_DAILY),
        "weekly",
        _window(),
    ),
    (
        "address-prefix-form",
        VIRTUAL_NETWORK,
        _OTHER_NETWORK,
        _space("10.0.0.0"),
        "Address prefix 10.0.0.0 of",
        _space("10.0.0.0/16"),
    ),
    (
        "address-prefix-form",
        SUBNET,
        f"{VNET_ID}/subnets/a",
        {"addressPrefix": "10.0"},
        "Address prefix 10.0 of",
        {"addressPrefix": "10.0.0.0/28"},
    ),
    (
        "address-space-allowed",
        VIRTUAL_NETWORK,
        _OTHER_NETWORK,
        _space("10.0.0.0/8", "168.63.129.0/24"),
        "168.63.129.16/32",
        _space("10.0.0.0/8", "168.63.128.0/24"),
    ),
    (
        "address-space-allowed",
        VIRTUAL_NETWORK,
        _OTHER_NETWORK,
        _space("239.0.0.0/16"),
        "224.0.0.0/4",
        _space("11.0.0.0/16"),
    ),
    (
        "subnet-size",
        SUBNET,
        f"{VNET_ID}/subnets/a",
        {"addressPrefix": "10.0.0.0/30"},
        "smaller than /29",
        {"addressPrefix": "10.0.0.0/29"},
    ),
]
"""The same of any resource, with its type and id."""


class Pair(NamedTuple):
    """Two requests for the same resource."""

    rule: str
    bad: Json
    words: str
    good: Json
    token: str = MANAGED_CLUSTER
    arm_id: str = f"{CLUSTER_ID}2"


PAIRS = [
    *(Pair(*row) for row in CLUSTERS),
    *(Pair(*row, AGENT_POOL, pool_id("work")) for row in POOLS),
    *(Pair(rule, bad, words, good, token, arm_id) for rule, token, arm_id, bad, words, good in RESOURCES),
]
