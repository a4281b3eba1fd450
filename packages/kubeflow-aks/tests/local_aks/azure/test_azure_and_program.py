"""The whole program against the simulated Azure, which takes what it makes, and refuses what our checks would."""

import importlib
from collections.abc import Iterator
from typing import Any

import pytest
from program_on_azure import refusals
from stacks import varied

from components.arguments.mistakes import Mistake
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.stack_files import stack_names

Json = dict[str, Any]
NAT = {"outboundType": "userAssignedNATGateway"}
GENERAL = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3}


@pytest.mark.parametrize("stack", stack_names(PROJECT_ROOT))
def test_azure_makes_every_stack_of_the_repository(azure: AzureState, stack: str) -> None:
    assert refusals(azure, stack) == []
    assert len(azure.agent_pools()) > 1


@pytest.mark.parametrize("seed", range(10))
def test_azure_makes_varied_stacks(azure: AzureState, seed: int) -> None:
    assert refusals(azure, "dev", varied(seed)) == []


def _pools(**spot: Any) -> Json:
    pool = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 4, **spot}
    return {"pools": {"general": GENERAL, "work": pool}}


UNCHECKED: list[tuple[Json, str]] = [
    ({"network": {"podCidr": "172.31.0.0/16"}}, "overlaps with 172.31.0.0/16, which is reserved"),
    ({"network": {"serviceCidr": "192.0.2.0/24"}}, "overlaps with 192.0.2.0/24, which is reserved"),
    ({"network": {"serviceCidr": "10.0.0.0/12"}}, "must be smaller than /12"),
    ({"network": {"serviceCidr": "10.224.4.0/24"}}, "conflicted with an existing subnet CIDR 10.224.4.0/22"),
    ({"network": {"podCidr": "10.224.128.0/17"}}, "overlaps with reserved VNET CIDR 10.224.0.0/16"),
    ({"network": {"podCidr": "10.244.0.0/23"}}, "InsufficientSubnetSize"),
    ({"network": {"subnets": {"general": "10.224.1.0/30"}}}, "smaller than /29"),
    ({"network": {"subnets": {"gpu": "10.225.0.0/24"}}}, "Subnet 'gpu' is not valid in virtual network"),
    ({"network": {"vnetCidr": "10.224.0.0"}}, "InvalidAddressPrefixFormat"),
    (
        {"network": NAT, "apiAccess": {"authorizedIpRanges": ["0.0.0.0/32"]}},
        "not allowed with other IP ranges",
    ),
    (
        {"apiAccess": {"privateCluster": True, "authorizedIpRanges": ["20.1.2.3/32"]}},
        "Private cluster cannot be enabled with AuthorizedIPRanges.",
    ),
    ({"apiAccess": {"localAccounts": False}}, "Please integrate your cluster with AAD."),
    (
        {"kubernetes": {"tier": "Standard", "supportPlan": "KubernetesOfficial", "version": "1.33"}},
        "Long-Term",
    ),
    ({"kubernetes": {"tier": "Standard", "supportPlan": "AKSLongTermSupport"}}, "Premium tier"),
    ({"registry": {"retentionDays": 30}}, "does not support a retention policy"),
    ({"registry": {"authorizedIpRanges": ["20.1.2.3/32"]}}, "does not support network rules"),
    ({"tags": {"owner": "ml", "environment": "dev", "cost/centre": "1"}}, "'cost/centre'"),
    (_pools(taints=["team=a:NoSchedule", "team=b:NoSchedule"]), "occur twice"),
    (_pools(taints=["kubernetes.azure.com/mine=a:NoSchedule"]), "reserved prefix"),
    (_pools(labels={"kubernetes.io/mine": "a"}), "must begin with an allowed prefix"),
    (_pools(labels={f"{'d' * 64}.example/team": "a"}), "is no Kubernetes label"),
    (_pools(osDisk={"type": "Ephemeral", "sizeGib": 2048}), "VMCacheSizeTooSmall"),
    (_pools(vmSize="Standard_D8_v3", encryptionAtHost=True), "does not support encryption at host"),
    (_pools(vmSize="Standard_NC4as_T4_v3", gpuInstanceProfile="MIG1g"), "has no Multi-Instance GPU"),
]
"""Settings that are wrong, and words of Azure's answer."""


@pytest.mark.parametrize(("settings", "words"), UNCHECKED)
def test_without_our_checks_azure_refuses(
    azure: AzureState, monkeypatch: pytest.MonkeyPatch, settings: Json, words: str
) -> None:
    def none(*_: object, **__: object) -> Iterator[Mistake]:
        return iter(())

    for rules in ("problems", "warnings"):
        monkeypatch.setattr(importlib.import_module("program.planning.plan"), rules, none)
    monkeypatch.setattr("components.arguments.checked.refuse", none)
    assert words in "\n".join(refusals(azure, "dev", settings))
