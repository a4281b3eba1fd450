"""What stays as it is in a cluster, and in its pools, that other means made and that are imported."""

import pytest

from components.cluster import aks_cluster
from components.pools import agent_pools
from kubeflow_aks.local_aks.azure.sdk_schema import input_fields


@pytest.mark.parametrize(
    ("token", "paths"),
    [
        ("azure-native:containerservice:ManagedCluster", aks_cluster.ADOPTED),
        ("azure-native:containerservice:AgentPool", agent_pools.ADOPTED),
    ],
)
def test_what_stays_is_spelt_as_azure_native_spells_it(token: str, paths: list[str]) -> None:
    declared = input_fields(token)
    assert [path for path in paths if path.split(".")[0].split("[")[0] not in declared] == []
