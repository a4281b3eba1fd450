"""Arguments of `AksCluster`, grouped as AKS groups them."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

import pulumi

from components.agent_pools import AgentPoolSpec


class KubernetesArgs(TypedDict):
    """Version, support and upgrades."""

    version: str
    """Kubernetes minor; AKS picks the patch."""
    support_plan: str
    """KubernetesOfficial or AKSLongTermSupport."""
    tier: str
    """Free, Standard or Premium."""
    upgrade_channel: str
    """patch or none."""
    node_os_upgrade_channel: str
    """NodeImage, SecurityPatch, Unmanaged or None."""


class MaintenanceArgs(TypedDict):
    """When upgrades may run."""

    day: str
    """Day of the week."""
    start_time: str
    """Local time, HH:MM."""
    duration_hours: int
    """Length in hours."""
    utc_offset: str
    """Offset of the local time, ±HH:MM."""


class ClusterNetworkArgs(TypedDict):
    """Ranges of pods and services, and the way out."""

    pod_cidr: str
    """Range of the pods."""
    service_cidr: str
    """Range of the services."""
    dns_service_ip: str
    """Address of the cluster's DNS."""
    outbound_type: str
    """loadBalancer, userAssignedNATGateway or userDefinedRouting."""


class ApiAccessArgs(TypedDict):
    """Who reaches the API server."""

    authorized_ip_ranges: Sequence[pulumi.Input[str]]
    """Ranges that may call it; empty means all."""
    private_cluster: bool
    """Whether it has a private address only."""
    local_accounts: bool
    """Whether the certificate-based admin account exists."""
    admin_group_object_ids: Sequence[str]
    """Entra groups of cluster admins; any entry turns Entra sign-in on."""
    kubelogin_mode: str
    """How kubelogin signs in when local accounts are off."""


class SshArgs(TypedDict):
    """SSH access to nodes."""

    admin_username: str
    """Name of the admin user."""
    public_key: str
    """OpenSSH public key."""


class AutoscalerArgs(TypedDict):
    """The autoscaler's profile; durations with their unit, as AKS takes them."""

    scan_interval: str
    """Time between two looks."""
    max_node_provision_time: str
    """Time a node may take to come."""
    scale_down_delay_after_add: str
    """Rest after a scale-up."""
    scale_down_unneeded_time: str
    """Time a node must be unneeded."""
    scale_down_utilization_threshold: float
    """Share of requests below which a node is unneeded."""
    balance_similar_node_groups: bool
    """Whether to spread nodes over pools that are alike."""
    skip_nodes_with_local_storage: bool
    """Whether nodes with emptyDir pods stay."""
    skip_nodes_with_system_pods: bool
    """Whether nodes with kube-system pods stay."""
    max_graceful_termination_sec: int
    """Longest grace period in seconds."""


class AksClusterArgs(TypedDict):
    """Arguments of `AksCluster`."""

    resource_group_name: pulumi.Input[str]
    """Resource group of the cluster; its identity may use the network in it."""
    resource_group_id: pulumi.Input[str]
    """ARM id of that group."""
    location: pulumi.Input[str]
    """Azure region."""
    kubernetes: KubernetesArgs
    """Version, support and upgrades."""
    maintenance: MaintenanceArgs
    """When upgrades may run."""
    network: ClusterNetworkArgs
    """Ranges and the way out."""
    api_access: ApiAccessArgs
    """Who reaches the API server."""
    autoscaler: AutoscalerArgs
    """The autoscaler's profile."""
    system_pool: AgentPoolSpec
    """The one inline pool."""
    ssh: NotRequired[SshArgs | None]
    """SSH access to nodes."""
    tags: dict[str, str]
    """Tags of every taggable child."""
