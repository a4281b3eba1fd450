"""Settings of the control plane: version and upgrades, access to the API server, autoscaler, registry."""

from components.arguments import choices, defaults, limits
from program.settings._model import SettingsModel, setting


class MaintenanceWindow(SettingsModel):
    """When AKS may upgrade the cluster and its node images."""

    day: choices.Weekday = setting(
        defaults.MAINTENANCE_DAY,
        about="Day of the week on which upgrades start.",
        source="planned-maintenance.md",
    )
    start_time: str = setting(
        defaults.MAINTENANCE_START,
        about="Local time at which the window opens.",
        unit="HH:MM",
        source="planned-maintenance.md",
        **limits.TIME_OF_DAY,
    )
    duration_hours: int = setting(
        defaults.MAINTENANCE_HOURS,
        about="Length of the window.",
        unit="hours",
        source="planned-maintenance.md: 4 to 24",
        **limits.MAINTENANCE_HOURS,
    )
    utc_offset: str = setting(
        defaults.MAINTENANCE_UTC_OFFSET,
        about="Offset of the local time from UTC.",
        unit="±HH:MM",
        source="planned-maintenance.md",
        **limits.UTC_OFFSET,
    )


class Kubernetes(SettingsModel):
    """Version of Kubernetes, its support plan and its upgrades."""

    version: str = setting(
        defaults.KUBERNETES_VERSION,
        about="Kubernetes minor; AKS picks the patch release.",
        unit="major.minor",
        source="docs/reference/supported-versions.rst: the newest that Charmed Kubeflow 1.11 is validated on",
        **limits.MINOR_VERSION,
    )
    accept_unvalidated: bool = setting(
        False,
        about="Take a minor that this release of Charmed Kubeflow is not validated on, with a warning; a newer one has "
        "standard support, where the validated ones need long-term support.",
        source="docs/decisions/0002-long-term-support-is-the-default.md",
    )
    support_plan: choices.SupportPlan = setting(
        defaults.SUPPORT_PLAN,
        about="Support plan; long-term support needs the Premium tier.",
        source="docs/decisions/0002-long-term-support-is-the-default.md",
    )
    tier: choices.Tier = setting(
        defaults.TIER,
        about="Pricing tier of the control plane, which sets its price and SLA.",
        source="free-standard-pricing-tiers.md",
    )
    upgrade_channel: choices.UpgradeChannel = setting(
        defaults.UPGRADE_CHANNEL,
        about="Automatic upgrades of Kubernetes; AKS's other channels leave the minors that Kubeflow supports.",
        source="auto-upgrade-cluster.md",
    )
    node_os_upgrade_channel: choices.NodeOsUpgradeChannel = setting(
        defaults.NODE_OS_UPGRADE_CHANNEL,
        about="Automatic upgrades of the nodes' operating system.",
        source="auto-upgrade-node-os-image.md",
    )
    os_sku: choices.OsSku = setting(
        defaults.OS_SKU,
        about="Operating system of the nodes; Ubuntu is 22.04 up to Kubernetes 1.34 and 24.04 from 1.35 on.",
        source="upgrade-os-version.md; docs/decisions/0002-long-term-support-is-the-default.md",
    )
    cost_analysis: bool | None = setting(
        None,
        about="Show in Azure's portal what each namespace costs, under an Enterprise or Customer Agreement; needs the "
        "tier Standard or Premium. Left out: unchanged; false for a new cluster.",
        source="cost-analysis.md",
    )
    maintenance: MaintenanceWindow = setting(
        MaintenanceWindow(), about="When both kinds of upgrade may run.", source="planned-maintenance.md"
    )


class ApiAccess(SettingsModel):
    """Who can reach the API server, and how they sign in."""

    authorized_ip_ranges: tuple[str, ...] = setting(
        (),
        about="Public address ranges that may call the API server; empty means all.",
        unit="CIDR, or one address",
        source="api-server-authorized-ip-ranges.md: up to 200; with a NAT gateway up to 199 beside its own",
        max_length=200,
    )
    private_cluster: bool = setting(
        defaults.PRIVATE_CLUSTER,
        about="Give the API server a private address only; Pulumi and Juju must then run inside the network.",
        source="private-clusters.md",
    )
    private_dns_zone_id: str | None = setting(
        None,
        about="Private DNS zone of a private cluster that others own; the cluster gets the right to write to it. Left "
        "out: AKS makes one in the group of the nodes.",
        unit="ARM id",
        source="private-clusters.md",
        form="/subscriptions/<subscription>/resourceGroups/<group>/providers/Microsoft.Network/privateDnsZones/<name>",
    )
    subnet_id: str | None = setting(
        None,
        about="Subnet for the API server itself in the network of `network.subnetIds`, delegated to AKS and /28 or "
        "larger; it can't be taken away again. Left out: the API server is in Azure's network.",
        unit="ARM id",
        source="api-server-vnet-integration.md",
    )
    run_command: bool | None = setting(
        None,
        about="Allow `az aks command invoke`, which runs commands by Azure's API whatever the address ranges. Left "
        "out: unchanged; true for a new cluster.",
        source="access-private-cluster.md",
    )
    local_accounts: bool = setting(
        defaults.LOCAL_ACCOUNTS,
        about="Keep the certificate-based admin account; false requires Entra admin groups.",
        source="local-accounts.md",
    )
    admin_group_object_ids: tuple[str, ...] = setting(
        (),
        about="Entra groups whose members are cluster admins; any entry turns Entra sign-in on for good.",
        unit="object id (GUID)",
        source="enable-authentication-microsoft-entra-id.md",
    )
    kubelogin_mode: choices.KubeloginMode = setting(
        defaults.KUBELOGIN_MODE,
        about="How kubelogin signs Pulumi in when local accounts are off.",
        source='"kubelogin documentation"',
    )


class Ssh(SettingsModel):
    """SSH access to the nodes; leave it out to have none."""

    admin_username: str = setting(
        defaults.SSH_USERNAME,
        about="Name of the admin user on every node; none of the common ones that Azure refuses, like admin.",
        source='managedClusters.json, linuxProfile; "Compute REST API"',
        pattern=r"^[A-Za-z][-A-Za-z0-9_]*$",
        form="letters, digits, hyphens and underscores, a letter first",
    )
    public_key: str = setting(
        about="OpenSSH public key of that user, RSA with 2048 bits or more.",
        unit="ssh-rsa base64 [comment]",
        source='managedClusters.json, linuxProfile; "SSH keys for Linux VMs in Azure"',
    )


class Registry(SettingsModel):
    """The container registry the nodes pull from: a new one, or one that exists."""

    attach: str | None = setting(
        None,
        about="Registry to use instead of a new one; whoever runs `pulumi up` needs the right to assign roles on it.",
        unit="ARM id",
        source="docs/facts/aks.md#identity-and-registry",
        form="/subscriptions/<subscription>/resourceGroups/<group>/providers/Microsoft.ContainerRegistry/registries/<name>",
    )
    sku: choices.RegistrySku = setting(
        defaults.REGISTRY_SKU,
        about="Tier of the new registry.",
        source='"Azure Container Registry service tiers"',
    )
    retention_days: int | None = setting(
        None,
        about="How long a Premium registry keeps an image that no tag names any more, also one that is pulled by its "
        "digest; Azure calls this a preview. Left out: for ever.",
        unit="days",
        source="container-registry-retention-policy.md: up to 365",
        **limits.IMAGE_DAYS,
    )
    authorized_ip_ranges: tuple[str, ...] = setting(
        (),
        about="Public address ranges that may use a Premium registry; the NAT gateway's is added. Empty means all.",
        unit="CIDR, or one address",
        source="container-registry-access-selected-networks.md: up to 100, the NAT gateway's included",
        max_length=100,
    )


class Autoscaler(SettingsModel):
    """The cluster autoscaler's profile; one for all pools. The expander is always `priority`."""

    scan_interval: str = setting(
        defaults.AUTOSCALER["scan_interval"],
        about="How often the autoscaler checks for pods that need a node.",
        unit="whole seconds",
        source="managedClusters.json, scan-interval",
        **limits.SECONDS,
    )
    max_node_provision_time: str = setting(
        defaults.AUTOSCALER["max_node_provision_time"],
        about="How long a new node may take to be ready; a VM that never boots delays the fallback this long.",
        unit="whole minutes",
        source="docs/facts/aks.md#shortage-and-fallback",
        **limits.MINUTES,
    )
    scale_down_delay_after_add: str = setting(
        defaults.AUTOSCALER["scale_down_delay_after_add"],
        about="How long after a scale-up no node is removed.",
        unit="whole minutes",
        source="cluster-autoscaler.md",
        **limits.MINUTES_OR_NONE,
    )
    scale_down_unneeded_time: str = setting(
        defaults.AUTOSCALER["scale_down_unneeded_time"],
        about="How long a node must be unneeded before it is removed.",
        unit="whole minutes",
        source="cluster-autoscaler.md",
        **limits.MINUTES_OR_NONE,
    )
    scale_down_utilization_threshold: float = setting(
        defaults.AUTOSCALER["scale_down_utilization_threshold"],
        about="Share of requested resources below which a node counts as unneeded.",
        unit="0–1",
        source="cluster-autoscaler.md",
        **limits.SHARE,
    )
    balance_similar_node_groups: bool = setting(
        defaults.AUTOSCALER["balance_similar_node_groups"],
        about="Spread new nodes over similar pools, such as one pool per zone.",
        source="cluster-autoscaler-overview.md",
    )
    skip_nodes_with_local_storage: bool = setting(
        defaults.AUTOSCALER["skip_nodes_with_local_storage"],
        about="Never remove nodes whose pods use emptyDir, as every charm does.",
        source="docs/facts/charmed-kubeflow.md#lost-nodes",
    )
    skip_nodes_with_system_pods: bool = setting(
        defaults.AUTOSCALER["skip_nodes_with_system_pods"],
        about="Never remove nodes that run kube-system pods.",
        source="docs/facts/charmed-kubeflow.md#lost-nodes",
    )
    max_graceful_termination_sec: int = setting(
        defaults.AUTOSCALER["max_graceful_termination_sec"],
        about="Longest grace period of pods on a node that is removed.",
        unit="seconds",
        source="cluster-autoscaler.md",
        **limits.GRACE_SECONDS,
    )
