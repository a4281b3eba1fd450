"""One edit at least for every setting, on the `demo` stack: the edits of `docs/change-matrix.md`."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import BaseModel

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.stack_files import read_stack
from program.settings import Settings, parse

STACK: Final = "demo"
_KEY: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
_GROUP: Final = "11111111-2222-3333-4444-555555555555"
_ELSEWHERE: Final = "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers"
_ROUTES: Final = f"{_ELSEWHERE}/Microsoft.Network/routeTables/r"
_SPOKE: Final = f"{_ELSEWHERE}/Microsoft.Network/virtualNetworks/spoke/subnets"
_ZONE: Final = f"{_ELSEWHERE}/Microsoft.Network/privateDnsZones/privatelink.westeurope.azmk8s.io"
_REGISTRY: Final = f"{_ELSEWHERE}/Microsoft.ContainerRegistry/registries/teamimages"
_RESERVED: Final = f"{_ELSEWHERE}/Microsoft.Compute/capacityReservationGroups/reserved"
_WORKSPACE: Final = f"{_ELSEWHERE}/Microsoft.OperationalInsights/workspaces/hub-logs"
_ALARM: Final = f"{_ELSEWHERE}/Microsoft.Insights/actionGroups/on-call"
_EXPORT: Final = {
    "monitoring.costExport.container": f"{_ELSEWHERE}/Microsoft.Storage/storageAccounts/exports"
    "/blobServices/default/containers/cost",
    "monitoring.costExport.startDate": "2026-12-01",
    "monitoring.costExport.type": "AmortizedCost",
}
_EXCEPTIONS: Final = ["10.244.0.0/16", "10.0.0.0/16", ".svc"]
_WORK: Final = {"training": {"pool": "cpuspot", "hoursPerMonth": 100, "stepHours": 5}}
_SMALL_POOL: Final = {"vmSize": "Standard_D4s_v5", "maxCount": 2, "taints": ["team=a:NoSchedule"]}


@dataclass(frozen=True, eq=False)
class Edit:
    """New values in a stack file, by path (`pools.cpuspot.maxCount`); None takes a value out.

    The first path is the setting that the edit is about; further ones are what it needs beside it.
    """

    values: Mapping[str, Any]

    @property
    def path(self) -> str:
        """The path of the setting that it is about."""
        return next(iter(self.values))

    @property
    def setting(self) -> str:
        """That path with `*` for names the user chooses."""
        for named in (
            "pools.",
            "vmSizes.",
            "workload.",
            "data.store.profiles.",
            "cost.pools.",
            "cost.prices.",
            "cost.commitments.",
        ):
            if self.path.startswith(named):
                _, _, rest = self.path.removeprefix(named).partition(".")
                return f"{named}*.{rest}" if rest else f"{named}*"
        return self.path

    @property
    def text(self) -> str:
        """What stands in the stack file instead, one `path: value` for each."""
        return ", ".join(f"{path}: {_shown(value)}" for path, value in self.values.items())

    def config(self) -> dict[str, Any]:
        """The top-level keys that change, as configuration."""
        edited = copy.deepcopy(BASE)
        for path, value in self.values.items():
            _set(edited, path.split("."), value)
        return {key: edited.get(key) for key in sorted({path.split(".")[0] for path in self.values})}


def settings(model: type[BaseModel] = Settings, prefix: str = "") -> Iterator[str]:
    """The path of every setting, `*` for names the user chooses."""
    for name, field in model.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        inner = _inner(field.annotation)
        if inner is None:
            yield path
        else:
            named = "*." if str(field.annotation).startswith("dict[") else ""
            yield from settings(inner, f"{path}.{named}")


def _inner(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((inner for part in get_args(annotation) if (inner := _inner(part))), None)


def _base() -> dict[str, Any]:
    """Every setting of the stack with its value."""
    config = read_stack(PROJECT_ROOT, STACK, {"workload": _WORK})
    settings = {key.removeprefix(f"{config.project}:"): _value(text) for key, text in config.values.items()}
    return parse(settings).model_dump(mode="json", by_alias=True, exclude_none=True)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _set(values: dict[str, Any], path: list[str], value: Any) -> None:
    *parents, last = path
    for step in parents:
        values = values.setdefault(step, {})
    if value is None:
        values.pop(last, None)
    else:
        values[last] = value


def _shown(value: Any) -> str:
    return "left out" if value is None else json.dumps(value)


BASE: Final = _base()
"""The stack's settings, defaults and some work filled in."""


def _one(path: str, value: Any) -> Edit:
    return Edit({path: value})


def _new(pool: str, size: str, old: str) -> Edit:
    """A pool that takes over from another one."""
    settings = {"replaces": old, "vmSize": size, "minCount": 2, "maxCount": 3}
    return Edit({f"pools.{pool}.{key}": value for key, value in settings.items()})


def _subnets(first: str) -> Edit:
    """All subnets of others, that of one role at the head."""
    roles = sorted(("system", "general", "cpu", "gpu"), key=lambda role: role != first)
    ids = {f"network.subnetIds.{role}": f"{_SPOKE}/nodes" for role in roles}
    return Edit({**ids, "network.vnetCidr": None, "network.subnets": None})


EDITS: Final = (
    _one("location", "northeurope"),
    _one("resourceGroup", "rg-ml-demo-weu-001"),
    _one("names.pattern", "<type>-ml-<stack>-weu-001"),
    _one("names.resourceGroup", "rg-ml"),
    _one("names.nodeResourceGroup", "rg-ml-nodes"),
    _one("names.cluster", "aks-ml"),
    _one("names.dnsPrefix", "ml"),
    _one("names.identity", "id-ml"),
    _one("names.virtualNetwork", "vnet-ml"),
    _one("names.subnets.system", "snet-system"),
    _one("names.subnets.general", "snet-general"),
    _one("names.subnets.cpu", "snet-cpu"),
    _one("names.subnets.gpu", "snet-gpu"),
    _one("names.natGateway", "ng-ml"),
    _one("names.outboundAddress", "pip-outbound-ml"),
    _one("names.ingressAddress", "pip-ingress-ml"),
    _one("names.registry", "crml"),
    _one("names.registry", "crmldemo001"),
    _one("names.storageAccount", "stmldemo001"),
    _one("names.logWorkspace", "log-ml"),
    _one("names.diagnosticSetting", "diag-ml"),
    _one("tags.owner", "data-science"),
    _one("tags.environment", "test"),
    _one("tags.project", "churn"),
    _one("protect", value=True),
    _one("production", value=True),
    _one("created", "2026-11-01"),
    Edit({"adopted": True, "created": "2026-11-01", "network.vnetCidr": None, "network.subnets": None}),
    _one("asOf", "2026-10-01"),
    _one("kubernetes.version", "1.33"),
    _one("kubernetes.version", "1.35"),
    _one("kubernetes.acceptUnvalidated", value=True),
    Edit(
        {
            "kubernetes.acceptUnvalidated": True,
            "kubernetes.version": "1.35",
            "kubernetes.upgradeChannel": "none",
        }
    ),
    _one("kubernetes.supportPlan", "KubernetesOfficial"),
    _one("kubernetes.tier", "Standard"),
    Edit({"kubernetes.tier": "Standard", "kubernetes.supportPlan": "KubernetesOfficial"}),
    _one("kubernetes.upgradeChannel", "none"),
    _one("kubernetes.nodeOsUpgradeChannel", "SecurityPatch"),
    _one("kubernetes.osSku", "Ubuntu2204"),
    _one("kubernetes.osSku", "Ubuntu2404"),
    _one("kubernetes.costAnalysis", value=True),
    _one("kubernetes.maintenance.day", "Sunday"),
    _one("kubernetes.maintenance.startTime", "23:30"),
    _one("kubernetes.maintenance.durationHours", 8),
    _one("kubernetes.maintenance.utcOffset", "+01:00"),
    _one("network.vnetCidr", "10.224.0.0/15"),
    _one("network.subnets.system", "10.224.2.0/24"),
    _one("network.subnets.general", "10.224.3.0/24"),
    _one("network.subnets.cpu", "10.224.12.0/22"),
    _one("network.subnets.gpu", "10.224.16.0/22"),
    *(_subnets(role) for role in ("system", "general", "cpu", "gpu")),
    Edit({"network.subnetIds.system": f"{_SPOKE}/nodes", "network.vnetCidr": None, "network.subnets": None}),
    _one("network.podCidr", "10.240.0.0/16"),
    _one("network.policy", "cilium"),
    _one("network.policy", "calico"),
    _one("network.serviceCidr", "10.1.0.0/16"),
    _one("network.outboundType", "userAssignedNATGateway"),
    _one("network.routeTableId", _ROUTES),
    _one("apiAccess.authorizedIpRanges", ["203.0.113.0/24"]),
    _one("apiAccess.privateCluster", value=True),
    _one("apiAccess.privateDnsZoneId", _ZONE),
    Edit({"apiAccess.privateDnsZoneId": _ZONE, "apiAccess.privateCluster": True}),
    Edit({"apiAccess.subnetId": f"{_SPOKE}/api", **_subnets("system").values}),
    _one("apiAccess.runCommand", value=False),
    _one("apiAccess.runCommand", value=True),
    _one("apiAccess.localAccounts", value=False),
    Edit({"apiAccess.localAccounts": False, "apiAccess.adminGroupObjectIds": [_GROUP]}),
    _one("apiAccess.adminGroupObjectIds", [_GROUP]),
    _one("apiAccess.kubeloginMode", "msi"),
    Edit({"ssh.publicKey": _KEY}),
    Edit({"ssh.adminUsername": "nodes", "ssh.publicKey": _KEY}),
    _one("registry.attach", _REGISTRY),
    _one("registry.sku", "Premium"),
    _one("registry.retentionDays", 30),
    Edit({"registry.retentionDays": 30, "registry.sku": "Premium"}),
    Edit({"registry.authorizedIpRanges": ["203.0.113.0/24"], "registry.sku": "Premium"}),
    _one("monitoring.logs", ["kube-audit-admin"]),
    Edit({"monitoring.workspace": _WORKSPACE, "monitoring.logs": ["kube-audit-admin"]}),
    Edit({"monitoring.retentionDays": 90, "monitoring.logs": ["kube-audit-admin"]}),
    *(Edit(dict(sorted(_EXPORT.items(), key=lambda item: item[0] != first))) for first in _EXPORT),
    _one("alerts.emails", ["platform@example.com"]),
    _one("alerts.webhooks", ["https://hooks.example.com/alerts"]),
    Edit({"alerts.fallbackHours": 12, "alerts.emails": ["platform@example.com"]}),
    Edit({"alerts.dashboard": True, "alerts.emails": ["platform@example.com"]}),
    _one("autoscaler.scanInterval", "20s"),
    _one("autoscaler.maxNodeProvisionTime", "5m"),
    _one("autoscaler.scaleDownDelayAfterAdd", "5m"),
    _one("autoscaler.scaleDownUnneededTime", "5m"),
    _one("autoscaler.scaleDownUtilizationThreshold", 0.6),
    _one("autoscaler.balanceSimilarNodeGroups", value=True),
    _one("autoscaler.skipNodesWithLocalStorage", value=False),
    _one("autoscaler.skipNodesWithSystemPods", value=False),
    _one("autoscaler.maxGracefulTerminationSec", 300),
    _one("autoscaler.scaleDownUnreadyTime", "5m"),
    _one("autoscaler.scaleDownDelayAfterDelete", "1m"),
    _one("autoscaler.scaleDownDelayAfterFailure", "5m"),
    _one("autoscaler.newPodScaleUpDelay", "30s"),
    _one("autoscaler.maxEmptyBulkDelete", 5),
    _one("autoscaler.maxTotalUnreadyPercentage", 60),
    _one("autoscaler.okTotalUnreadyCount", 5),
    _one("autoscaler.ignoreDaemonsetsUtilization", value=True),
    _one("autoscaler.daemonsetEvictionForEmptyNodes", value=True),
    _one("autoscaler.daemonsetEvictionForOccupiedNodes", value=False),
    _one("systemPool.name", "core"),
    _one("systemPool.vmSize", "Standard_D8s_v5"),
    _one("systemPool.minCount", 1),
    _one("systemPool.maxCount", 5),
    _one("systemPool.osDiskType", "Ephemeral"),
    _one("systemPool.osDiskGib", 256),
    _one("systemPool.maxPods", 60),
    _one("systemPool.zones", ["1", "2", "3"]),
    _one("systemPool.encryptionAtHost", value=True),
    _one("systemPool.tags", {"team": "platform"}),
    _one("systemPool.otherProperties", {"scaleDownMode": "Deallocate"}),
    _one("systemPool.upgrade.maxSurge", "33%"),
    _one("systemPool.upgrade.maxUnavailable", 1),
    _one("systemPool.upgrade.drainTimeoutMinutes", 60),
    _one("systemPool.upgrade.nodeSoakMinutes", 5),
    _one("systemPool.upgrade.undrainableNodeBehavior", "Cordon"),
    _one("pools.extra", _SMALL_POOL),
    _one("pools.gpuspot", value=None),
    _one("pools.general.vmSize", "Standard_D16s_v5"),
    _one("pools.cpuspot.vmSize", "Standard_D16ds_v5"),
    _one("pools.cpuspot.vmSize", "Standard_B8ms"),
    _one("pools.cpuspot.vmSizes", ["Standard_D8ds_v5", "Standard_D8ads_v5"]),
    _one("pools.general.vmSizes", ["Standard_D8s_v5", "Standard_D8as_v5"]),
    Edit({"pools.cpuspot.priority": "Regular", "pools.cpuspot.fallback": None}),
    Edit(
        {
            "pools.cpuspot.priority": "Regular",
            "pools.cpuspot.fallback": None,
            "pools.cpuspot.taints": ["b=c:NoSchedule"],
        }
    ),
    _one("pools.cpuspot.minCount", 1),
    _one("pools.gpuspot.minCount", 1),
    _one("pools.cpuspot.maxCount", 12),
    Edit({"pools.cpuspot.evictionPolicy": "Deallocate", "pools.cpuspot.osDisk.type": "Managed"}),
    _one("pools.cpuspot.maxPrice", 0.2),
    _one("pools.general.maxPrice", 0.2),
    _one("pools.cpuspot.workload", "batch"),
    _one("pools.cpuspot.tags", {"team": "a"}),
    _one("pools.cpuspot.labels", {"team": "a"}),
    _one("pools.cpuspot.labels", {"kubernetes.azure.com/mode": "system"}),
    _one("pools.cpuspot.taints", ["team=a:NoSchedule"]),
    _one("pools.cpuspot.osDisk.type", "Managed"),
    _one("pools.cpuspot.osDisk.sizeGib", 200),
    _one("pools.cpuspot.zones", ["1"]),
    _one("pools.cpuspot.maxPods", 60),
    _one("pools.cpuspot.encryptionAtHost", value=True),
    _one("pools.gpuspot.gpuInstanceProfile", "MIG1g"),
    Edit({"pools.gpuspot.gpuInstanceProfile": "MIG1g", "pools.gpuspot.vmSize": "Standard_NC24ads_A100_v4"}),
    _one("pools.gpuspot.gpuTimeSlices", 4),
    _one("pools.cpuspot.capacityReservationGroupId", _RESERVED),
    _one("pools.general.capacityReservationGroupId", _RESERVED),
    _one("pools.general.upgrade.maxSurge", 2),
    _one("pools.cpuspot.upgrade.maxUnavailable", 1),
    _one("pools.cpuspot.upgrade.drainTimeoutMinutes", 60),
    _one("pools.cpuspot.upgrade.nodeSoakMinutes", 5),
    _one("pools.cpuspot.upgrade.undrainableNodeBehavior", "Cordon"),
    _one("pools.cpuspot.fallback", value=None),
    _one("pools.cpuspot.fallback.maxCount", 6),
    _one("pools.cpuspot.fallback.vmSize", "Standard_D8s_v5"),
    _one("pools.cpuspot.fallback.vmSizes", ["Standard_D8ds_v5", "Standard_D8ads_v5"]),
    _one("pools.cpuspot.fallback.capacityReservationGroupId", _RESERVED),
    _one("pools.cpuspot.headroom.nodes", 2),
    _one("pools.cpuspot.headroom.nodes", 10),
    _one("pools.cpuspot.headroom.images", ["python:3.11-slim"]),
    _one("pools.cpuspot.headroom.hours.timeZone", "Europe/London"),
    *(
        Edit(
            {
                f"pools.cpuspot.headroom.hours.{key}": value,
                "pools.cpuspot.headroom.hours.timeZone": "Europe/London",
            }
        )
        for key, value in {"days": ["Monday"], "from": "08:00", "to": "18:00"}.items()
    ),
    _one("pools.cpuspot.replaces", "general"),
    _new("general2", "Standard_D16s_v5", "general"),
    _new("system2", "Standard_D8s_v5", "system"),
    *(
        _one(f"vmSizes.Standard_D8ds_v5.{key}", value)
        for key, value in {
            "vcpus": 10,
            "memoryGib": 30,
            "family": "standardOwnFamily",
            "architecture": "arm64",
            "ephemeralGib": 64,
            "premiumStorage": False,
            "spot": False,
            "encryptionAtHost": False,
            "retirement": "2027-01-01",
        }.items()
    ),
    *(
        _one(f"vmSizes.Standard_NC4as_T4_v3.{key}", value)
        for key, value in {"gpus": 2, "gpu": "NVIDIA L4", "gpuMemoryGib": 24, "mig": True}.items()
    ),
    _one("gpu.driver", "None"),
    Edit({"gpu.driver": "None", "gpu.plugin": "none"}),
    _one("gpu.plugin", "none"),
    _one("kubeflow.release", "1.10"),
    _one("kubeflow.release", "1.11"),
    _one("kubeflow.options.components", ["pipelines", "notebooks"]),
    _one("kubeflow.options.components", ["pipelines", "katib", "kserve", "notebooks", "mlflow", "trainer"]),
    _one("kubeflow.options.mesh", "ambient"),
    _one("kubeflow.options.auth", "iam"),
    _one("kubeflow.options.artifactsEndpoint", "https://s3.example.org"),
    Edit(
        {
            "kubeflow.options.sparkEndpoint": "https://s3.example.org",
            "kubeflow.options.components": ["pipelines", "spark"],
        }
    ),
    _one("kubeflow.options.bucket", "artifacts"),
    Edit(
        {"kubeflow.options.proxy": "http://proxy.example.org:3128", "kubeflow.options.noProxy": _EXCEPTIONS}
    ),
    _one("kubeflow.options.noProxy", ["10.0.0.0/8"]),
    *(
        Edit(
            {
                f"kubeflow.options.offers.{offer}": f"admin/cos.{offer}",
                **{f"kubeflow.options.offers.{other}": f"admin/cos.{other}" for other in others},
                "kubeflow.options.components": ["pipelines", "observability"],
            }
        )
        for offer, *others in (
            ("dashboards", "logging", "metrics"),
            ("logging", "dashboards", "metrics"),
            ("metrics", "dashboards", "logging"),
        )
    ),
    *(
        Edit(
            {
                f"kubeflow.options.offers.{offer}": f"admin/iam.{offer.lower()}",
                **{f"kubeflow.options.offers.{other}": f"admin/iam.{other.lower()}" for other in others},
                "kubeflow.options.auth": "iam",
                "kubeflow.options.mesh": "ambient",
            }
        )
        for offer, *others in (
            ("ingressConfig", "oauth", "caCertificate"),
            ("oauth", "ingressConfig", "caCertificate"),
            ("caCertificate", "ingressConfig", "oauth"),
        )
    ),
    _one("kubeflow.storageClass.name", "kubeflow"),
    _one("kubeflow.storageClass.sku", "Premium_ZRS"),
    _one("kubeflow.storageClass.reclaimPolicy", "Retain"),
    _one("kubeflow.dnsLabel", "team-kubeflow"),
    _one("kubeflow.inotify.enabled", value=False),
    _one("kubeflow.inotify.maxUserInstances", 2560),
    _one("kubeflow.inotify.maxUserWatches", 1310720),
    _one("kubeflow.guards", value=False),
    _one("kubeflow.evictionHandler", value=False),
    _one("kubeflow.onAdvisory", "ignore"),
    _one("kubeflow.onAdvisory", "cordon"),
    _one("kubeflow.returnToSpot", value=True),
    _one("kubeflow.argoRetries", value=True),
    _one("data.checkpoints.enabled", value=False),
    _one("data.checkpoints.name", "models"),
    _one("data.checkpoints.name", "managed-csi"),
    _one("data.checkpoints.sku", "Premium_ZRS"),
    _one("data.checkpoints.reclaimPolicy", "Delete"),
    _one("data.store.sku", "Premium_ZRS"),
    _one("data.store.softDeleteDays", 14),
    _one("data.store.profiles.team-a.serviceAccounts", ["default-editor"]),
    _one("workload.training.pool", "gpuspot"),
    _one("workload.training.pool", "nowhere"),
    _one("workload.training.hoursPerMonth", 200),
    _one("workload.training.stepHours", 10),
    _one("workload.training.checkpointMinutes", 30),
    _one("workload.training.checkpointWriteMinutes", 5),
    _one("workload.training.restartMinutes", 10),
    _one("workload.training.retries", 2),
    _one("workload.training.retryWaitMinutes", 1),
    _one("workload.training.deadlineHours", 12),
    _one("workload.training.stepsAtOnce", 4),
    _one("workload.training.nodesPerStep", 2),
    _one("workload.training.nodesPerStep", 1000),
    _one("workload.training.elastic", True),  # noqa: FBT003 - a setting's value
    _one("workload.training.headPool", "cpuod"),
    _one("workload.training.headPool", "gpuspot"),
    _one("workload.training.returnToSpot", value=True),
    _one("cost.model", "blog"),
    _one("cost.currency", "EUR"),
    _one("cost.evictionRate", "5-10"),
    _one("cost.evictionRate", 5),
    _one("cost.soldOutShare", 0.1),
    _one("cost.soldOutHours", 2),
    _one("cost.pools.cpuspot.evictionRate", 0.1),
    _one("cost.pools.cpuspot.soldOutShare", 0.1),
    _one("cost.pools.cpuspot.soldOutHours", 2),
    Edit({"cost.prices.Standard_D8ds_v5.onDemand": 0.4, "cost.prices.Standard_D8ds_v5.asOf": "2026-11-01"}),
    Edit({"cost.prices.Standard_D8ds_v5.spot": 0.1, "cost.prices.Standard_D8ds_v5.asOf": "2026-11-01"}),
    Edit({"cost.prices.Standard_D8ds_v5.asOf": "2026-11-01", "cost.prices.Standard_D8ds_v5.spot": 0.1}),
    *(
        Edit({f"cost.commitments.Standard_D4s_v5.{key}": value for key, value in (first, *others)})
        for first, *others in (
            (("vms", 2), ("hourly", 0.14), ("asOf", "2026-11-01")),
            (("hourly", 0.14), ("vms", 2), ("asOf", "2026-11-01")),
            (("asOf", "2026-11-01"), ("vms", 2), ("hourly", 0.14)),
        )
    ),
    _one("cost.usage.storedGib", 3000),
    _one("cost.usage.logsGib", 10),
    _one("cost.usage.outboundGib", 100),
    _one("budget.monthly", 900),
    Edit(
        {"budget.emails": ["platform@example.com"], "budget.monthly": 900, "budget.startDate": "2026-12-01"}
    ),
    Edit({"budget.actionGroups": [_ALARM], "budget.monthly": 900, "budget.startDate": "2026-12-01"}),
    Edit(
        {"budget.startDate": "2026-12-01", "budget.monthly": 900, "budget.emails": ["platform@example.com"]}
    ),
    _one("officeHours.timeZone", "Europe/London"),
    Edit({"officeHours.days": ["Monday"], "officeHours.timeZone": "Europe/London"}),
    Edit({"officeHours.from": "08:00", "officeHours.timeZone": "Europe/London"}),
    Edit({"officeHours.to": "18:00", "officeHours.timeZone": "Europe/London"}),
)
"""Every edit of the table, in the order of the settings."""

_OFFICIAL: Final = {"kubernetes.supportPlan": "KubernetesOfficial", "kubernetes.tier": "Standard"}


def _upgrade(version: str, **kubernetes: str) -> Edit:
    return Edit(
        {"kubernetes.version": version, **{f"kubernetes.{key}": to for key, to in kubernetes.items()}}
    )


UPGRADES: Final = (
    (_upgrade("1.32"), (_upgrade("1.33"), _upgrade("1.33", upgradeChannel="none"))),
    (
        _upgrade("1.32", upgradeChannel="none"),
        (
            _upgrade("1.33", upgradeChannel="none"),
            _upgrade("1.33"),
            _upgrade("1.34", upgradeChannel="none"),
            Edit({"kubernetes.version": "1.34", "kubernetes.upgradeChannel": "none", **_OFFICIAL}),
        ),
    ),
    (
        _upgrade("1.33", upgradeChannel="none"),
        (_upgrade("1.34", upgradeChannel="none"), _upgrade("1.32", upgradeChannel="none")),
    ),
    (_upgrade("1.34", upgradeChannel="none"), (_upgrade("1.34"),)),
)
"""Kubernetes settings of a stack, one after the other, and the edits that are tried on each."""
