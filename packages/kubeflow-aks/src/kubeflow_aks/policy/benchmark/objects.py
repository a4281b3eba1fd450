"""Roles, secrets, namespaces and other objects of Kubernetes."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.pods import kind
from kubeflow_aks.policy.benchmark.values import Inputs, Look, at, in_turn, items, must_not_be, shown
from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.table import Every, rules

_EVERYBODY: Final = ("system:anonymous", "system:unauthenticated", "system:masters")
_IN_TREE: Final = ("kubernetes.io/azure-disk", "kubernetes.io/azure-file")
_GONE: Final = {
    "admissionregistration.k8s.io": ("v1beta1",),
    "apiextensions.k8s.io": ("v1beta1",),
    "apiregistration.k8s.io": ("v1beta1",),
    "apps": ("v1beta1", "v1beta2"),
    "authentication.k8s.io": ("v1beta1",),
    "authorization.k8s.io": ("v1beta1",),
    "autoscaling": ("v2beta1", "v2beta2"),
    "batch": ("v1beta1", "v2alpha1"),
    "certificates.k8s.io": ("v1beta1",),
    "coordination.k8s.io": ("v1beta1",),
    "discovery.k8s.io": ("v1beta1",),
    "events.k8s.io": ("v1beta1",),
    "extensions": ("v1beta1",),
    "flowcontrol.apiserver.k8s.io": ("v1alpha1", "v1beta1", "v1beta2", "v1beta3"),
    "networking.k8s.io": ("v1beta1",),
    "node.k8s.io": ("v1beta1",),
    "policy": ("v1beta1",),
    "rbac.authorization.k8s.io": ("v1alpha1", "v1beta1"),
    "scheduling.k8s.io": ("v1alpha1", "v1beta1"),
    "storage.k8s.io": ("v1beta1",),
}
"""API versions that Kubernetes has removed, by group."""


def _every_object(look: Look, *kinds: str) -> Every:
    """What is wrong with each object of these kinds, in any version."""
    return lambda resources: in_turn(
        [it for it in resources if kind(it) in kinds], lambda resource: look(resource.inputs)
    )


def _no_wildcards(inputs: Inputs) -> Iterator[str]:
    for number, rule in enumerate(items(inputs, "rules")):
        for key in ("apiGroups", "resources", "verbs"):
            if "*" in items(rule, key):
                yield f"rules[{number}].{key} has *; expected the needed ones, by name"


def _no_administrators(inputs: Inputs) -> Iterator[str]:
    if at(inputs, "roleRef.name") == "cluster-admin":
        yield "roleRef.name is cluster-admin; expected a role with the needed rights only"


def _not_for_everybody(inputs: Inputs) -> Iterator[str]:
    for number, subject in enumerate(items(inputs, "subjects")):
        if (name := at(subject, "name")) in _EVERYBODY:
            yield f"subjects[{number}].name is {name}; expected a signed-in subject whose rights can be revoked"


def _served(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    for resource in resources:
        provider, _, rest = resource.type.partition(":")
        group, _, version = rest.partition(":")[0].partition("/")
        if provider == "kubernetes" and version in _GONE.get(group, ()):
            yield resource.urn, f"the API is {group}/{version}; expected one that Kubernetes still serves"


def _not_privileged(inputs: Inputs) -> Iterator[str]:
    label = "pod-security.kubernetes.io/enforce"
    labels: Inputs = at(inputs, "metadata.labels") or {}
    if labels.get(label) == "privileged":
        yield f"metadata.labels has {label}: privileged; expected baseline or restricted"


def _driven(inputs: Inputs) -> Iterator[str]:
    if (provisioner := at(inputs, "provisioner")) in _IN_TREE:
        yield f"provisioner is {shown(provisioner)}; expected a CSI driver"


_NO_LASTING_TOKEN: Final = must_not_be(
    "type", "kubernetes.io/service-account-token", instead="a token that expires, by kubectl create token"
)
_BINDINGS: Final = ("ClusterRoleBinding", "RoleBinding")

RULES: Final = rules(
    {
        "role-no-wildcards": _every_object(_no_wildcards, "ClusterRole", "Role"),
        "role-no-administrators": _every_object(_no_administrators, *_BINDINGS),
        "role-not-for-everybody": _every_object(_not_for_everybody, *_BINDINGS),
        "secret-no-lasting-token": _every_object(_NO_LASTING_TOKEN, "Secret"),
        "namespace-not-privileged": _every_object(_not_privileged, "Namespace"),
        "storage-class-driver": _every_object(_driven, "StorageClass"),
        "object-served-api": _served,
    }
)
