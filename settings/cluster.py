"""Settings of the control plane: version and upgrades, access to the API server, autoscaler, registry."""

from typing import Literal

from settings._model import SettingsModel, setting

Weekday = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
DURATION = r"^[1-9][0-9]*(s|m|h)$"
MINUTES = r"^[1-9][0-9]*m$"


class MaintenanceWindow(SettingsModel):
    """When AKS may upgrade the cluster and its node images."""

    day: Weekday = setting(
        "Saturday", about="Day of the week on which upgrades start.", source="AKS planned-maintenance"
    )
    start_time: str = setting(
        "22:00",
        about="Local time at which the window opens.",
        unit="HH:MM",
        source="AKS planned-maintenance",
        pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$",
    )
    duration_hours: int = setting(
        6, about="Length of the window.", unit="hours", source="AKS planned-maintenance: 4 to 24", ge=4, le=24
    )
    utc_offset: str = setting(
        "+00:00",
        about="Offset of the local time from UTC.",
        unit="±HH:MM",
        source="AKS planned-maintenance",
        pattern=r"^[+-](0[0-9]|1[0-4]):[0-5][0-9]$",
    )


class Kubernetes(SettingsModel):
    """Version of Kubernetes, how it is supported and how it moves."""

    version: str = setting(
        "1.34",
        about="Kubernetes minor; AKS picks the patch release.",
        unit="major.minor",
        source="ckf.md §1.1: newest minor Charmed Kubeflow 1.11 is validated on",
        pattern=r"^1\.[0-9]{1,2}$",
    )
    support_plan: Literal["KubernetesOfficial", "AKSLongTermSupport"] = setting(
        "AKSLongTermSupport",
        about="Support plan; long-term support needs the Premium tier.",
        source="ckf.md §1.2, docs/decisions/0002: 1.34 leaves standard support on 2026-11-30",
    )
    tier: Literal["Free", "Standard", "Premium"] = setting(
        "Premium", about="Tier of the control plane, with its price and SLA.", source="aks.md §5"
    )
    upgrade_channel: Literal["patch", "none"] = setting(
        "patch",
        about="Automatic upgrades of Kubernetes; AKS's other channels would leave what Kubeflow is tested on.",
        source="ckf.md §1.2",
    )
    node_os_upgrade_channel: Literal["NodeImage", "SecurityPatch", "Unmanaged", "None"] = setting(
        "NodeImage", about="Automatic upgrades of the nodes' operating system.", source="aks.md §5"
    )
    maintenance: MaintenanceWindow = setting(
        MaintenanceWindow(), about="When both kinds of upgrade may run.", source="aks.md §5"
    )


class ApiAccess(SettingsModel):
    """Who reaches the API server, and how they sign in."""

    authorized_ip_ranges: tuple[str, ...] = setting(
        (),
        about="Public address ranges that may call the API server; empty means all.",
        unit="CIDR",
        source="AKS api-server-authorized-ip-ranges: up to 200",
        max_length=200,
    )
    private_cluster: bool = setting(
        False,
        about="Give the API server a private address only; Pulumi and Juju must then run inside the network.",
        source="aks.md §5",
    )
    local_accounts: bool = setting(
        True,
        about="Keep the certificate-based admin account; off needs Entra admin groups.",
        source="AKS manage-local-accounts-managed-azure-ad",
    )
    admin_group_object_ids: tuple[str, ...] = setting(
        (),
        about="Entra groups whose members are cluster admins; any entry turns Entra sign-in on, for good.",
        unit="object id (GUID)",
        source="aks.md §5",
    )
    kubelogin_mode: Literal["azurecli", "workloadidentity", "msi"] = setting(
        "azurecli",
        about="How kubelogin signs Pulumi in when local accounts are off.",
        source="kubelogin documentation",
    )


class Ssh(SettingsModel):
    """SSH access to the nodes; leave it out to have none."""

    admin_username: str = setting(
        "azureuser",
        about="Name of the admin user on every node.",
        source="AKS linuxProfile",
        pattern=r"^[A-Za-z][-A-Za-z0-9_]*$",
    )
    public_key: str = setting(
        about="OpenSSH public key of that user.",
        unit="ssh-… base64 [comment]",
        source="AKS linuxProfile",
        pattern=r"^(ssh-rsa|ssh-ed25519) [A-Za-z0-9+/]+={0,3}( .*)?$",
    )


class Registry(SettingsModel):
    """The container registry the nodes pull from: a new one, or one that exists."""

    attach: str | None = setting(
        None,
        about="Registry to use instead of creating one.",
        unit="ARM id",
        source="aks.md §5: AcrPull for the kubelet identity",
        pattern=r"^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.ContainerRegistry/registries/[^/]+$",
    )
    sku: Literal["Basic", "Standard", "Premium"] = setting(
        "Standard", about="Tier of the new registry.", source="Azure Container Registry service tiers"
    )


class Autoscaler(SettingsModel):
    """The cluster autoscaler's profile; one for all pools. The expander is always `priority`."""

    scan_interval: str = setting(
        "10s",
        about="How often it looks for work.",
        unit="duration",
        source="AKS cluster-autoscaler profile",
        pattern=DURATION,
    )
    max_node_provision_time: str = setting(
        "10m",
        about="How long a node may take to come; also how long silent shortage delays the fallback.",
        unit="whole minutes",
        source="engine.md §5.3, aks.md §3.4",
        pattern=MINUTES,
    )
    scale_down_delay_after_add: str = setting(
        "10m",
        about="Rest after a scale-up before scale-down is considered.",
        unit="whole minutes",
        source="AKS cluster-autoscaler profile",
        pattern=MINUTES,
    )
    scale_down_unneeded_time: str = setting(
        "10m",
        about="How long a node must be unneeded before it goes.",
        unit="whole minutes",
        source="AKS cluster-autoscaler profile",
        pattern=MINUTES,
    )
    scale_down_utilization_threshold: float = setting(
        0.5,
        about="Share of requested resources below which a node counts as unneeded.",
        unit="0–1",
        source="AKS cluster-autoscaler profile",
        ge=0,
        le=1,
    )
    balance_similar_node_groups: bool = setting(
        False,
        about="Spread new nodes over pools that are alike, as with one pool per zone.",
        source="AKS cluster-autoscaler-overview",
    )
    skip_nodes_with_local_storage: bool = setting(
        True, about="Never remove nodes whose pods use emptyDir, as every charm does.", source="ckf.md §3.2"
    )
    skip_nodes_with_system_pods: bool = setting(
        True, about="Never remove nodes that run kube-system pods.", source="ckf.md §3.2"
    )
    max_graceful_termination_sec: int = setting(
        600,
        about="Longest grace period it waits for pods of a node it removes.",
        unit="seconds",
        source="AKS cluster-autoscaler profile",
        ge=0,
        le=3600,
    )
