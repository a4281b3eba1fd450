"""No traffic to or from the pods of our namespace, on clusters that enforce network policies."""

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import NetworkPolicy

from .labels import labels

_NAME = "deny-all"


def no_traffic(name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions) -> NetworkPolicy:
    """Selects every pod and allows nothing ("Network Policies", "Default deny all ingress and all egress traffic").

    Our daemons talk to the kernel and, through a socket, to the kubelet; pods that call the API server have policies of
    their own (`components.kubeflow.script_pod`). Other namespaces are not ours: Juju makes its own, and Kubeflow those
    of its profiles (docs/how-to/choose-a-network-policy-engine.md).
    """
    return NetworkPolicy(
        f"{name}-no-traffic",
        metadata=ObjectMetaArgs(name=_NAME, namespace=namespace, labels=labels("network")),
        spec={"pod_selector": {}, "policy_types": ["Ingress", "Egress"]},
        opts=opts,
    )
