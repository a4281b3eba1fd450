"""The AKS cluster: identity, control plane with its one system pool, upgrades, and the kubeconfig."""

import base64
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network
from typing import Any, Final, cast

import pulumi
from pulumi_azure_native import containerservice as aks
from pulumi_azure_native import managedidentity

from ..arguments.checked import checked, whole
from ..arguments.inputs import merged, when_known
from ..azure.arm_ids import parent_id
from ..azure.roles import CONTRIBUTOR, NETWORK_CONTRIBUTOR, PRIVATE_DNS_ZONE_CONTRIBUTOR, role_assignment
from ..monitoring.alert_rules import LABELS_ALLOWED
from ..pools.conventions import SYSTEM_TAINT
from ..pools.upgrade_settings import upgrade_settings
from .aks_cluster_args import (
    AksClusterArgs,
    ApiAccessSpec,
    AutoscalerSpec,
    ClusterNetworkSpec,
    KubernetesSpec,
    SshSpec,
)
from .cluster_rules import cluster_rules
from .kubeconfig import with_kubelogin_mode

IGNORED: Final = [
    "agentPoolProfiles[0].count",  # after creation the autoscaler decides it
    "networkProfile.serviceCidrs",  # AKS makes it of serviceCidr; without it an imported cluster would be replaced
]
"""Properties that stay as they are."""
ADOPTED: Final = [
    *IGNORED,
    "addonProfiles",
    "aiToolchainOperatorProfile",
    "apiServerAccessProfile.enablePrivateClusterPublicFQDN",
    "bootstrapProfile",
    "diskEncryptionSetID",
    "dnsPrefix",
    "extendedLocation",
    "fqdnSubdomain",
    "httpProxyConfig",
    "identityProfile",
    "ingressProfile",
    "kind",
    "networkProfile",
    "nodeProvisioningProfile",
    "nodeResourceGroupProfile",
    "podIdentityProfile",
    "privateLinkResources",
    "publicNetworkAccess",
    "securityProfile.azureKeyVaultKms",
    "securityProfile.customCATrustCertificates",
    "securityProfile.defender",
    "serviceMeshProfile",
    "servicePrincipalProfile",
    "storageProfile.diskCSIDriver",
    "storageProfile.fileCSIDriver",
    "storageProfile.snapshotController",
    "upgradeSettings",
    "windowsProfile",
    "workloadAutoScalerProfile",
]
"""Properties of an adopted cluster that stay as they are: the names and the network that it has for life, and add-ons
and profiles that the arguments do not state."""

WINDOW: Final = [
    "maintenanceWindow.notAllowedDates",
    "maintenanceWindow.startDate",
    "notAllowedTime",
    "timeInWeek",
]
"""Properties of an adopted maintenance window that stay as they are."""


class AksCluster(pulumi.ComponentResource):
    """One AKS cluster. User pools are `AgentPools`, so that changing one never touches the cluster."""

    name: pulumi.Output[str]
    """Name of the cluster."""
    cluster_id: pulumi.Output[str]
    """ARM id of the cluster; stays the same when its address changes."""
    fqdn: pulumi.Output[str]
    """Name of the API server."""
    kubeconfig: pulumi.Output[str]
    """Secret: kubeconfig of a cluster admin."""
    oidc_issuer: pulumi.Output[str]
    """URL of the issuer that vouches for the cluster's service accounts."""
    kubelet_object_id: pulumi.Output[str]
    """Object id of the identity that pulls images."""
    managed_cluster: aks.ManagedCluster
    """The cluster itself, for `deleted_with` and for what this component does not offer."""

    def __init__(self, name: str, args: AksClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        args = checked("AksCluster", AksClusterArgs, args, cluster_rules)
        super().__init__("kubeflow-aks:index:AksCluster", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        identity_id, rights = args.get("identity_id"), []
        if identity_id is None:
            identity_id, rights = _identity(name, args, self)
        self.managed_cluster = _managed_cluster(name, args, identity_id, self, rights)
        window = pulumi.ResourceOptions.merge(
            child,
            pulumi.ResourceOptions(
                deleted_with=self.managed_cluster, ignore_changes=WINDOW if args.get("adopted") else None
            ),
        )
        for config in ("aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule"):
            _maintenance(f"{name}-{config}", config, args, self.managed_cluster, window)
        self.name = self.managed_cluster.name
        self.cluster_id = self.managed_cluster.id
        private = args.get("api_access", {}).get("private_cluster")
        self.fqdn = self.managed_cluster.private_fqdn if private else self.managed_cluster.fqdn
        self.kubelet_object_id = self.managed_cluster.identity_profile.apply(_kubelet_object_id)
        self.oidc_issuer = self.managed_cluster.oidc_issuer_profile.apply(
            lambda profile: (profile.issuer_url if profile else None) or ""
        )
        self.kubeconfig = _kubeconfig(args, self.managed_cluster)
        self.register_outputs(
            {
                "name": self.name,
                "clusterId": self.cluster_id,
                "fqdn": self.fqdn,
                "kubeconfig": self.kubeconfig,
                "oidcIssuer": self.oidc_issuer,
                "kubeletObjectId": self.kubelet_object_id,
            }
        )


def _identity(
    name: str, args: AksClusterArgs, parent: pulumi.Resource
) -> tuple[pulumi.Output[str], list[pulumi.Resource]]:
    """The ARM id of an identity for the cluster, and its rights.

    They are on the group of the ingress's address and of its own network, and on what others own: MicrosoftDocs/
    azure-aks-docs, articles/aks/aks-service-permissions.md (2026-04-19). And on the groups that reserve capacity for
    its pools: docs/facts/aks.md#capacity-reservations.
    """
    identity = managedidentity.UserAssignedIdentity(
        f"{name}-identity",
        resource_name_=args.get(
            "identity_name", pulumi.Output.concat(args.get("cluster_name", name), "-identity")
        ),
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions(parent=parent),
    )
    zone = args.get("api_access", {}).get("private_dns_zone_id")
    zones = {} if zone is None else {"zone": zone}
    rights: list[pulumi.Resource] = [
        role_assignment(f"{name}-{suffix}", scope, role, identity.principal_id, parent)
        for role, scopes in ((NETWORK_CONTRIBUTOR, _networks(args)), (PRIVATE_DNS_ZONE_CONTRIBUTOR, zones))
        for suffix, scope in scopes.items()
    ]
    rights += [
        role_assignment(f"{name}-capacity-{suffix}", scope, CONTRIBUTOR, identity.principal_id, parent)
        for suffix, scope in args.get("capacity_reservation_groups", {}).items()
    ]
    return identity.id, rights


def _networks(args: AksClusterArgs) -> dict[str, pulumi.Input[str]]:
    """Scopes of Network Contributor, each once, by suffix of the assignment's name.

    A private cluster links its DNS zone to the virtual network of the nodes: MicrosoftDocs/azure-aks-docs,
    articles/aks/private-clusters.md (2026-08-05), "Hub and spoke with custom DNS".
    """
    network, access = args.get("network", {}), args.get("api_access", {})
    subnets = network.get("subnet_ids") or {}
    candidates = {
        "network": args["resource_group_id"],
        "routes": network.get("route_table_id"),
        **{f"{subnet}-subnet": arm_id for subnet, arm_id in subnets.items()},
        "api-subnet": access.get("subnet_id"),
    }
    if subnets and access.get("private_cluster"):
        candidates["vnet"] = when_known(parent_id, next(iter(subnets.values())))
    seen: set[str] = set()
    scopes: dict[str, pulumi.Input[str]] = {}
    for suffix, scope in candidates.items():
        key = scope.lower() if isinstance(scope, str) else suffix
        if scope is not None and key not in seen:
            scopes[suffix] = scope
        seen.add(key)
    return scopes


def _managed_cluster(
    name: str,
    args: AksClusterArgs,
    identity_id: pulumi.Input[str],
    parent: pulumi.Resource,
    rights: Sequence[pulumi.Resource],
) -> aks.ManagedCluster:
    kubernetes, access = args.get("kubernetes", {}), args.get("api_access", {})
    commands, cluster_name = access.get("run_command"), args.get("cluster_name", name)
    return aks.ManagedCluster(
        name,
        resource_name_=cluster_name,
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        dns_prefix=args.get("dns_prefix", cluster_name),
        node_resource_group=args.get("node_resource_group", pulumi.Output.concat(cluster_name, "-nodes")),
        kubernetes_version=kubernetes.get("version"),
        support_plan=kubernetes.get("support_plan"),
        sku=aks.ManagedClusterSKUArgs(
            name=aks.ManagedClusterSKUName.BASE,
            tier=kubernetes.get("tier"),
        ),
        identity=aks.ManagedClusterIdentityArgs(
            type=aks.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[identity_id]
        ),
        agent_pool_profiles=[_system_pool(args)],
        auto_scaler_profile=_autoscaler_profile(args.get("autoscaler", {})),
        auto_upgrade_profile=aks.ManagedClusterAutoUpgradeProfileArgs(
            upgrade_channel=kubernetes.get("upgrade_channel"),
            node_os_upgrade_channel=kubernetes.get("node_os_upgrade_channel"),
        ),
        network_profile=_network_profile(args.get("network", {})),
        api_server_access_profile=aks.ManagedClusterAPIServerAccessProfileArgs(
            authorized_ip_ranges=access.get("authorized_ip_ranges") or None,
            enable_private_cluster=access.get("private_cluster"),
            private_dns_zone=access.get("private_dns_zone_id"),
            enable_vnet_integration=True if access.get("subnet_id") else None,
            subnet_id=access.get("subnet_id"),
            disable_run_command=None if commands is None else not commands,
        ),
        enable_rbac=True,
        disable_local_accounts=not access.get("local_accounts"),
        aad_profile=_entra_profile(access),
        oidc_issuer_profile=aks.ManagedClusterOIDCIssuerProfileArgs(enabled=True),
        security_profile=aks.ManagedClusterSecurityProfileArgs(
            workload_identity=aks.ManagedClusterSecurityProfileWorkloadIdentityArgs(enabled=True),
            image_cleaner=aks.ManagedClusterSecurityProfileImageCleanerArgs(enabled=True, interval_hours=168),
        ),
        storage_profile=aks.ManagedClusterStorageProfileArgs(
            blob_csi_driver=aks.ManagedClusterStorageProfileBlobCSIDriverArgs(
                enabled=args.get("blob_driver", True)
            )
        ),
        linux_profile=_linux_profile(args.get("ssh")),
        metrics_profile=_metrics_profile(kubernetes),
        azure_monitor_profile=_prometheus() if args.get("managed_prometheus") else None,
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions(
            parent=parent,
            depends_on=rights,  # AKS joins the subnets while it makes the cluster
            ignore_changes=_ignored(args),
        ),
    )


def _ignored(args: AksClusterArgs) -> list[str]:
    if not args.get("adopted"):
        return IGNORED
    access = args.get("api_access", {})
    entra = bool(access.get("admin_group_object_ids"))
    unstated = {
        "aadProfile": not entra,
        "aadProfile.enableAzureRBAC": entra,
        "aadProfile.tenantID": entra,
        "apiServerAccessProfile.disableRunCommand": access.get("run_command") is None,
        "apiServerAccessProfile.enableVnetIntegration": access.get("subnet_id") is None,
        "apiServerAccessProfile.privateDNSZone": access.get("private_dns_zone_id") is None,
        "apiServerAccessProfile.subnetId": access.get("subnet_id") is None,
        "azureMonitorProfile": not args.get("managed_prometheus"),
        "linuxProfile": args.get("ssh") is None,
        "metricsProfile": args.get("kubernetes", {}).get("cost_analysis") is None,
    }
    return [*ADOPTED, *(name for name, missing in unstated.items() if missing)]


def _network_profile(network: ClusterNetworkSpec) -> aks.ContainerServiceNetworkProfileArgs:
    """CNI Overlay, as Canonical tests Charmed Kubeflow on AKS; with Azure's own data plane, as there, or with Cilium's.

    Without an engine nothing is sent, as before there was a choice: AKS keeps none, and every change of it replaces
    the cluster. Sources: canonical/charmed-kubeflow-solutions, .github/workflows/deploy-to-aks.yaml (2026-06-18);
    pulumi/pulumi-azure-native#4771.
    """
    services = network.get("service_cidr")
    policy = network.get("policy")
    return aks.ContainerServiceNetworkProfileArgs(
        network_plugin=aks.NetworkPlugin.AZURE,
        network_plugin_mode=aks.NetworkPluginMode.OVERLAY,
        network_dataplane=aks.NetworkDataplane.CILIUM if policy == "cilium" else aks.NetworkDataplane.AZURE,
        network_policy=None if policy == "none" else policy,
        load_balancer_sku=aks.LoadBalancerSku.STANDARD,
        outbound_type=network.get("outbound_type"),
        pod_cidr=network.get("pod_cidr"),
        service_cidr=services,
        dns_service_ip=when_known(_tenth_address, services),  # as AKS has it by default
    )


def _tenth_address(services: str) -> str:
    return str(IPv4Network(services)[10])


def _entra_profile(access: ApiAccessSpec) -> aks.ManagedClusterAADProfileArgs | None:
    groups = access.get("admin_group_object_ids")
    return aks.ManagedClusterAADProfileArgs(managed=True, admin_group_object_ids=groups) if groups else None


def _system_pool(args: AksClusterArgs) -> aks.ManagedClusterAgentPoolProfileArgs:
    """The system pool. It never states a Kubernetes version.

    AKS refuses a cluster that states one for some of its pools, and takes those made apart for pools without one
    (github.com/Azure/ARO-HCP/pull/662). Its nodes follow by `az aks nodepool upgrade`.

    What other means gave it is stated, not ignored: Azure lists the pools of a cluster in an order of its own, and the
    engine ignores by place.
    """
    pool = whole(args.get("system_pool", {}))
    stated = dict[str, Any](
        name=pool["name"],
        mode=aks.AgentPoolMode.SYSTEM,
        type=aks.AgentPoolType.VIRTUAL_MACHINE_SCALE_SETS,
        os_type=aks.OSType.LINUX,
        os_sku=args.get("kubernetes", {}).get("os_sku"),
        vm_size=pool["vm_size"],
        enable_auto_scaling=True,
        count=pool["min_count"],
        min_count=pool["min_count"],
        max_count=pool["max_count"],
        node_taints=[SYSTEM_TAINT],
        os_disk_type=pool["os_disk_type"],
        os_disk_size_gb=pool["os_disk_gib"],
        availability_zones=pool.get("zones") or None,
        max_pods=pool["max_pods"],
        enable_encryption_at_host=pool["encryption_at_host"] or None,
        vnet_subnet_id=pool.get("subnet_id"),
        upgrade_settings=upgrade_settings(pool["upgrade"]),
        tags=merged(args.get("tags", {}), pool.get("tags", {})) or None,
    )
    stated_only = {name: value for name, value in stated.items() if value is not None}
    return cast(aks.ManagedClusterAgentPoolProfileArgs, {**pool["other_properties"], **stated_only})


def _autoscaler_profile(profile: AutoscalerSpec) -> aks.ManagedClusterPropertiesAutoScalerProfileArgs:
    """The profile with its defaults. AKS takes every value as text, but for three booleans.

    Source: Azure/azure-rest-api-specs, containerservice/aks/stable/2025-09-01/managedClusters.json.
    """
    values: dict[str, Any] = {
        key: value if value is None or "daemonset" in key else when_known(_text, value)
        for key, value in profile.items()
    }
    return aks.ManagedClusterPropertiesAutoScalerProfileArgs(expander=aks.Expander.PRIORITY, **values)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _metrics_profile(kubernetes: KubernetesSpec) -> aks.ManagedClusterMetricsProfileArgs | None:
    if kubernetes.get("cost_analysis") is None:
        return None
    return aks.ManagedClusterMetricsProfileArgs(
        cost_analysis=aks.ManagedClusterCostAnalysisArgs(enabled=kubernetes.get("cost_analysis"))
    )


def _prometheus() -> aks.ManagedClusterAzureMonitorProfileArgs:
    """The add-on; its kube-state-metrics shows no label of a node that is not in the list."""
    shown = aks.ManagedClusterAzureMonitorProfileKubeStateMetricsArgs(
        metric_labels_allowlist=LABELS_ALLOWED, metric_annotations_allow_list=""
    )
    return aks.ManagedClusterAzureMonitorProfileArgs(
        metrics=aks.ManagedClusterAzureMonitorProfileMetricsArgs(enabled=True, kube_state_metrics=shown)
    )


def _linux_profile(ssh: SshSpec | None) -> aks.ContainerServiceLinuxProfileArgs | None:
    if ssh is None:
        return None
    key = aks.ContainerServiceSshPublicKeyArgs(key_data=ssh["public_key"])
    return aks.ContainerServiceLinuxProfileArgs(
        admin_username=whole(ssh)["admin_username"],
        ssh=aks.ContainerServiceSshConfigurationArgs(public_keys=[key]),
    )


def _maintenance(
    name: str, config: str, args: AksClusterArgs, cluster: aks.ManagedCluster, opts: pulumi.ResourceOptions
) -> aks.MaintenanceConfiguration:
    window = whole(args.get("kubernetes", {}).get("maintenance", {}))
    weekly = aks.WeeklyScheduleArgs(day_of_week=window["day"], interval_weeks=1)
    return aks.MaintenanceConfiguration(
        name,
        config_name=config,
        resource_group_name=args["resource_group_name"],
        resource_name_=cluster.name,
        maintenance_window=aks.MaintenanceWindowArgs(
            schedule=aks.ScheduleArgs(weekly=weekly),
            start_time=window["start_time"],
            duration_hours=window["duration_hours"],
            utc_offset=window["utc_offset"],
        ),
        opts=opts,
    )


def _kubeconfig(args: AksClusterArgs, cluster: aks.ManagedCluster) -> pulumi.Output[str]:
    """The admin's kubeconfig, or the user's for kubelogin where AKS refuses the admin's: local accounts are off.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/local-accounts.md (2026-08-21).
    """
    access = args.get("api_access", {})
    # Without a parent the default provider is called, which may be another subscription's.
    opts = pulumi.InvokeOutputOptions(parent=cluster)
    if access.get("local_accounts"):
        admin = aks.list_managed_cluster_admin_credentials_output(
            resource_group_name=args["resource_group_name"], resource_name=cluster.name, opts=opts
        )
        return pulumi.Output.secret(admin.kubeconfigs.apply(_first))
    user = aks.list_managed_cluster_user_credentials_output(
        resource_group_name=args["resource_group_name"], resource_name=cluster.name, format="exec", opts=opts
    )
    mode = access.get("kubelogin_mode")
    return pulumi.Output.secret(
        pulumi.Output.all(user.kubeconfigs.apply(_first), mode).apply(
            lambda credentials: with_kubelogin_mode(*credentials)
        )
    )


def _first(credentials: Sequence[aks.outputs.CredentialResultResponse]) -> str:
    return base64.b64decode(credentials[0].value).decode()


def _kubelet_object_id(
    profile: Mapping[str, aks.outputs.UserAssignedIdentityManagedClusterResponse] | None,
) -> str:
    return (profile or {})["kubeletidentity"].object_id or ""
