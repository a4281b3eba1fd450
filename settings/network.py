"""Settings of the virtual network."""

from typing import Literal

from settings._model import SettingsModel, setting


class Subnets(SettingsModel):
    """One subnet per pool role; with CNI Overlay only nodes take addresses from them."""

    system: str = setting(
        "10.224.0.0/24", about="Nodes of the system pool.", unit="CIDR", source="our choice"
    )
    general: str = setting(
        "10.224.1.0/24", about="Nodes that host Charmed Kubeflow.", unit="CIDR", source="our choice"
    )
    cpu: str = setting(
        "10.224.4.0/22",
        about="Nodes of CPU batch pools, spot and fallback.",
        unit="CIDR",
        source="our choice",
    )
    gpu: str = setting(
        "10.224.8.0/22",
        about="Nodes of GPU batch pools, spot and fallback.",
        unit="CIDR",
        source="our choice",
    )


class Network(SettingsModel):
    """Address ranges and outbound traffic."""

    vnet_cidr: str = setting(
        "10.224.0.0/16",
        about="Range of the virtual network.",
        unit="CIDR",
        source="our choice; docs/facts/aks.md#network",
    )
    subnets: Subnets = setting(
        Subnets(), about="Ranges of the nodes, inside the virtual network.", source="our choice"
    )
    pod_cidr: str = setting(
        "10.244.0.0/16",
        about="Range of the pods; each node takes a /24 of it.",
        unit="CIDR",
        source="concepts-network-azure-cni-overlay.md: a /24 per node",
    )
    service_cidr: str = setting(
        "10.0.0.0/16",
        about="Range of the cluster's services; the DNS service takes its tenth address.",
        unit="CIDR",
        source="concepts-network-azure-cni-overlay.md: smaller than /12",
    )
    outbound_type: Literal["loadBalancer", "userAssignedNATGateway", "userDefinedRouting"] = setting(
        "loadBalancer",
        about="How nodes reach the internet: the cluster's load balancer, a new NAT gateway, or your route table.",
        source="egress-outboundtype.md",
    )
    policy: Literal["none", "calico", "cilium"] = setting(
        "none",
        about="What enforces network policies (AKS: networkPolicy): nothing; Calico, which excludes long-term support; "
        "or Cilium, which then is the data plane too (AKS: networkDataplane). A change replaces the cluster.",
        source="docs/facts/aks.md#network-policy; docs/how-to/choose-a-network-policy-engine.md",
    )
    route_table_id: str | None = setting(
        None,
        about="Route table of the subnets; only with userDefinedRouting. The cluster is given the right to it, so "
        "whoever runs `pulumi up` needs the right to join it and to assign roles on it.",
        unit="ARM id",
        source="egress-outboundtype.md; docs/facts/aks.md#network",
        form="/subscriptions/<subscription>/resourceGroups/<group>/providers/Microsoft.Network/routeTables/<name>",
    )
