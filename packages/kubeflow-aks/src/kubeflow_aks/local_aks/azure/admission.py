"""Every rule of Azure that the stand-in knows, and which requests each table judges.

azure-native's Check knows none of these: it reports required properties, types, patterns and ranges only
(`constraints`). So they are answered when a resource is put, as errors of ARM, after a preview that looked fine.
"""

from collections.abc import Mapping
from typing import Any, Final

from kubeflow_aks.json_values import entries, is_mapping
from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.rules.access import ACCESS_RULES
from kubeflow_aks.local_aks.azure.rules.capacity import CAPACITY_RULES
from kubeflow_aks.local_aks.azure.rules.clusters import AUTOSCALER_RULES, CLUSTER_RULES
from kubeflow_aks.local_aks.azure.rules.immutable import IMMUTABLE_RULES
from kubeflow_aks.local_aks.azure.rules.labels import LABEL_RULES
from kubeflow_aks.local_aks.azure.rules.maintenance import MAINTENANCE_RULES
from kubeflow_aks.local_aks.azure.rules.monitoring import MONITORING_RULES
from kubeflow_aks.local_aks.azure.rules.networks import NETWORK_RULES
from kubeflow_aks.local_aks.azure.rules.pools import POOL_RULES
from kubeflow_aks.local_aks.azure.rules.registries import REGISTRY_RULES
from kubeflow_aks.local_aks.azure.rules.resources import RESOURCE_RULES
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, PoolRequest, ResourceRequest, Rule
from kubeflow_aks.local_aks.azure.rules.sizes import SIZE_RULES
from kubeflow_aks.local_aks.azure.rules.spot import SPOT_RULES
from kubeflow_aks.local_aks.azure.rules.storage import STORAGE_RULES
from kubeflow_aks.local_aks.azure.rules.subnets import ADDRESS_RULES, SUBNET_RULES, SubnetRequest
from kubeflow_aks.local_aks.azure.rules.upgrades import CLUSTER_UPGRADE_RULES, POOL_UPGRADE_RULES
from kubeflow_aks.recorder.stack_files import ENCRYPTED

Request = ResourceRequest | SubnetRequest | ClusterRequest | PoolRequest

TABLES: Final[Mapping[type[Any], tuple[Rule[Any], ...]]] = {
    ResourceRequest: (
        *RESOURCE_RULES,
        *MAINTENANCE_RULES,
        *ADDRESS_RULES,
        *STORAGE_RULES,
        *REGISTRY_RULES,
        *MONITORING_RULES,
    ),
    SubnetRequest: SUBNET_RULES,
    ClusterRequest: (
        *CLUSTER_RULES,
        *CLUSTER_UPGRADE_RULES,
        *ACCESS_RULES,
        *AUTOSCALER_RULES,
        *NETWORK_RULES,
    ),
    PoolRequest: (
        *SPOT_RULES,
        *POOL_RULES,
        *POOL_UPGRADE_RULES,
        *SIZE_RULES,
        *LABEL_RULES,
        *IMMUTABLE_RULES,
        *CAPACITY_RULES,
    ),
}
"""Rules by the kind of request they judge, in the order in which they are checked."""


def judges(value: object) -> bool:
    """Whether the rules judge a body, or a part of one: none with a value that nobody decrypted, tags aside."""
    inside = [item for key, item in value.items() if key != "tags"] if is_mapping(value) else entries(value)
    return all(map(judges, inside)) and not (isinstance(value, str) and ENCRYPTED in value)


def check(request: Request) -> None:
    """Judge a request by the table of its kind.

    Raises:
        ArmError: the first rule it breaks.
    """
    rules: tuple[Rule[Any], ...] = TABLES[type(request)] if judges(request.body) else ()
    for rule in rules:
        if (fields := rule.broken(request)) is not None:
            raise ArmError(rule.status, rule.code, rule.message.format(**fields))
