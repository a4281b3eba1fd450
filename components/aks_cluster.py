"""The AKS cluster: identity, control plane with its one system pool, upgrades, and the kubeconfig."""

import base64
from collections.abc import Mapping, Sequence

import pulumi
from pulumi_azure_native import authorization, managedidentity
from pulumi_azure_native import containerservice as aks

from components.agent_pools import AgentPoolSpec
from components.aks_cluster_args import AksClusterArgs, AutoscalerArgs, SshArgs
from components.roles import NETWORK_CONTRIBUTOR, role_definition_id
from planning.kubeconfig import with_kubelogin_mode


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
    kubelet_object_id: pulumi.Output[str]
    """Object id of the identity that pulls images."""
    managed_cluster: aks.ManagedCluster
    """The cluster itself, for `deleted_with` and for what this component does not offer."""

    def __init__(self, name: str, args: AksClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("kubeflow-aks:index:AksCluster", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        identity = managedidentity.UserAssignedIdentity(
            f"{name}-identity",
            resource_name_=f"{name}-identity",
            resource_group_name=args["resource_group_name"],
            location=args["location"],
            tags=args["tags"],
            opts=child,
        )
        network_right = authorization.RoleAssignment(
            f"{name}-network",
            scope=args["resource_group_id"],
            role_definition_id=role_definition_id(args["resource_group_id"], NETWORK_CONTRIBUTOR),
            principal_id=identity.principal_id,
            # Without the type Azure looks the identity up before the directory knows it (aks.md §4.5).
            principal_type=authorization.PrincipalType.SERVICE_PRINCIPAL,
            opts=pulumi.ResourceOptions(parent=self, protect=False),  # see components.roles
        )
        self.managed_cluster = _managed_cluster(name, args, identity.id, self, network_right)
        for config in ("aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule"):
            _maintenance(f"{name}-{config}", config, args, self.managed_cluster, child)
        self.name = self.managed_cluster.name
        self.cluster_id = self.managed_cluster.id
        private = args["api_access"]["private_cluster"]
        self.fqdn = self.managed_cluster.private_fqdn if private else self.managed_cluster.fqdn
        self.kubelet_object_id = self.managed_cluster.identity_profile.apply(_kubelet_object_id)
        self.kubeconfig = _kubeconfig(args, self.managed_cluster)
        self.register_outputs(
            {
                "name": self.name,
                "clusterId": self.cluster_id,
                "fqdn": self.fqdn,
                "kubeconfig": self.kubeconfig,
                "kubeletObjectId": self.kubelet_object_id,
            }
        )


def _managed_cluster(
    name: str,
    args: AksClusterArgs,
    identity_id: pulumi.Input[str],
    parent: pulumi.Resource,
    network_right: pulumi.Resource,
) -> aks.ManagedCluster:
    kubernetes, network, access = args["kubernetes"], args["network"], args["api_access"]
    return aks.ManagedCluster(
        name,
        resource_name_=name,
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        dns_prefix=name,
        node_resource_group=f"{name}-nodes",
        kubernetes_version=kubernetes["version"],
        support_plan=kubernetes["support_plan"],
        sku=aks.ManagedClusterSKUArgs(name=aks.ManagedClusterSKUName.BASE, tier=kubernetes["tier"]),
        identity=aks.ManagedClusterIdentityArgs(
            type=aks.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[identity_id]
        ),
        agent_pool_profiles=[_system_pool(args["system_pool"], args["tags"])],
        auto_scaler_profile=_autoscaler_profile(args["autoscaler"]),
        auto_upgrade_profile=aks.ManagedClusterAutoUpgradeProfileArgs(
            upgrade_channel=kubernetes["upgrade_channel"],
            node_os_upgrade_channel=kubernetes["node_os_upgrade_channel"],
        ),
        network_profile=aks.ContainerServiceNetworkProfileArgs(
            network_plugin=aks.NetworkPlugin.AZURE,
            network_plugin_mode=aks.NetworkPluginMode.OVERLAY,
            network_dataplane=aks.NetworkDataplane.AZURE,  # what Canonical tests on AKS (ckf.md §1.5)
            load_balancer_sku=aks.LoadBalancerSku.STANDARD,
            outbound_type=network["outbound_type"],
            pod_cidr=network["pod_cidr"],
            service_cidr=network["service_cidr"],
            dns_service_ip=network["dns_service_ip"],
        ),
        api_server_access_profile=aks.ManagedClusterAPIServerAccessProfileArgs(
            authorized_ip_ranges=access["authorized_ip_ranges"] or None,
            enable_private_cluster=access["private_cluster"],
        ),
        enable_rbac=True,
        disable_local_accounts=not access["local_accounts"],
        aad_profile=aks.ManagedClusterAADProfileArgs(
            managed=True, admin_group_object_ids=access["admin_group_object_ids"]
        )
        if access["admin_group_object_ids"]
        else None,
        oidc_issuer_profile=aks.ManagedClusterOIDCIssuerProfileArgs(enabled=True),
        security_profile=aks.ManagedClusterSecurityProfileArgs(
            workload_identity=aks.ManagedClusterSecurityProfileWorkloadIdentityArgs(enabled=True),
            image_cleaner=aks.ManagedClusterSecurityProfileImageCleanerArgs(enabled=True, interval_hours=168),
        ),
        linux_profile=_linux_profile(args.get("ssh")),
        tags=args["tags"],
        opts=pulumi.ResourceOptions(
            parent=parent,
            depends_on=[network_right],  # AKS joins the subnet while it makes the cluster
            ignore_changes=["agentPoolProfiles[0].count"],  # the autoscaler's business (aks.md §4.3)
        ),
    )


def _system_pool(pool: AgentPoolSpec, tags: dict[str, str]) -> aks.ManagedClusterAgentPoolProfileArgs:
    return aks.ManagedClusterAgentPoolProfileArgs(
        name=pool["name"],
        mode=aks.AgentPoolMode.SYSTEM,
        type=aks.AgentPoolType.VIRTUAL_MACHINE_SCALE_SETS,
        os_type=aks.OSType.LINUX,
        os_sku=aks.OSSKU.UBUNTU,
        vm_size=pool["vm_size"],
        enable_auto_scaling=True,
        count=pool["min_count"],
        min_count=pool["min_count"],
        max_count=pool["max_count"],
        node_taints=pool["taints"],
        os_disk_type=pool["os_disk_type"],
        os_disk_size_gb=pool["os_disk_gib"],
        availability_zones=pool["zones"] or None,
        max_pods=pool["max_pods"],
        vnet_subnet_id=pool["subnet_id"],
        upgrade_settings=aks.AgentPoolUpgradeSettingsArgs(max_surge="1"),
        tags=tags,
    )


def _autoscaler_profile(profile: AutoscalerArgs) -> aks.ManagedClusterPropertiesAutoScalerProfileArgs:
    """AKS takes every value but three booleans as text (aks.md §3.1)."""
    return aks.ManagedClusterPropertiesAutoScalerProfileArgs(
        expander=aks.Expander.PRIORITY,
        scan_interval=profile["scan_interval"],
        max_node_provision_time=profile["max_node_provision_time"],
        scale_down_delay_after_add=profile["scale_down_delay_after_add"],
        scale_down_unneeded_time=profile["scale_down_unneeded_time"],
        scale_down_utilization_threshold=str(profile["scale_down_utilization_threshold"]),
        balance_similar_node_groups=_text(profile["balance_similar_node_groups"]),
        skip_nodes_with_local_storage=_text(profile["skip_nodes_with_local_storage"]),
        skip_nodes_with_system_pods=_text(profile["skip_nodes_with_system_pods"]),
        max_graceful_termination_sec=str(profile["max_graceful_termination_sec"]),
    )


def _text(value: bool) -> str:  # noqa: FBT001 - turns exactly one boolean into text
    return "true" if value else "false"


def _linux_profile(ssh: SshArgs | None) -> aks.ContainerServiceLinuxProfileArgs | None:
    if ssh is None:
        return None
    key = aks.ContainerServiceSshPublicKeyArgs(key_data=ssh["public_key"])
    return aks.ContainerServiceLinuxProfileArgs(
        admin_username=ssh["admin_username"], ssh=aks.ContainerServiceSshConfigurationArgs(public_keys=[key])
    )


def _maintenance(
    name: str, config: str, args: AksClusterArgs, cluster: aks.ManagedCluster, opts: pulumi.ResourceOptions
) -> aks.MaintenanceConfiguration:
    window = args["maintenance"]
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
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(deleted_with=cluster)),
    )


def _kubeconfig(args: AksClusterArgs, cluster: aks.ManagedCluster) -> pulumi.Output[str]:
    """The admin's kubeconfig, or the user's for kubelogin when local accounts are off (aks.md §4.5)."""
    access = args["api_access"]
    if access["local_accounts"]:
        admin = aks.list_managed_cluster_admin_credentials_output(
            resource_group_name=args["resource_group_name"], resource_name=cluster.name
        )
        return pulumi.Output.secret(admin.kubeconfigs.apply(_first))
    user = aks.list_managed_cluster_user_credentials_output(
        resource_group_name=args["resource_group_name"], resource_name=cluster.name, format="exec"
    )
    mode = access["kubelogin_mode"]
    return pulumi.Output.secret(
        user.kubeconfigs.apply(lambda found: with_kubelogin_mode(_first(found), mode))
    )


def _first(credentials: Sequence[aks.outputs.CredentialResultResponse]) -> str:
    return base64.b64decode(credentials[0].value).decode()


def _kubelet_object_id(
    profile: Mapping[str, aks.outputs.UserAssignedIdentityManagedClusterResponse] | None,
) -> str:
    return (profile or {})["kubeletidentity"].object_id or ""
