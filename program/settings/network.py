"""Settings of the virtual network."""

from components.arguments import choices, defaults
from program.settings._model import SettingsModel, setting


class Subnets(SettingsModel):
    """One subnet per pool role; with CNI Overlay only nodes take addresses from them."""

    system: str = setting(
        defaults.SUBNETS["system"], about="Nodes of the system pool.", unit="CIDR", source="our choice"
    )
    general: str = setting(
        defaults.SUBNETS["general"],
        about="Nodes that host Charmed Kubeflow.",
        unit="CIDR",
        source="our choice",
    )
    cpu: str = setting(
        defaults.SUBNETS["cpu"],
        about="Nodes of CPU batch pools, spot and fallback.",
        unit="CIDR",
        source="our choice",
    )
    gpu: str = setting(
        defaults.SUBNETS["gpu"],
        about="Nodes of GPU batch pools, spot and fallback.",
        unit="CIDR",
        source="our choice",
    )


_SUBNET = (
    "/subscriptions/<subscription>/resourceGroups/<group>/providers/Microsoft.Network/virtualNetworks/<network>/"
    "subnets/<name>"
)


class SubnetIds(SettingsModel):
    """Subnets of a network that others own, one per pool role; several roles may share one."""

    system: str = setting(
        about="Nodes of the system pool.",
        unit="ARM id",
        source="docs/facts/aks.md#networks-of-others",
        form=_SUBNET,
    )
    general: str = setting(
        about="Nodes that host Charmed Kubeflow.",
        unit="ARM id",
        source="docs/facts/aks.md#networks-of-others",
        form=_SUBNET,
    )
    cpu: str = setting(
        about="Nodes of CPU batch pools, spot and fallback.",
        unit="ARM id",
        source="docs/facts/aks.md#networks-of-others",
        form=_SUBNET,
    )
    gpu: str = setting(
        about="Nodes of GPU batch pools, spot and fallback.",
        unit="ARM id",
        source="docs/facts/aks.md#networks-of-others",
        form=_SUBNET,
    )


class Network(SettingsModel):
    """Address ranges and outbound traffic."""

    vnet_cidr: str = setting(
        defaults.VNET_CIDR,
        about="Range of the virtual network.",
        unit="CIDR",
        source="our choice; docs/facts/aks.md#network",
    )
    subnets: Subnets = setting(
        Subnets(),
        about="Ranges of the nodes, inside the virtual network; none changes once it has nodes.",
        source="docs/facts/aks.md#network",
    )
    subnet_ids: SubnetIds | None = setting(
        None,
        about="Subnets that others own, in place of a new network; all four or none. The cluster gets the right to use "
        "them, so whoever runs `pulumi up` needs the right to join them and to assign roles on them.",
        source="docs/how-to/use-existing-resources.md",
    )
    pod_cidr: str = setting(
        defaults.POD_CIDR,
        about="Range of the pods; each node takes a /24 of it.",
        unit="CIDR",
        source="concepts-network-azure-cni-overlay.md: a /24 per node",
    )
    service_cidr: str = setting(
        defaults.SERVICE_CIDR,
        about="Range of the cluster's services; the DNS service takes its tenth address.",
        unit="CIDR",
        source="concepts-network-azure-cni-overlay.md: smaller than /12",
    )
    outbound_type: choices.OutboundType = setting(
        defaults.OUTBOUND_TYPE,
        about="How nodes reach the internet: the cluster's load balancer, a NAT gateway (a new one, or that of "
        "`subnetIds`), or your route table. A change replaces the cluster, "
        "unless it is made as in docs/how-to/change-outbound-routing.md.",
        source="egress-outboundtype.md",
    )
    policy: choices.NetworkPolicy = setting(
        defaults.NETWORK_POLICY,
        about="Engine that enforces network policies (AKS: networkPolicy): none; Calico; Cilium, which "
        "is then also the data plane (AKS: networkDataplane); or Azure's own, which only an adopted cluster has. A "
        "change replaces the cluster, and changes nothing of an adopted one.",
        source="docs/facts/aks.md#network-policy; docs/how-to/choose-a-network-policy-engine.md",
    )
    route_table_id: str | None = setting(
        None,
        about="Route table of the subnets; only with userDefinedRouting. New subnets get it, those of `subnetIds` must "
        "have it. The cluster gets the right to use it, so "
        "whoever runs `pulumi up` needs the right to join it and to assign roles on it.",
        unit="ARM id",
        source="egress-outboundtype.md; docs/facts/aks.md#network",
        form="/subscriptions/<subscription>/resourceGroups/<group>/providers/Microsoft.Network/routeTables/<name>",
    )
