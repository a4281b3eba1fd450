"""Records of the program that many tests read: each stack runs once as a preview and once as an up."""

from functools import cache

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.monitor import Resource
from kubeflow_aks.recorder.run import Record, record
from kubeflow_aks.recorder.stack_files import stack_names

AS_OF = "2026-11-20"
"""The day every stack is judged on, so that these tests don't age."""
STACKS = stack_names(PROJECT_ROOT)
SHIPPED = ("demo", "dev", "prod")

GROUP = "azure-native:resources:ResourceGroup"
CLUSTER = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
PROVIDER = "pulumi:providers:kubernetes"


@cache
def recorded(stack: str, *, preview: bool = False) -> Record:
    """One stack of this project."""
    return record(stack, preview=preview, extra={"asOf": AS_OF})


@cache
def without_gpus() -> Record:
    """Dev with no pool but the one that hosts Kubeflow, and with a DNS label of its own."""
    pools = {"general": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3}}
    return record("dev", extra={"pools": pools, "kubeflow": {"dnsLabel": "our-kubeflow"}, "asOf": AS_OF})


def in_cluster(recording: Record) -> list[Resource]:
    """Every object in the cluster."""
    return [resource for resource in recording.resources.values() if resource.type.startswith("kubernetes:")]


def pool_contract(recording: Record) -> Resource:
    """The ConfigMap that tells tools in the cluster of the pools."""
    return next(resource for resource in recording.of(CONFIG_MAP) if resource.name.endswith("-agent-pools"))
