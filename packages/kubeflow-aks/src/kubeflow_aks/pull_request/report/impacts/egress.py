"""Another address from which nodes and pods reach the internet."""

from collections.abc import Iterator
from typing import Any

from kubeflow_aks.json_values import at
from kubeflow_aks.pull_request.observed import Run
from kubeflow_aks.pull_request.report.impacts.impact import Impact, impact
from kubeflow_aks.pull_request.report.impacts.sides import CLUSTER, Sides

_NAT_GATEWAY = "azure-native:network:NatGateway"
_OF_CLUSTER = ("outboundType", "loadBalancerProfile", "natGatewayProfile")
_OF_GATEWAY = ("publicIpAddresses", "publicIpAddressesV6", "publicIpPrefixes", "publicIpPrefixesV6")


def impacts(sides: Sides) -> Iterator[Impact]:
    """One impact if a cluster that both sides have goes out another way; an address that is not known yet is new."""
    clusters = [new.name for _, new in sides.pairs(CLUSTER)]
    if clusters and _ways_out(sides.before) != _ways_out(sides.after):
        text = (
            "Nodes and pods reach the internet from another address: firewalls and services that allow only "
            "the present one refuse them until they allow the new one, too."
        )
        yield impact("egress", "caution", clusters[0], text)


def _ways_out(run: Run) -> list[Any]:
    """The profiles of clusters and the addresses of NAT gateways."""
    return [
        [at(resource.inputs, "networkProfile", key) for key in _OF_CLUSTER]
        if resource.type == CLUSTER
        else [resource.inputs.get(key) for key in _OF_GATEWAY]
        for _, resource in sorted(run.resources.items())
        if resource.type in (CLUSTER, _NAT_GATEWAY)
    ]
