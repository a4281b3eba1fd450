"""An object of each kind that behaves in a way of its own, and edits of them."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
edits = config.require("edits").split()
provider = k8s.Provider(
    "inside",
    kubeconfig=config.require("kubeconfig"),
    cluster_identifier="kinds",
    enable_config_map_mutable=True,
)


def opts(*needs: pulumi.Resource) -> pulumi.ResourceOptions:
    """Options of an object, and what must be there before it."""
    return pulumi.ResourceOptions(provider=provider, depends_on=[*needs])


def when(name: str, new: Any, old: Any) -> Any:
    """A value that an edit changes."""
    return new if name in edits else old


namespace = k8s.core.v1.Namespace("namespace", metadata={"name": "test-kinds"}, opts=opts())


def named(name: str, **rest: Any) -> Any:
    """The metadata of an object in the namespace."""
    return {"name": name, "namespace": "test-kinds", **rest}


k8s.core.v1.ConfigMap(
    "priorities",
    metadata=named("priorities"),
    data={"priorities": when("priorities", "20: spot", "10: spot")},
    opts=opts(namespace),
)
k8s.core.v1.ConfigMap(
    "frozen",
    metadata=named("frozen"),
    immutable=True,
    data={"key": when("frozen", "b", "a")},
    opts=opts(namespace),
)
k8s.core.v1.ConfigMap("unnamed", data={"key": "value"}, opts=opts())
selector: Any = {"app": "agent"}
agent: Any = {
    "selector": {"match_labels": when("selector", {"app": "other"}, selector)},
    "template": {
        "metadata": {"labels": {**selector, "app": when("selector", "other", "agent")}},
        "spec": {
            "containers": [
                {
                    "name": "agent",
                    "image": when("image", "agent:2", "agent:1"),
                    "env": [
                        {"name": "LEVEL", "value": when("environment", "debug", "info")},
                        {"name": "EMPTY", **when("spelling", {}, {"value": ""})},
                    ],
                    "resources": {
                        "limits": {
                            "cpu": when("spelling", "500m", "0.5"),
                            "memory": when("memory", "1Gi", "0.5Gi"),
                        }
                    },
                    "security_context": {"run_as_user": when("user", 1, 0)},
                }
            ],
            **when("spelling", {}, {"host_network": False}),
            "node_selector": {"nowhere": "true"},
            "volumes": [{"name": "scratch", "empty_dir": {"size_limit": when("spelling", "1Gi", "1024Mi")}}],
        },
    },
}
k8s.apps.v1.DaemonSet(
    "agent",
    metadata=named("agent"),
    spec=agent,
    opts=opts(namespace),
)
k8s.apps.v1.Deployment(
    "server",
    metadata=named("server"),
    spec={
        "replicas": 0,
        "selector": {"match_labels": selector},
        "template": {
            "metadata": {"labels": selector},
            "spec": {
                "containers": [{"name": "server", "image": "server:1", "ports": [{"container_port": 80}]}]
            },
        },
    },
    opts=opts(namespace),
)
k8s.core.v1.LimitRange(
    "limits",
    metadata=named("limits"),
    spec={"limits": [{"type": "Container", "max": {"memory": when("spelling", "512Mi", "0.5Gi")}}]},
    opts=opts(namespace),
)
k8s.storage.v1.StorageClass(
    "disks",
    metadata={"name": "test-kinds"},
    provisioner="disk.csi.azure.com",
    parameters={"skuName": when("parameters", "Premium_ZRS", "StandardSSD_ZRS")},
    reclaim_policy=when("reclaim", "Retain", "Delete"),
    allow_volume_expansion="expansion" in edits,
    opts=opts(),
)
k8s.scheduling.v1.PriorityClass(
    "batch", metadata={"name": "test-kinds"}, value=when("value", -2, -1), opts=opts()
)
k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
    "policy",
    metadata={"name": "test-kinds"},
    spec={
        "match_constraints": {
            "resource_rules": [
                {"api_groups": [""], "api_versions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
            ]
        },
        "validations": [{"expression": when("policy", "1 < 2", "true"), "message": "no"}],
    },
    opts=opts(),
)
account = k8s.core.v1.ServiceAccount("account", metadata=named("juju"), opts=opts(namespace))
k8s.rbac.v1.ClusterRoleBinding(
    "binding",
    metadata={"name": "test-kinds"},
    role_ref={
        "api_group": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": when("role", "edit", "view"),
    },
    subjects=[named("juju", kind="ServiceAccount")],
    opts=opts(),
)
token = k8s.core.v1.Secret(
    "token",
    metadata=named(
        "token",
        annotations={"kubernetes.io/service-account.name": "juju"},
        labels=when("label", {"team": "a"}, None),
    ),
    type="kubernetes.io/service-account-token",
    opts=opts(account),
)
k8s.core.v1.Secret(
    "password",
    metadata=named("password"),
    string_data={"password": when("secret", "new", "old")},
    opts=opts(namespace),
)
k8s.core.v1.NamespacePatch(
    "patch", metadata={"name": "default", "labels": {"test-kinds": when("patch", "b", "a")}}, opts=opts()
)
definition = k8s.apiextensions.v1.CustomResourceDefinition(
    "definition",
    metadata={"name": "things.kinds.example"},
    spec={
        "group": "kinds.example",
        "scope": "Namespaced",
        "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "open_apiv3_schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"size": {"type": "integer"}}}
                        },
                    }
                },
            }
        ],
    },
    opts=opts(),
)
k8s.apiextensions.CustomResource(
    "thing",
    api_version="kinds.example/v1",
    kind="Thing",
    metadata=named("thing"),
    spec={"size": when("custom", 2, 1)},
    opts=opts(namespace, definition),
)
if "removed" not in edits:
    k8s.core.v1.ResourceQuota(
        "quota", metadata=named("quota"), spec={"hard": {"pods": "1"}}, opts=opts(namespace)
    )
if "added" in edits:
    k8s.core.v1.ConfigMap("added", metadata=named("added"), opts=opts(namespace))
if "taken" in edits:
    k8s.core.v1.ConfigMap("taken", metadata=named("priorities"), opts=opts(namespace))

pulumi.export("token", token.data.apply(sorted))
