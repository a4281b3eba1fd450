"""Arguments of `AksCluster`, grouped as AKS groups them; each has the default that suits Charmed Kubeflow."""

from collections.abc import Mapping
from typing import Annotated, NotRequired, Required, TypedDict

from ..arguments import limits
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
from ..arguments.declaration import Argument, Input, Texts, TextsByName
from ..azure.arm_ids import PRIVATE_DNS_ZONE, ROUTE_TABLE
from ..pools.pool_specs import OS_SKU, SystemPoolSpec


class MaintenanceSpec(TypedDict, total=False):
    """When upgrades may run."""

    day: Annotated[Input[Weekday], Argument("Saturday", "planned-maintenance.md")]
    """Day of the week on which upgrades start."""
    start_time: Annotated[
        Input[str], Argument("22:00", "planned-maintenance.md", unit="HH:MM", **limits.TIME_OF_DAY)
    ]
    """Local time at which the window opens."""
    duration_hours: Annotated[
        Input[int], Argument(6, "planned-maintenance.md: 4 to 24", unit="hours", ge=4, le=24)
    ]
    """Length of the window."""
    utc_offset: Annotated[
        Input[str], Argument("+00:00", "planned-maintenance.md", unit="±HH:MM", **limits.UTC_OFFSET)
    ]
    """Offset of the local time from UTC."""


class KubernetesSpec(TypedDict, total=False):
    """Version, support and upgrades."""

    version: Annotated[
        Input[str],
        Argument(
            "1.34",
            "docs/reference/supported-versions.rst: the newest that Charmed Kubeflow 1.11-ubuntu2 is validated on",
            unit="major.minor",
            **limits.MINOR_VERSION,
        ),
    ]
    """Kubernetes minor; AKS picks the patch release."""
    support_plan: Annotated[
        Input[SupportPlan],
        Argument("AKSLongTermSupport", "docs/decisions/0002-long-term-support-is-the-default.md"),
    ]
    """Support plan; long-term support needs the Premium tier."""
    tier: Annotated[Input[Tier], Argument("Premium", "free-standard-pricing-tiers.md")]
    """Pricing tier of the control plane, which sets its price and SLA."""
    upgrade_channel: Annotated[Input[UpgradeChannel], Argument("patch", "auto-upgrade-cluster.md")]
    """Automatic upgrades of Kubernetes; AKS's other channels leave the minors that Kubeflow supports."""
    node_os_upgrade_channel: Annotated[
        Input[NodeOsUpgradeChannel], Argument("NodeImage", "auto-upgrade-node-os-image.md")
    ]
    """Automatic upgrades of the nodes' operating system."""
    os_sku: Annotated[Input[OsSku], OS_SKU]
    """Operating system of the nodes; Ubuntu is 22.04 up to Kubernetes 1.34 and 24.04 from 1.35 on."""
    cost_analysis: Annotated[Input[bool], Argument(None, "cost-analysis.md")]
    """Show in Azure's portal what each namespace costs, under an Enterprise or Customer Agreement; needs the tier
    Standard or Premium. Left out: unchanged; false for a new cluster."""
    maintenance: MaintenanceSpec
    """When upgrades may run."""


class ClusterNetworkSpec(TypedDict, total=False):
    """Ranges of pods and services, and outbound routing."""

    pod_cidr: Annotated[
        Input[str],
        Argument("10.244.0.0/16", "concepts-network-azure-cni-overlay.md: a /24 per node", unit="CIDR"),
    ]
    """Range of the pods; each node takes a /24 of it."""
    service_cidr: Annotated[
        Input[str],
        Argument("10.0.0.0/16", "concepts-network-azure-cni-overlay.md: smaller than /12", unit="CIDR"),
    ]
    """Range of the cluster's services; the DNS service takes its tenth address."""
    outbound_type: Annotated[Input[OutboundType], Argument("loadBalancer", "egress-outboundtype.md")]
    """Way to the internet."""
    policy: Annotated[
        NetworkPolicy,
        Argument("none", "docs/facts/aks.md#network-policy; docs/how-to/choose-a-network-policy-engine.md"),
    ]
    """Engine that enforces network policies (AKS: networkPolicy): none; Calico; Cilium, which is then also the data
    plane (AKS: networkDataplane); or Azure's own, which only an adopted cluster has. A change replaces the cluster, and
    changes nothing of an adopted one."""
    route_table_id: Annotated[
        Input[str] | None,
        Argument(
            None, "egress-outboundtype.md; docs/facts/aks.md#network", unit="ARM id", form=ROUTE_TABLE.form
        ),
    ]
    """Route table of the subnets, on which the cluster is given its right. Default: none."""
    subnet_ids: dict[str, Input[str]] | None
    """ARM ids of subnets outside the cluster's group, by name, on which it is given its right. Default: none."""


class ApiAccessSpec(TypedDict, total=False):
    """Who reaches the API server, and how they sign in."""

    authorized_ip_ranges: Annotated[
        Texts,
        Argument(
            (),
            "api-server-authorized-ip-ranges.md: up to 200; with a NAT gateway up to 199 beside its own",
            unit="CIDR, or one address",
            max_length=200,
        ),
    ]
    """Public address ranges that may call the API server; empty means all."""
    private_cluster: Annotated[bool, Argument(False, "private-clusters.md")]
    """Give the API server a private address only; Pulumi and Juju must then run inside the network."""
    private_dns_zone_id: Annotated[
        Input[str] | None, Argument(None, "private-clusters.md", unit="ARM id", form=PRIVATE_DNS_ZONE.form)
    ]
    """Private DNS zone of a private cluster that others own; the cluster gets the right to write to it. Left out: AKS
    makes one in the group of the nodes."""
    subnet_id: Annotated[Input[str] | None, Argument(None, "api-server-vnet-integration.md", unit="ARM id")]
    """Subnet for the API server itself in the network of `network.subnetIds`, delegated to AKS and /28 or larger; it
    can't be taken away again. Left out: the API server is in Azure's network."""
    run_command: Annotated[Input[bool] | None, Argument(None, "access-private-cluster.md")]
    """Allow `az aks command invoke`, which runs commands by Azure's API whatever the address ranges. Left out:
    unchanged; true for a new cluster."""
    local_accounts: Annotated[bool, Argument(True, "local-accounts.md")]
    """Keep the certificate-based admin account; false requires Entra admin groups, unless an adopted cluster has Azure
    RBAC."""
    admin_group_object_ids: Annotated[
        Texts, Argument((), "enable-authentication-microsoft-entra-id.md", unit="object id (GUID)")
    ]
    """Entra groups whose members are cluster admins; any entry turns Entra sign-in on for good."""
    kubelogin_mode: Annotated[Input[KubeloginMode], Argument("azurecli", '"kubelogin documentation"')]
    """How kubelogin signs Pulumi in when local accounts are off."""


class SshSpec(TypedDict):
    """SSH access to nodes."""

    admin_username: Annotated[
        NotRequired[Input[str]],
        Argument("azureuser", 'managedClusters.json, linuxProfile; "Compute REST API"'),
    ]
    """Name of the admin user on every node; none of the common ones that Azure refuses, like admin."""
    public_key: Annotated[
        Input[str],
        Argument(
            ...,
            'managedClusters.json, linuxProfile; "SSH keys for Linux VMs in Azure"',
            unit="ssh-rsa base64 [comment]",
        ),
    ]
    """OpenSSH public key of that user, RSA with 2048 bits or more."""


class AutoscalerSpec(TypedDict, total=False):
    """The autoscaler's profile, one for all pools; durations with their unit, as AKS takes them."""

    scan_interval: Annotated[
        Input[str],
        Argument("10s", "managedClusters.json, scan-interval", unit="whole seconds", **limits.SECONDS),
    ]
    """How often the autoscaler checks for pods that need a node."""
    max_node_provision_time: Annotated[
        Input[str],
        Argument("10m", "docs/facts/aks.md#shortage-and-fallback", unit="whole minutes", **limits.MINUTES),
    ]
    """How long a new node may take to be ready; a VM that never boots delays the fallback this long."""
    scale_down_delay_after_add: Annotated[
        Input[str], Argument("10m", "cluster-autoscaler.md", unit="whole minutes", **limits.MINUTES_OR_NONE)
    ]
    """How long after a scale-up no node is removed."""
    scale_down_unneeded_time: Annotated[
        Input[str], Argument("10m", "cluster-autoscaler.md", unit="whole minutes", **limits.MINUTES_OR_NONE)
    ]
    """How long a node must be unneeded before it is removed."""
    scale_down_utilization_threshold: Annotated[
        Input[float], Argument(0.5, "cluster-autoscaler.md", unit="share", ge=0, le=1)
    ]
    """Share of requested resources below which a node counts as unneeded."""
    balance_similar_node_groups: Annotated[Input[bool], Argument(False, "cluster-autoscaler-overview.md")]
    """Spread new nodes over similar pools, such as one pool per zone."""
    skip_nodes_with_local_storage: Annotated[
        Input[bool], Argument(True, "docs/facts/charmed-kubeflow.md#lost-nodes")
    ]
    """Never remove nodes whose pods use emptyDir, as every charm does."""
    skip_nodes_with_system_pods: Annotated[
        Input[bool], Argument(True, "docs/facts/charmed-kubeflow.md#lost-nodes")
    ]
    """Never remove nodes that run kube-system pods."""
    max_graceful_termination_sec: Annotated[
        Input[int], Argument(600, "cluster-autoscaler.md", unit="seconds", ge=0, le=3600)
    ]
    """Longest grace period of pods on a node that is removed."""
    scale_down_unready_time: Annotated[
        Input[str] | None, Argument(None, "managedClusters.json", unit="whole minutes", **limits.MINUTES)
    ]
    """How long a node must be silent before it is removed, and its work goes to another. Left out: unchanged; 20m for a
    new cluster."""
    scale_down_delay_after_delete: Annotated[
        Input[str] | None, Argument(None, "managedClusters.json", unit="duration", **limits.DURATION)
    ]
    """How long after the removal of a node no other is removed. Left out: unchanged; `scanInterval` for a new
    cluster."""
    scale_down_delay_after_failure: Annotated[
        Input[str] | None,
        Argument(None, "managedClusters.json", unit="whole minutes", **limits.MINUTES_OR_NONE),
    ]
    """How long after a removal that failed no node is removed. Left out: unchanged; 3m for a new cluster."""
    new_pod_scale_up_delay: Annotated[
        Input[str] | None, Argument(None, "managedClusters.json", unit="duration", **limits.DURATION)
    ]
    """Age from which a pod that is not scheduled gets a node. Left out: unchanged; 0s for a new cluster."""
    max_empty_bulk_delete: Annotated[
        Input[int] | None, Argument(None, "managedClusters.json", unit="nodes", ge=1, le=1000)
    ]
    """Most empty nodes that are removed at once. Left out: unchanged; 10 for a new cluster."""
    max_total_unready_percentage: Annotated[
        Input[int] | None, Argument(None, "managedClusters.json", unit="%", ge=0, le=100)
    ]
    """Share of silent nodes from which on the autoscaler does nothing. Left out: unchanged; 45 for a new cluster."""
    ok_total_unready_count: Annotated[
        Input[int] | None, Argument(None, "managedClusters.json", unit="nodes", ge=0, le=1000)
    ]
    """Silent nodes that are no reason for that, whatever their share. Left out: unchanged; 3 for a new cluster."""
    ignore_daemonsets_utilization: Annotated[Input[bool] | None, Argument(None, "managedClusters.json")]
    """Leave out DaemonSets where a node's use is compared with the threshold. Left out: unchanged; false for a new
    cluster."""
    daemonset_eviction_for_empty_nodes: Annotated[Input[bool] | None, Argument(None, "managedClusters.json")]
    """Evict DaemonSets from an empty node before it is removed. Left out: unchanged; false for a new cluster."""
    daemonset_eviction_for_occupied_nodes: Annotated[
        Input[bool] | None, Argument(None, "managedClusters.json")
    ]
    """Evict DaemonSets from any other node before it is removed. Left out: unchanged; true for a new cluster."""


class AksClusterArgs(TypedDict, total=False):
    """Arguments of `AksCluster`."""

    resource_group_name: Required[Input[str]]
    """Resource group of the cluster; its identity may use the network in it."""
    resource_group_id: Required[Input[str]]
    """ARM id of that group."""
    location: Required[Input[str]]
    """Azure region."""
    cluster_name: Input[str]
    """Name of the cluster in Azure, and the start of the names that follow. Default: the component's name."""
    dns_prefix: Input[str]
    """Start of the API server's public name. Default: the cluster's name."""
    node_resource_group: Input[str]
    """Resource group that AKS makes for the nodes. Default: the cluster's name and -nodes."""
    identity_name: Input[str]
    """Name of the identity that is made. Default: the cluster's name and -identity."""
    identity_id: Input[str]
    """ARM id of an identity whose rights on the network are yours to give. Default: one is made, with its rights."""
    capacity_reservation_groups: Mapping[str, Input[str]]
    """ARM ids of the capacity reservation groups of its pools, on which the cluster is given the role Contributor; each
    by a name of yours, with which its assignment's name ends. Default: none."""
    kubernetes: KubernetesSpec
    """Version, support and upgrades."""
    network: ClusterNetworkSpec
    """Ranges and outbound routing."""
    api_access: ApiAccessSpec
    """Who reaches the API server."""
    autoscaler: AutoscalerSpec
    """The autoscaler's profile."""
    system_pool: SystemPoolSpec
    """The pool of AKS's own add-ons."""
    blob_driver: Input[bool]
    """Whether AKS runs the CSI driver of Blob storage. Default: true."""
    managed_prometheus: bool
    """Whether AKS runs the add-on that sends metrics to Azure's managed Prometheus (`Alerting`). Default: false."""
    ssh: SshSpec | None
    """SSH access to nodes. Default: none."""
    adopted: bool
    """Whether it was made by other means and imported: its network, and all that these arguments do not state, stay as
    they are. Default: false."""
    tags: TextsByName
    """Tags of every taggable child."""
