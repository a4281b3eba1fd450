"""Bodies of virtual networks, subnets, public addresses, NAT gateways and security groups."""

import zlib
from typing import Final

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.responses.put import Put, new_etag

_DEFAULT_RULES: Final = (
    ("AllowVnetInBound", 65000, "Inbound", "Allow"),
    ("AllowAzureLoadBalancerInBound", 65001, "Inbound", "Allow"),
    ("DenyAllInBound", 65500, "Inbound", "Deny"),
    ("AllowVnetOutBound", 65000, "Outbound", "Allow"),
    ("AllowInternetOutBound", 65001, "Outbound", "Allow"),
    ("DenyAllOutBound", 65500, "Outbound", "Deny"),
)
"""What every group has ("Network security groups")."""


def virtual_network(put: Put) -> Json:
    """Body of a virtual network; its subnets are resources of their own and added when it is read."""
    defaults: Json = {"enableDdosProtection": False, "virtualNetworkPeerings": []}
    body = put.answer(resourceGuid=put.identifier("guid"), **_state())
    body.pop("subnets", None)
    return defaults | body


def subnet(put: Put) -> Json:
    """Body of a subnet."""
    defaults: Json = {
        "delegations": [],
        "privateEndpointNetworkPolicies": "Disabled",
        "privateLinkServiceNetworkPolicies": "Enabled",
    }
    return defaults | put.answer(**_state())


def public_ip_address(put: Put) -> Json:
    """Body of a public IP address: static ones have an address at once, in a block reserved for documentation."""
    defaults: Json = {
        "idleTimeoutInMinutes": 4,
        "ipTags": [],
        "publicIPAddressVersion": "IPv4",
        "publicIPAllocationMethod": "Dynamic",
    }
    body: Json = defaults | put.body
    static = body["publicIPAllocationMethod"] == "Static"
    dns: Json = put.body.get("dnsSettings") or {}
    label = dns.get("domainNameLabel")
    host = f"{label}.{put.body['location']}.cloudapp.azure.com"
    return defaults | put.answer(
        resourceGuid=put.identifier("guid"),
        sku={"name": "Basic", "tier": "Regional"} | put.body.get("sku", {}),
        ipAddress=_address(put.id) if static else None,
        dnsSettings=dns | {"fqdn": host} if label else None,
        **_state(),
    )


def nat_gateway(put: Put) -> Json:
    """Body of a NAT gateway."""
    return {"idleTimeoutInMinutes": 4} | put.answer(resourceGuid=put.identifier("guid"), **_state())


def network_security_group(put: Put) -> Json:
    """Body of a network security group, with the six rules every group has."""
    rules = [
        {"name": name, "priority": priority, "direction": direction, "access": access, "protocol": "*"}
        for name, priority, direction, access in _DEFAULT_RULES
    ]
    defaults: Json = {"securityRules": []}
    return defaults | put.answer(defaultSecurityRules=rules, resourceGuid=put.identifier("guid"), **_state())


def _state() -> Json:
    return {"etag": f'W/"{new_etag()}"', "provisioningState": "Succeeded"}


def _address(arm_id: str) -> str:
    """An address of TEST-NET-3, RFC 5737, the same for one id."""
    return f"203.0.113.{1 + zlib.crc32(arm_id.lower().encode()) % 254}"
