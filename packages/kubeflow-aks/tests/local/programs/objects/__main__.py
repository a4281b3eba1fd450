"""A namespace and an object in it, in a cluster that somebody else made."""

import pulumi
import pulumi_kubernetes as kubernetes

config = pulumi.Config()
inside = pulumi.ResourceOptions(
    provider=kubernetes.Provider("inside", kubeconfig=config.require("kubeconfig"), cluster_identifier="one")
)
namespace = kubernetes.core.v1.Namespace(
    "namespace", metadata={"name": config.require("namespace")}, opts=inside
)
kubernetes.core.v1.ConfigMap(
    "map", metadata={"name": "map", "namespace": namespace.metadata["name"]}, data={"k": "v"}, opts=inside
)
