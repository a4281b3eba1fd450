"""Names that Azure takes ("Naming rules and restrictions for Azure resources"). Pure data.

A group of nodes and a DNS prefix are shorter than other names of their kind ("AKS common issues FAQ").
"""

from typing import Final

from ..arguments.limits import Form

_INNER = "letters, digits, underscores, periods and hyphens, a letter or digit first"
RESOURCE_GROUP: Final = Form(
    pattern=r"^[-\w.()]{0,89}[-\w()]$",
    form="1 to 90 letters, digits, underscores, hyphens, periods and parentheses, no period last",
)
NODE_RESOURCE_GROUP: Final = Form(
    pattern=r"^[-\w.()]{0,79}[-\w()]$",
    form="1 to 80 letters, digits, underscores, hyphens, periods and parentheses, no period last",
)
LOCATION: Final = Form(pattern=r"^[A-Za-z][A-Za-z0-9 ]+$", form="the name of a region, like westeurope")
VM_SIZE: Final = Form(
    pattern=r"^[A-Za-z]+_[A-Za-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)?$", form="a VM size, like Standard_D8s_v5"
)
CLUSTER: Final = Form(
    pattern=r"^[A-Za-z0-9]([-A-Za-z0-9_]{0,61}[A-Za-z0-9])?$",
    form="1 to 63 letters, digits, underscores and hyphens, a letter or digit first and last",
)
DNS_PREFIX: Final = Form(
    pattern=r"^[A-Za-z0-9]([-A-Za-z0-9]{0,52}[A-Za-z0-9])?$",
    form="1 to 54 letters, digits and inner hyphens",
)
DNS_LABEL: Final = Form(
    pattern=r"^[a-z][-a-z0-9]{1,61}[a-z0-9]$",
    form="3 to 63 lower-case letters, digits and inner hyphens, a letter first",
)
NETWORK: Final = Form(
    pattern=r"^[A-Za-z0-9][-A-Za-z0-9_.]{0,62}[A-Za-z0-9_]$",
    form=f"2 to 64 {_INNER}, and a letter, digit or underscore last",
)
NETWORK_PART: Final = Form(
    pattern=r"^[A-Za-z0-9]([-A-Za-z0-9_.]{0,78}[A-Za-z0-9_])?$",
    form=f"1 to 80 {_INNER}, and a letter, digit or underscore last",
)
"""Name of a public address, a NAT gateway, a route table or a group of reserved capacity."""
_OF_SERVICES: Final = (
    "(?i:GatewaySubnet|AzureBastionSubnet|AzureFirewall(Management)?Subnet|RouteServerSubnet)"
)
"""Subnets of services (virtual-network-for-azure-services.md, 2023-05-03, "Services that can be deployed into …")."""
SUBNET: Final = Form(
    pattern=rf"^(?!{_OF_SERVICES}$)[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9_])?$",
    form="1 to 63 letters, digits, hyphens, underscores and periods, a letter or digit first and no hyphen or period "
    "last, and not the name that Azure keeps for a gateway, firewall, bastion or route server",
)
"""Name of a subnet of nodes, which CNI Overlay makes a label of (concepts-network-azure-cni-overlay.md)."""
IDENTITY: Final = Form(
    pattern=r"^[A-Za-z0-9][-A-Za-z0-9_]{2,127}$",
    form="3 to 128 letters, digits, underscores and hyphens, a letter or digit first",
)
REGISTRY: Final = Form(pattern=r"^[A-Za-z0-9]{5,50}$", form="5 to 50 letters and digits")
STORAGE_ACCOUNT: Final = Form(pattern=r"^[a-z0-9]{3,24}$", form="3 to 24 lower-case letters and digits")
WORKSPACE: Final = Form(
    pattern=r"^[A-Za-z0-9][-A-Za-z0-9]{2,61}[A-Za-z0-9]$", form="4 to 63 letters, digits and inner hyphens"
)
# The letters of a namespace but for its length and double hyphens ("Naming containers, blobs and metadata").
CONTAINER: Final = Form(
    pattern=r"^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$",
    form="3 to 63 lower-case letters, digits and single inner hyphens",
)
PRIVATE_DNS_ZONE: Final = Form(
    pattern=r"^([-A-Za-z0-9_]{1,63}\.)+[-A-Za-z0-9_]{1,63}$", form="2 to 34 labels with periods between them"
)
ACTION_GROUP: Final = Form(pattern=r"^[^/&%?+]{1,260}$", form="1 to 260 characters, none of / & % ? +")
HTTPS: Final = Form(pattern=r"^https://[^\s/]+(/\S*)?$", form="a URL that begins with https://")
