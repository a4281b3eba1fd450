"""The AKS cluster: identity, control plane with its one system pool, upgrades, and the kubeconfig."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network
from typing import Final

import pulumi
from pulumi_azure_native import containerservice as aks
from pulumi_azure_native import managedidentity

from components.aks_cluster_args import (
    AksClusterArgs,
    ApiAccessSpec,
    AutoscalerSpec,
    ClusterNetworkSpec,
    MaintenanceSpec,
    SshSpec,
)
from components.conventions import SYSTEM_TAINT
from components.kubeconfig import with_kubelogin_mode
from components.mistakes import Mistake, refuse
from components.pool_checks import system_pool_mistakes
from components.pool_specs import DEFAULT_MAX_PODS, DEFAULT_OS_DISK_GIB, DEFAULT_SYSTEM_NODES, SystemPoolSpec
from components.roles import NETWORK_CONTRIBUTOR, role_assignment

_SERVICES: Final = "10.0.0.0/16"
_POLICIES: Final = ("none", "calico", "cilium")
"""Azure's own engine ends, so it is not offered (docs/facts/aks.md#network-policy)."""


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
        refuse("AksCluster", _mistakes(args))
        super().__init__("kubeflow-aks:index:AksCluster", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        identity = managedidentity.UserAssignedIdentity(
            f"{name}-identity",
            resource_name_=f"{name}-identity",
            resource_group_name=args["resource_group_name"],
            location=args["location"],
            tags=args.get("tags"),
            opts=child,
        )
        # On the group of its network, and on a route table elsewhere: MicrosoftDocs/azure-aks-docs,
        # articles/aks/aks-service-permissions.md (2026-04-19).
        scopes = {
            "network": args["resource_group_id"],
            "routes": args.get("network", {}).get("route_table_id"),
        }
        rights = [
            role_assignment(f"{name}-{suffix}", scope, NETWORK_CONTRIBUTOR, identity.principal_id, self)
            for suffix, scope in scopes.items()
            if scope is not None
        ]
        self.managed_cluster = _managed_cluster(name, args, identity.id, self, rights)
        for config in ("aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule"):
            _maintenance(f"{name}-{config}", config, args, self.managed_cluster, child)
        self.name = self.managed_cluster.name
        self.cluster_id = self.managed_cluster.id
        private = args.get("api_access", {}).get("private_cluster", False)
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


def _mistakes(args: AksClusterArgs) -> Iterator[Mistake]:
    yield from system_pool_mistakes(args.get("system_pool", {}))
    services = args.get("network", {}).get("service_cidr", _SERVICES)
    try:
        IPv4Network(services)
    except ValueError:
        yield Mistake(
            "network.serviceCidr", services, f"an IPv4 range in CIDR form, for instance {_SERVICES}"
        )
    policy = args.get("network", {}).get("policy", "none")
    if policy not in _POLICIES:
        yield Mistake("network.policy", policy, f"one of {', '.join(_POLICIES)}")


def _managed_cluster(
    name: str,
    args: AksClusterArgs,
    identity_id: pulumi.Input[str],
    parent: pulumi.Resource,
    rights: Sequence[pulumi.Resource],
) -> aks.ManagedCluster:
    kubernetes, access = args.get("kubernetes", {}), args.get("api_access", {})
    commands = access.get("run_command")
    return aks.ManagedCluster(
        name,
        resource_name_=name,
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        dns_prefix=name,
        node_resource_group=f"{name}-nodes",
        kubernetes_version=kubernetes.get("version", "1.34"),
        support_plan=kubernetes.get("support_plan", aks.KubernetesSupportPlan.AKS_LONG_TERM_SUPPORT),
        sku=aks.ManagedClusterSKUArgs(
            name=aks.ManagedClusterSKUName.BASE,
            tier=kubernetes.get("tier", aks.ManagedClusterSKUTier.PREMIUM),
        ),
        identity=aks.ManagedClusterIdentityArgs(
            type=aks.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[identity_id]
        ),
        agent_pool_profiles=[_system_pool(args, kubernetes.get("os_sku", aks.OSSKU.UBUNTU))],
        auto_scaler_profile=_autoscaler_profile(args.get("autoscaler", {})),
        auto_upgrade_profile=aks.ManagedClusterAutoUpgradeProfileArgs(
            upgrade_channel=kubernetes.get("upgrade_channel", aks.UpgradeChannel.PATCH),
            node_os_upgrade_channel=kubernetes.get(
                "node_os_upgrade_channel", aks.NodeOSUpgradeChannel.NODE_IMAGE
            ),
        ),
        network_profile=_network_profile(args.get("network", {})),
        api_server_access_profile=aks.ManagedClusterAPIServerAccessProfileArgs(
            authorized_ip_ranges=access.get("authorized_ip_ranges") or None,
            enable_private_cluster=access.get("private_cluster", False),
            disable_run_command=None if commands is None else not commands,
        ),
        enable_rbac=True,
        disable_local_accounts=not access.get("local_accounts", True),
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
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions(
            parent=parent,
            depends_on=rights,  # AKS joins the subnets while it makes the cluster
            ignore_changes=["agentPoolProfiles[0].count"],  # after creation the autoscaler decides it
        ),
    )


def _network_profile(network: ClusterNetworkSpec) -> aks.ContainerServiceNetworkProfileArgs:
    """CNI Overlay, as Canonical tests Charmed Kubeflow on AKS; with Azure's own data plane, as there, or with Cilium's.

    Without an engine nothing is sent, as before there was a choice: AKS keeps none, and every change of it replaces
    the cluster. Sources: canonical/charmed-kubeflow-solutions, .github/workflows/deploy-to-aks.yaml (2026-06-18);
    pulumi/pulumi-azure-native#4771.
    """
    services = network.get("service_cidr", _SERVICES)
    policy = network.get("policy", "none")
    return aks.ContainerServiceNetworkProfileArgs(
        network_plugin=aks.NetworkPlugin.AZURE,
        network_plugin_mode=aks.NetworkPluginMode.OVERLAY,
        network_dataplane=aks.NetworkDataplane.CILIUM if policy == "cilium" else aks.NetworkDataplane.AZURE,
        network_policy=None if policy == "none" else policy,
        load_balancer_sku=aks.LoadBalancerSku.STANDARD,
        outbound_type=network.get("outbound_type", aks.OutboundType.LOAD_BALANCER),
        pod_cidr=network.get("pod_cidr", "10.244.0.0/16"),
        service_cidr=services,
        dns_service_ip=str(IPv4Network(services)[10]),  # the tenth address, as AKS has it by default
    )


def _entra_profile(access: ApiAccessSpec) -> aks.ManagedClusterAADProfileArgs | None:
    groups = access.get("admin_group_object_ids")
    return aks.ManagedClusterAADProfileArgs(managed=True, admin_group_object_ids=groups) if groups else None


def _system_pool(args: AksClusterArgs, os_sku: str) -> aks.ManagedClusterAgentPoolProfileArgs:
    """The system pool. It never states a Kubernetes version.

    AKS refuses a cluster that states one for some of its pools, and takes those made apart for pools without one
    (github.com/Azure/ARO-HCP/pull/662). Its nodes follow by `az aks nodepool upgrade`.
    """
    pool: SystemPoolSpec = args.get("system_pool", {})
    fewest, most = DEFAULT_SYSTEM_NODES
    return aks.ManagedClusterAgentPoolProfileArgs(
        name=pool.get("name", "system"),
        mode=aks.AgentPoolMode.SYSTEM,
        type=aks.AgentPoolType.VIRTUAL_MACHINE_SCALE_SETS,
        os_type=aks.OSType.LINUX,
        os_sku=os_sku,
        vm_size=pool.get("vm_size", "Standard_D4s_v5"),
        enable_auto_scaling=True,
        count=pool.get("min_count", fewest),
        min_count=pool.get("min_count", fewest),
        max_count=pool.get("max_count", most),
        node_taints=[SYSTEM_TAINT],
        os_disk_type=aks.OSDiskType.MANAGED,
        os_disk_size_gb=pool.get("os_disk_gib", DEFAULT_OS_DISK_GIB),
        availability_zones=pool.get("zones") or None,
        max_pods=pool.get("max_pods", DEFAULT_MAX_PODS),
        enable_encryption_at_host=pool.get("encryption_at_host") or None,
        vnet_subnet_id=pool.get("subnet_id"),
        upgrade_settings=aks.AgentPoolUpgradeSettingsArgs(max_surge="1"),
        tags=args.get("tags"),
    )


def _autoscaler_profile(profile: AutoscalerSpec) -> aks.ManagedClusterPropertiesAutoScalerProfileArgs:
    """AKS takes every value as text, but for three booleans that are not set here.

    Source: Azure/azure-rest-api-specs, containerservice/aks/stable/2025-09-01/managedClusters.json.
    """
    return aks.ManagedClusterPropertiesAutoScalerProfileArgs(
        expander=aks.Expander.PRIORITY,
        scan_interval=profile.get("scan_interval", "10s"),
        max_node_provision_time=profile.get("max_node_provision_time", "10m"),
        scale_down_delay_after_add=profile.get("scale_down_delay_after_add", "10m"),
        scale_down_unneeded_time=profile.get("scale_down_unneeded_time", "10m"),
        scale_down_utilization_threshold=str(profile.get("scale_down_utilization_threshold", 0.5)),
        balance_similar_node_groups=_text(profile.get("balance_similar_node_groups", False)),
        skip_nodes_with_local_storage=_text(profile.get("skip_nodes_with_local_storage", True)),
        skip_nodes_with_system_pods=_text(profile.get("skip_nodes_with_system_pods", True)),
        max_graceful_termination_sec=str(profile.get("max_graceful_termination_sec", 600)),
    )


def _text(value: bool) -> str:  # noqa: FBT001 - turns exactly one boolean into text
    return "true" if value else "false"


def _linux_profile(ssh: SshSpec | None) -> aks.ContainerServiceLinuxProfileArgs | None:
    if ssh is None:
        return None
    key = aks.ContainerServiceSshPublicKeyArgs(key_data=ssh["public_key"])
    return aks.ContainerServiceLinuxProfileArgs(
        admin_username=ssh.get("admin_username", "azureuser"),
        ssh=aks.ContainerServiceSshConfigurationArgs(public_keys=[key]),
    )


def _maintenance(
    name: str, config: str, args: AksClusterArgs, cluster: aks.ManagedCluster, opts: pulumi.ResourceOptions
) -> aks.MaintenanceConfiguration:
    window: MaintenanceSpec = args.get("kubernetes", {}).get("maintenance", {})
    weekly = aks.WeeklyScheduleArgs(day_of_week=window.get("day", aks.WeekDay.SATURDAY), interval_weeks=1)
    return aks.MaintenanceConfiguration(
        name,
        config_name=config,
        resource_group_name=args["resource_group_name"],
        resource_name_=cluster.name,
        maintenance_window=aks.MaintenanceWindowArgs(
            schedule=aks.ScheduleArgs(weekly=weekly),
            start_time=window.get("start_time", "22:00"),
            duration_hours=window.get("duration_hours", 6),
            utc_offset=window.get("utc_offset", "+00:00"),
        ),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(deleted_with=cluster)),
    )


def _kubeconfig(args: AksClusterArgs, cluster: aks.ManagedCluster) -> pulumi.Output[str]:
    """The admin's kubeconfig, or the user's for kubelogin where AKS refuses the admin's: local accounts are off.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/local-accounts.md (2026-08-21).
    """
    access = args.get("api_access", {})
    if access.get("local_accounts", True):
        admin = aks.list_managed_cluster_admin_credentials_output(
            resource_group_name=args["resource_group_name"], resource_name=cluster.name
        )
        return pulumi.Output.secret(admin.kubeconfigs.apply(_first))
    user = aks.list_managed_cluster_user_credentials_output(
        resource_group_name=args["resource_group_name"], resource_name=cluster.name, format="exec"
    )
    mode = access.get("kubelogin_mode", "azurecli")
    return pulumi.Output.secret(
        user.kubeconfigs.apply(lambda found: with_kubelogin_mode(_first(found), mode))
    )


def _first(credentials: Sequence[aks.outputs.CredentialResultResponse]) -> str:
    return base64.b64decode(credentials[0].value).decode()


def _kubelet_object_id(
    profile: Mapping[str, aks.outputs.UserAssignedIdentityManagedClusterResponse] | None,
) -> str:
    return (profile or {})["kubeletidentity"].object_id or ""
