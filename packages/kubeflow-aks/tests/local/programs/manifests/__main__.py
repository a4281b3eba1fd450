"""Objects from YAML, by both of the SDK's ConfigGroups."""

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes import yaml
from pulumi_kubernetes.yaml import v2

config = pulumi.Config()
namespace = config.require("namespace")
provider = kubernetes.Provider("inside", kubeconfig=config.require("kubeconfig"), namespace=namespace)
MANIFEST = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: mapped}}
data: {{since: 2026-11-22}}
---
apiVersion: v1
kind: Namespace
metadata: {{name: {namespace}}}
---
apiVersion: v1
kind: Secret
metadata: {{name: hidden}}
stringData: {{k: hunter2}}
"""

group = v2.ConfigGroup(
    "second",
    yaml=MANIFEST,
    objs=[{"apiVersion": "core/v1", "kind": "ServiceAccount", "metadata": {"name": "account"}}],
    opts=pulumi.ResourceOptions(providers={"kubernetes": provider}),
)
yaml.ConfigGroup(
    "first",
    yaml=["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: decoded}\ndata: {k: v}\n"],
    opts=pulumi.ResourceOptions(providers={"kubernetes": provider}, depends_on=[group]),
)
pulumi.export("resources", group.resources.apply(lambda resources: len(resources or [])))
