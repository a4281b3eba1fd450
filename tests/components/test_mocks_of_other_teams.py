"""A whole platform on mocks as Pulumi's documentation has them ("Unit testing"), which answer with what they are sent.

Of a cluster alone they answer what `docs/how-to/use-the-components.md` adds. Ids of such mocks are no ARM ids.
"""

import base64
from typing import Any, cast

import pulumi
import pytest
from pulumi.runtime import settings
from pulumi_azure_native import containerservice as aks
from pulumi_azure_native import resources

from components.cluster.aks_cluster import AksCluster
from components.cluster.aks_cluster_args import AksClusterArgs
from components.data_store.data_store import DataStore, DataStoreArgs
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.monitoring.monitoring import Monitoring, MonitoringArgs
from components.network.network import Network
from components.pools.agent_pools import AgentPools
from components.pools.pool_specs import AgentPoolSpec
from components.registry.container_registry import ContainerRegistry, ContainerRegistryArgs
from tests.components.conftest import value

KUBECONFIG = base64.b64encode(b"users: []").decode()
SPOT = AgentPoolSpec(
    name="batch", vm_size="Standard_D8ds_v5", max_count=10, priority="Spot", eviction_policy="Delete"
)


class Mocks(pulumi.runtime.Mocks):
    """Keeps the body of each request, by name."""

    def __init__(self) -> None:
        self.sent: dict[str, dict[str, Any]] = {}

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Answers with the body of the request."""
        sent: dict[str, Any] = cast(Any, args).inputs
        self.sent[args.name], outputs = sent, dict(sent)
        if args.typ == "azure-native:containerservice:ManagedCluster" and sent:
            ids: dict[str, Any] = {key: {} for key in sent["identity"]["userAssignedIdentities"]}
            outputs["identity"] = {**sent["identity"], "userAssignedIdentities": ids}
            outputs["identityProfile"] = {"kubeletidentity": {"objectId": "kubelet"}}
        if args.typ == "kubernetes:core/v1:Secret":
            outputs["data"] = {"token": base64.b64encode(b"token").decode()}
        return f"{args.name}_id", outputs

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[str, Any], list[Any]]:  # noqa: ARG002
        """Answers with a kubeconfig."""
        return {"kubeconfigs": [{"name": "user", "value": KUBECONFIG}]}, []


def tagged(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
    """A transformation of the team's own, for every component under its platform."""
    if not args.type_.startswith("azure-native:containerservice:ManagedCluster"):
        return None
    args.opts.ignore_changes = [*(args.opts.ignore_changes or []), "tags"]
    return pulumi.ResourceTransformationResult({**args.props, "tags": {"owner": "team"}}, args.opts)


class Platform(pulumi.ComponentResource):
    """What the team makes of the components, once for each of its clusters."""

    cluster: AksCluster
    pools: AgentPools
    token: pulumi.Output[str]

    def __init__(self, name: str, group: resources.ResourceGroup) -> None:
        super().__init__("team:index:Platform", name, {}, pulumi.ResourceOptions(transformations=[tagged]))
        child = pulumi.ResourceOptions(parent=self)
        place: Any = {"resource_group_name": group.name, "location": group.location}
        network = Network(name, place, child)
        self.cluster = AksCluster(
            name,
            AksClusterArgs(
                **place, resource_group_id=group.id, system_pool={"subnet_id": network.subnet_ids["system"]}
            ),
            child,
        )
        self.pools = AgentPools(
            name,
            {
                "resource_group_name": group.name,
                "cluster": self.cluster.managed_cluster,
                "pools": [{**SPOT, "subnet_id": network.subnet_ids["cpu"]}],
            },
            child,
        )
        ContainerRegistry(
            name, ContainerRegistryArgs(**place, puller_object_id=self.cluster.kubelet_object_id), child
        )
        DataStore(
            name, DataStoreArgs(**place, oidc_issuer=self.cluster.oidc_issuer, profiles={"vision": {}}), child
        )
        Monitoring(name, MonitoringArgs(**place, cluster_id=self.cluster.cluster_id, logs=["guard"]), child)
        self.token = KubeflowPrerequisites(name, {"pools": self.pools.contract}, child).juju_token


@pytest.fixture(scope="module")
def mocks(event_loop: object) -> Mocks:  # noqa: ARG001 - the loop that the mocks run in
    settings.ROOT.set(None)
    mocks = Mocks()
    pulumi.runtime.set_mocks(mocks, project="team", stack="test", preview=False)
    return mocks


@pytest.fixture(scope="module")
def platforms(mocks: Mocks) -> list[Platform]:  # noqa: ARG001 - stand in for Azure
    """Two of them, in one group."""
    group = resources.ResourceGroup("team", resource_group_name="team", location="westeurope")
    return [Platform(name, group) for name in ("one", "two")]


def test_each_platform_has_its_own_pool(platforms: list[Platform], mocks: Mocks) -> None:
    assert value(platforms[1].pools.resources[0].node_taints) == [
        "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"
    ]
    assert [mocks.sent[name]["resourceName"] for name in ("one", "two")] == ["one", "two"]


def test_a_role_needs_no_arm_id(platforms: list[Platform], mocks: Mocks) -> None:
    assert value(platforms[0].token)
    pull = mocks.sent["one-pull"]
    assert pull["scope"] == "one_id"
    assert pull["roleDefinitionId"].startswith("/providers/Microsoft.Authorization/roleDefinitions/")
    assert mocks.sent["one-network"]["scope"] == "team_id"


def test_a_transformation_reaches_the_cluster(platforms: list[Platform], mocks: Mocks) -> None:
    assert all(value(platform.cluster.cluster_id) for platform in platforms)
    assert [mocks.sent[name]["tags"] for name in ("one", "two")] == [{"owner": "team"}] * 2


def test_pools_in_a_cluster_that_is_only_read(mocks: Mocks) -> None:
    theirs = aks.ManagedCluster.get("theirs", "theirs_id")
    pools = AgentPools("in-theirs", {"resource_group_name": "owners", "cluster": theirs, "pools": [SPOT]})
    assert value(pools.resources[0].id)
    assert mocks.sent["in-theirs-batch"]["scaleSetPriority"] == "Spot"
