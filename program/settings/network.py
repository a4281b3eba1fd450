"""Settings of the virtual network."""

from components.arguments.choices import OutboundType
from components.azure.arm_ids import SUBNET
from components.cluster.aks_cluster_args import ClusterNetworkSpec
from components.network.network_args import SUBNETS, NetworkArgs
from program.settings._model import SettingsModel, setting, setting_of, settings_of


class Subnets(SettingsModel):
    """One subnet per pool role; with CNI Overlay only nodes take addresses from them."""

    system: str = setting(SUBNETS["system"], "our choice", unit="CIDR")
    """Nodes of the system pool."""
    general: str = setting(SUBNETS["general"], "our choice", unit="CIDR")
    """Nodes that host Charmed Kubeflow."""
    cpu: str = setting(SUBNETS["cpu"], "our choice", unit="CIDR")
    """Nodes of CPU batch pools, spot and fallback."""
    gpu: str = setting(SUBNETS["gpu"], "our choice", unit="CIDR")
    """Nodes of GPU batch pools, spot and fallback."""


class SubnetIds(SettingsModel):
    """Subnets of a network that others own, one per pool role; several roles may share one."""

    system: str = setting(..., "docs/facts/aks.md#networks-of-others", unit="ARM id", form=SUBNET.form)
    """Nodes of the system pool."""
    general: str = setting(..., "docs/facts/aks.md#networks-of-others", unit="ARM id", form=SUBNET.form)
    """Nodes that host Charmed Kubeflow."""
    cpu: str = setting(..., "docs/facts/aks.md#networks-of-others", unit="ARM id", form=SUBNET.form)
    """Nodes of CPU batch pools, spot and fallback."""
    gpu: str = setting(..., "docs/facts/aks.md#networks-of-others", unit="ARM id", form=SUBNET.form)
    """Nodes of GPU batch pools, spot and fallback."""


class _Ranges(settings_of(NetworkArgs)):
    """Ranges of the nodes."""

    subnets: Subnets = setting(Subnets(), "docs/facts/aks.md#network")
    """Ranges of the nodes, inside the virtual network; none changes once it has nodes."""
    subnet_ids: SubnetIds | None = setting(None, "docs/how-to/use-existing-resources.md")
    """Subnets that others own, in place of a new network; all four or none. The cluster gets the right to use them, so
    whoever runs `pulumi up` needs the right to join them and to assign roles on them."""


class Network(settings_of(ClusterNetworkSpec, base=_Ranges)):
    """Address ranges and outbound traffic."""

    outbound_type: OutboundType = setting_of(ClusterNetworkSpec, "outbound_type")
    """How nodes reach the internet: the cluster's load balancer, a NAT gateway (a new one, or that of `subnetIds`), or
    your route table. A change replaces the cluster, unless it is made as in docs/how-to/change-outbound-routing.md."""
    route_table_id: str | None = setting_of(ClusterNetworkSpec, "route_table_id")
    """Route table of the subnets; only with userDefinedRouting. New subnets get it, those of `subnetIds` must have it.
    The cluster gets the right to use it, so whoever runs `pulumi up` needs the right to join it and to assign roles on
    it."""
