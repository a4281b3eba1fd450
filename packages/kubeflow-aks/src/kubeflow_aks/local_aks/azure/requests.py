"""The requests that the tables of rules judge, built from one PUT and the stored resources."""

from collections.abc import Callable
from datetime import date

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.admission import Request
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, PoolRequest, ResourceRequest
from kubeflow_aks.local_aks.azure.rules.subnets import SubnetRequest
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState, profile
from kubeflow_aks.local_aks.azure.types import SUBNET, VIRTUAL_NETWORK, ArmType


class Requests:
    """Builds requests from what Azure holds, bodies of resources by id, and the day on which Azure decides."""

    def __init__(
        self, state: AzureState, get: Callable[[str], Json | None], today: Callable[[], date]
    ) -> None:
        self._state = state
        self._get = get
        self._today = today

    def of(self, arm_type: ArmType, arm_id: str, body: Json, existing: Json | None) -> list[Request]:
        """Every request to judge for one PUT: the general one, and one for its type where there are rules."""
        others = [r for r in self._state.all(arm_type.pulumi) if arm.key(r.id) != arm.key(arm_id)]
        peers = tuple(resource.outputs for resource in others)
        general = ResourceRequest(type=arm_type.pulumi, id=arm_id, body=body, existing=existing, peers=peers)
        if arm_type.pulumi == SUBNET:
            parent = arm.parent_id_of(arm_id) or ""
            siblings = tuple(r.outputs for r in others if arm.within(r.id, parent))
            return [general, self._subnet(arm_id, body, existing, siblings)]
        if arm_type.pulumi == MANAGED_CLUSTER:
            return [general, self._cluster(arm_id, body, existing)]
        if arm_type.pulumi == AGENT_POOL:
            return [general, self._pool(arm_id, body)]
        return [general]

    def _subnet(
        self, arm_id: str, body: Json, existing: Json | None, siblings: tuple[Json, ...]
    ) -> SubnetRequest:
        inside = [
            pool
            for pool in self._state.agent_pools()
            if arm.key(pool.get("vnetSubnetID", "")) == arm.key(arm_id)
        ]
        return SubnetRequest(
            name=arm.name_of(arm_id),
            body=body,
            network=self._get(arm.parent_id_of(arm_id) or "") or {},
            siblings=siblings,
            existing=existing,
            occupied=any(pool["count"] for pool in inside),
        )

    def _cluster(self, arm_id: str, body: Json, existing: Json | None) -> ClusterRequest:
        return ClusterRequest(
            name=arm.name_of(arm_id),
            resource_group=arm.name_of(arm.group_id_of(arm_id) or ""),
            body=body,
            existing=existing,
            today=self._today(),
            subnets=self._all(SUBNET),
            networks=self._all(VIRTUAL_NETWORK),
        )

    def _pool(self, arm_id: str, body: Json) -> PoolRequest:
        cluster = self._get(arm.parent_id_of(arm_id) or "") or {}
        before = self._state.get(arm_id)
        return PoolRequest(
            name=arm.name_of(arm_id),
            body=body,
            existing=profile(before) if before else None,
            location=str(cluster.get("location")),
            control_plane_version=str(cluster["currentKubernetesVersion"]),
            cluster=cluster,
            subnets=self._all(SUBNET),
            today=self._today,
        )

    def _all(self, token: str) -> dict[str, Json]:
        """Bodies of every resource of a type, as a GET shows them, by `arm.key` of the id."""
        return {arm.key(resource.id): self._get(resource.id) or {} for resource in self._state.all(token)}
