"""Settings of the virtual network."""

from typing import Literal

from settings._model import SettingsModel, setting


class Subnets(SettingsModel):
    """One subnet per pool role; with CNI Overlay only nodes take addresses from them."""

    system: str = setting("10.224.0.0/24", about="Nodes of the system pool.", unit="CIDR", source="issue #3")
    general: str = setting(
        "10.224.1.0/24", about="Nodes that host Charmed Kubeflow.", unit="CIDR", source="issue #3"
    )
    cpu: str = setting(
        "10.224.4.0/22", about="Nodes of CPU batch pools, spot and fallback.", unit="CIDR", source="issue #3"
    )
    gpu: str = setting(
        "10.224.8.0/22", about="Nodes of GPU batch pools, spot and fallback.", unit="CIDR", source="issue #3"
    )


class Network(SettingsModel):
    """Address ranges and the way out."""

    vnet_cidr: str = setting(
        "10.224.0.0/16", about="Range of the virtual network.", unit="CIDR", source="AKS CNI Overlay"
    )
    subnets: Subnets = setting(
        Subnets(), about="Ranges of the nodes, inside the virtual network.", source="issue #3"
    )
    pod_cidr: str = setting(
        "10.244.0.0/16",
        about="Range of the pods; each node takes a /24 of it.",
        unit="CIDR",
        source="AKS CNI Overlay: /24 per node",
    )
    service_cidr: str = setting(
        "10.0.0.0/16",
        about="Range of the cluster's services; the DNS service takes its tenth address.",
        unit="CIDR",
        source="AKS networkProfile: smaller than /12",
    )
    outbound_type: Literal["loadBalancer", "userAssignedNATGateway", "userDefinedRouting"] = setting(
        "loadBalancer",
        about="Way to the internet: the cluster's load balancer, a NAT gateway of ours, or your route table.",
        source="AKS egress-outboundtype",
    )
    route_table_id: str | None = setting(
        None,
        about="Route table of the subnets; only with userDefinedRouting.",
        unit="ARM id",
        source="AKS egress-outboundtype",
        pattern=r"^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Network/routeTables/[^/]+$",
    )
