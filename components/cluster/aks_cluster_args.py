"""Arguments of `AksCluster`, grouped as AKS groups them; each has the default that suits Charmed Kubeflow."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

import pulumi

from ..arguments.choices import (
    KubeloginMode,
    NetworkPolicy,
    NodeOsUpgradeChannel,
    OsSku,
    OutboundType,
    SupportPlan,
    Tier,
    UpgradeChannel,
    Weekday,
)
from ..arguments.inputs import Texts, TextsByName
from ..pools.pool_specs import SystemPoolSpec


class MaintenanceSpec(TypedDict):
    """When upgrades may run."""

    day: NotRequired[pulumi.Input[Weekday]]
    """Day of the week. Default: Saturday."""
    start_time: NotRequired[pulumi.Input[str]]
    """Local time, HH:MM. Default: 22:00."""
    duration_hours: NotRequired[pulumi.Input[int]]
    """Length in hours, 4 to 24. Default: 6."""
    utc_offset: NotRequired[pulumi.Input[str]]
    """Offset of the local time, ±HH:MM. Default: +00:00."""


class KubernetesSpec(TypedDict):
    """Version, support and upgrades."""

    version: NotRequired[pulumi.Input[str]]
    """Kubernetes minor; AKS picks the patch. Default: 1.34."""
    support_plan: NotRequired[pulumi.Input[SupportPlan]]
    """AKSLongTermSupport (default), which needs the Premium tier, or KubernetesOfficial."""
    tier: NotRequired[pulumi.Input[Tier]]
    """Free, Standard or Premium (default)."""
    upgrade_channel: NotRequired[pulumi.Input[UpgradeChannel]]
    """Automatic upgrades of Kubernetes: patch (default) or none."""
    node_os_upgrade_channel: NotRequired[pulumi.Input[NodeOsUpgradeChannel]]
    """Automatic upgrades of the nodes: NodeImage (default), SecurityPatch, Unmanaged or None."""
    os_sku: NotRequired[pulumi.Input[OsSku]]
    """Operating system of the system pool's nodes: Ubuntu (default), Ubuntu2204 or Ubuntu2404."""
    maintenance: NotRequired[MaintenanceSpec]
    """When upgrades may run."""
    cost_analysis: NotRequired[pulumi.Input[bool]]
    """Whether Azure's portal shows what namespaces cost; not in the tier Free. Default: unchanged, off at creation."""


class ClusterNetworkSpec(TypedDict):
    """Ranges of pods and services, and the way out."""

    pod_cidr: NotRequired[pulumi.Input[str]]
    """Range of the pods; each node takes a /24 of it. Default: 10.244.0.0/16."""
    service_cidr: NotRequired[pulumi.Input[str]]
    """Range of the services; the cluster's DNS takes its tenth address. Default: 10.0.0.0/16."""
    outbound_type: NotRequired[pulumi.Input[OutboundType]]
    """Way to the internet: loadBalancer (default), userAssignedNATGateway or userDefinedRouting."""
    policy: NotRequired[NetworkPolicy]
    """What enforces network policies: none (default), calico or cilium, which is a data plane of its own."""
    route_table_id: NotRequired[pulumi.Input[str] | None]
    """ARM id of the subnets' route table, on which the cluster is given its right. Default: none."""
    subnet_ids: NotRequired[dict[str, pulumi.Input[str]] | None]
    """ARM ids of subnets outside the cluster's group, by name, on which it is given its right. Default: none."""


class ApiAccessSpec(TypedDict):
    """Who reaches the API server, and how they sign in."""

    authorized_ip_ranges: NotRequired[Texts]
    """Public ranges that may call it. Default: all."""
    private_cluster: NotRequired[bool]
    """Whether it has a private address only. Default: false."""
    private_dns_zone_id: NotRequired[pulumi.Input[str] | None]
    """ARM id of the zone of a private cluster, on which it is given its right. Default: AKS makes one."""
    subnet_id: NotRequired[pulumi.Input[str] | None]
    """ARM id of a subnet for the API server itself (VNet integration), for good. Default: it is in Azure's network."""
    run_command: NotRequired[pulumi.Input[bool] | None]
    """Whether `az aks command invoke` reaches it, past all ranges. Default: as it is, which is true for a new one."""
    local_accounts: NotRequired[bool]
    """Whether the certificate-based admin account exists. Default: true."""
    admin_group_object_ids: NotRequired[Texts]
    """Entra groups of cluster admins; any entry turns Entra sign-in on, for good. Default: none."""
    kubelogin_mode: NotRequired[pulumi.Input[KubeloginMode]]
    """How kubelogin signs in when local accounts are off: azurecli (default), workloadidentity or msi."""


class SshSpec(TypedDict):
    """SSH access to nodes."""

    admin_username: NotRequired[pulumi.Input[str]]
    """Name of the admin user. Default: azureuser."""
    public_key: pulumi.Input[str]
    """OpenSSH public key."""


class AutoscalerSpec(TypedDict):
    """The autoscaler's profile, one for all pools; durations with their unit, as AKS takes them."""

    scan_interval: NotRequired[pulumi.Input[str]]
    """Time between two looks. Default: 10s."""
    max_node_provision_time: NotRequired[pulumi.Input[str]]
    """How long a node may take to come, in whole minutes. Default: 10m."""
    scale_down_delay_after_add: NotRequired[pulumi.Input[str]]
    """How long no node is removed after one was added, in whole minutes. Default: 10m."""
    scale_down_unneeded_time: NotRequired[pulumi.Input[str]]
    """How long a node must be unneeded before it is removed, in whole minutes. Default: 10m."""
    scale_down_utilization_threshold: NotRequired[pulumi.Input[float]]
    """Share of requested resources, 0 to 1, below which a node is unneeded. Default: 0.5."""
    balance_similar_node_groups: NotRequired[pulumi.Input[bool]]
    """Whether to spread nodes over pools that are alike. Default: false."""
    skip_nodes_with_local_storage: NotRequired[pulumi.Input[bool]]
    """Whether nodes whose pods use emptyDir stay. Default: true."""
    skip_nodes_with_system_pods: NotRequired[pulumi.Input[bool]]
    """Whether nodes that run kube-system pods stay. Default: true."""
    max_graceful_termination_sec: NotRequired[pulumi.Input[int]]
    """Longest grace period in seconds for pods of a node that is removed. Default: 600."""


class AksClusterArgs(TypedDict):
    """Arguments of `AksCluster`."""

    resource_group_name: pulumi.Input[str]
    """Resource group of the cluster; its identity may use the network in it."""
    resource_group_id: pulumi.Input[str]
    """ARM id of that group."""
    location: pulumi.Input[str]
    """Azure region."""
    cluster_name: NotRequired[pulumi.Input[str]]
    """Name of the cluster in Azure, and the start of the names that follow. Default: the component's name."""
    dns_prefix: NotRequired[pulumi.Input[str]]
    """Start of the API server's public name. Default: the cluster's name."""
    node_resource_group: NotRequired[pulumi.Input[str]]
    """Resource group that AKS makes for the nodes. Default: the cluster's name and -nodes."""
    identity_name: NotRequired[pulumi.Input[str]]
    """Name of the identity that is made. Default: the cluster's name and -identity."""
    identity_id: NotRequired[pulumi.Input[str]]
    """ARM id of an identity whose rights on the network are yours to give. Default: one is made, with its rights."""
    capacity_reservation_groups: NotRequired[Mapping[str, pulumi.Input[str]]]
    """ARM ids of the capacity reservation groups of its pools, on which the cluster is given the role Contributor; each
    by a name of yours, with which its assignment's name ends. Default: none."""
    kubernetes: NotRequired[KubernetesSpec]
    """Version, support and upgrades."""
    network: NotRequired[ClusterNetworkSpec]
    """Ranges and the way out."""
    api_access: NotRequired[ApiAccessSpec]
    """Who reaches the API server."""
    autoscaler: NotRequired[AutoscalerSpec]
    """The autoscaler's profile."""
    system_pool: NotRequired[SystemPoolSpec]
    """The pool of AKS's own add-ons."""
    blob_driver: NotRequired[pulumi.Input[bool]]
    """Whether AKS runs the CSI driver of Blob storage. Default: true."""
    ssh: NotRequired[SshSpec | None]
    """SSH access to nodes. Default: none."""
    adopted: NotRequired[bool]
    """Whether it was made by other means and imported: its network, and all that these arguments do not state, stay as
    they are. Default: false."""
    tags: NotRequired[TextsByName]
    """Tags of every taggable child."""
