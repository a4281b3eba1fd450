"""Varied stacks that the program takes: each has some of the settings that Azure judges, the same for one seed."""

from random import Random
from typing import Any

from neighbour_clusters import rsa_key

from tests.program.planning.small_stack import GENERAL

_SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000001"
_NETWORK = f"{_SUBSCRIPTION}/resourceGroups/hub/providers/Microsoft.Network"
_REGISTRY = f"{_SUBSCRIPTION}/resourceGroups/hub/providers/Microsoft.ContainerRegistry/registries/images"
_WORKSPACE = f"{_SUBSCRIPTION}/resourceGroups/hub/providers/Microsoft.OperationalInsights/workspaces/logs"
_GROUP = "8f6e3a52-6d56-4f0e-9a57-0d4c1f1c5f00"
_CPU = ("Standard_D8ds_v5", "Standard_D8s_v5", "Standard_D4s_v3", "Standard_F16s_v2")
_GPU = ("Standard_NC4as_T4_v3", "Standard_NC24ads_A100_v4")
_SPOT = "kubernetes.azure.com/scalesetpriority"


def varied(seed: int) -> dict[str, Any]:
    """Settings of one stack on top of those of the dev stack."""
    random = Random(seed)  # noqa: S311 - nothing secret
    network = _network(random)
    return {
        "location": random.choice(["westeurope", "eastus2", "uksouth"]),
        "tags": {"owner": "ml", "environment": "dev"}
        | _some(random, {"cost.centre": "4711", "K" * 128: "v" * 256}),
        "kubernetes": random.choice(
            [
                {},
                {"tier": "Standard", "supportPlan": "KubernetesOfficial"},
                {"tier": "Free", "supportPlan": "KubernetesOfficial"},
                {"version": "1.33"},
                {"version": "1.32", "upgradeChannel": "none"},
            ]
        )
        | {"maintenance": _maintenance(random)},
        "network": network,
        "apiAccess": _access(random, alone="outboundType" not in network),
        "ssh": {"publicKey": rsa_key(random.choice([2048, 3072, 4096]))},
        "registry": random.choice(
            [
                {},
                {"sku": "Premium", "retentionDays": random.choice([0, 365])},
                {"sku": "Premium", "authorizedIpRanges": [f"20.{i}.0.0/16" for i in range(99)]},
                {"attach": _REGISTRY},
            ]
        ),
        "monitoring": random.choice(
            [
                {},
                {"logs": ["kube-audit-admin", "guard"], "retentionDays": random.choice([30, 730])},
                {"logs": ["cluster-autoscaler"], "workspace": _WORKSPACE},
            ]
        ),
        "autoscaler": _some(
            random,
            {
                "scanInterval": random.choice(["10s", "60s"]),
                "maxNodeProvisionTime": random.choice(["5m", "15m"]),
                "scaleDownDelayAfterAdd": random.choice(["1m", "10m"]),
                "scaleDownUnneededTime": random.choice(["1m", "60m"]),
                "scaleDownUtilizationThreshold": random.choice([0, 0.35, 1]),
                "balanceSimilarNodeGroups": True,
                "maxGracefulTerminationSec": random.choice([0, 3600]),
            },
        ),
        "systemPool": _some(
            random,
            {
                "name": random.choice(["s", "systemsystem"]),
                "vmSize": random.choice(["Standard_D4s_v5", "Standard_D8s_v5"]),
                "maxCount": random.choice([2, 5]),
                "minCount": 2,
                "maxPods": random.choice([30, 250]),
                "zones": ["1", "2", "3"],
                "encryptionAtHost": True,
            },
        ),
        "pools": {"general": {**GENERAL, "maxCount": random.choice([2, 6])}} | _pools(random),
        "gpu": random.choice([{}, {"driver": "None", "plugin": "none"}]),
        "data": _data(random),
        "kubeflow": _some(random, {"dnsLabel": random.choice(["kfl", "k" * 63]), "guards": False}),
    }


def _some(random: Random, choices: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in choices.items() if random.random() < 0.5}


def _maintenance(random: Random) -> dict[str, Any]:
    return _some(
        random,
        {
            "day": "Sunday",
            "startTime": random.choice(["00:00", "23:59"]),
            "durationHours": random.choice([4, 24]),
            "utcOffset": random.choice(["-12:00", "+14:00", "+05:45"]),
        },
    )


def _network(random: Random) -> dict[str, Any]:
    ranges = random.choice(
        [
            {},
            {
                "vnetCidr": "192.168.0.0/16",
                "subnets": {
                    "system": "192.168.0.0/28",
                    "general": "192.168.0.16/28",
                    "cpu": "192.168.1.0/24",
                    "gpu": "192.168.2.0/24",
                },
                "podCidr": "100.64.0.0/10",
                "serviceCidr": "172.29.0.0/16",
            },
            {"podCidr": "172.16.0.0/14", "serviceCidr": "10.240.0.0/13", "vnetCidr": "10.224.0.0/12"},
        ]
    )
    way_out = random.choice(
        [
            {},
            {"outboundType": "userAssignedNATGateway"},
            {"outboundType": "userDefinedRouting", "routeTableId": f"{_NETWORK}/routeTables/hub"},
        ]
    )
    return ranges | way_out


def _access(random: Random, *, alone: bool) -> dict[str, Any]:
    """Settings of the API server; `alone` where the program adds no address of its own."""
    return random.choice(
        [
            {},
            {"authorizedIpRanges": ["20.1.2.3/32", "20.8.0.0/13"]},
            {"authorizedIpRanges": [f"20.{i}.0.0/16" for i in range(199)]},
            {"authorizedIpRanges": ["0.0.0.0/32"] if alone else ["20.1.2.3/32"]},
            {"privateCluster": True, "runCommand": False},
            {"localAccounts": False, "adminGroupObjectIds": [_GROUP]},
        ]
    )


def _data(random: Random) -> dict[str, Any]:
    store = {
        "softDeleteDays": random.choice([1, 365]),
        "profiles": {"team-a": {"serviceAccounts": [f"sa{i}" for i in range(20)]}, "abc": {}},
    }
    return _some(random, {"checkpoints": {"enabled": False}, "store": store})


def _pools(random: Random) -> dict[str, Any]:
    return {f"p{index}": _pool(random) for index in range(random.randint(0, 4))}


def _pool(random: Random) -> dict[str, Any]:
    size, spot = random.choice(_CPU + _GPU), random.random() < 0.7
    pool = {"vmSize": size, "priority": "Spot" if spot else "Regular", "maxCount": random.choice([1, 20, 60])}
    more: dict[str, Any] = {
        "labels": random.choice(
            [{"team": "vision"}, {"node.kubernetes.io/purpose": "x"}, {f"{'d' * 63}.io/a": ""}]
        ),
        "zones": random.choice([["1"], ["1", "2", "3"]]),
        "maxPods": random.choice([10, 250]),
        "encryptionAtHost": random.choice([True, False]),
        "osDisk": random.choice([{"type": "Managed", "sizeGib": 2048}, {"type": "Managed", "sizeGib": 30}]),
        "workload": random.choice(["training", "batch"]),
        "taints": random.choice([["team=vision:NoSchedule"], ["a=:NoExecute", "a=b:NoSchedule"]]),
    }
    only_spot: dict[str, Any] = {
        "maxPrice": random.choice([-1, 0.00001, 12]),
        "evictionPolicy": "Delete",
        "fallback": {"maxCount": random.choice([1, 10])},
        "labels": {_SPOT: "spot", "team": "vision"},
    }
    taints = {} if spot or size in _GPU else {"taints": ["team=vision:NoSchedule"]}
    return pool | _some(random, more) | taints | (_some(random, only_spot) if spot else {})
