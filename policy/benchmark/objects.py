"""Roles, secrets, namespaces and other objects of Kubernetes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from policy.benchmark.pods import kind
from policy.benchmark.sources import checkov, kyverno
from policy.benchmark.values import Every, Inputs, Look, at, in_turn, items, must_not_be, told
from policy.rule import Resource, Rule

_RBAC: Final = "kubernetes:rbac.authorization.k8s.io/v1:"
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
"""Versions that Kubernetes has taken away, by group."""


def _each_of(*kinds: str) -> Callable[[Look], Every]:
    """What is wrong with each object of these kinds, whatever version of theirs is asked for."""

    def every(look: Look) -> Every:
        def found(resource: Resource) -> Iterator[tuple[str, str]]:
            if kind(resource) in kinds:
                yield from ((resource.urn, message) for message in look(resource.inputs))

        return lambda resources: in_turn(resources, found)

    return every


def _no_wildcards(inputs: Inputs) -> Iterator[str]:
    for number, rule in enumerate(items(inputs, "rules")):
        for key in ("apiGroups", "resources", "verbs"):
            if "*" in items(rule, key):
                yield f"rules[{number}].{key} has *; expected what is needed, by name"


def _no_administrators(inputs: Inputs) -> Iterator[str]:
    if at(inputs, "roleRef.name") == "cluster-admin":
        yield "roleRef.name is cluster-admin; expected a role with what is needed"


def _not_for_everybody(inputs: Inputs) -> Iterator[str]:
    for number, subject in enumerate(items(inputs, "subjects")):
        if (name := at(subject, "name")) in _EVERYBODY:
            yield f"subjects[{number}].name is {name}; expected somebody who signed in and can lose the right"


def _served(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    for resource in resources:
        provider, _, rest = resource.type.partition(":")
        group, _, version = rest.partition(":")[0].partition("/")
        if provider == "kubernetes" and version in _GONE.get(group, ()):
            yield resource.urn, f"the API is {group}/{version}; expected one that Kubernetes still has"


def _no_lasting_token(inputs: Inputs) -> Iterator[str]:
    yield from must_not_be(
        "type", "kubernetes.io/service-account-token", instead="a token that ends, by kubectl create token"
    )(inputs)


def _not_privileged(inputs: Inputs) -> Iterator[str]:
    label = "pod-security.kubernetes.io/enforce"
    labels: Inputs = at(inputs, "metadata.labels") or {}
    if labels.get(label) == "privileged":
        yield f"metadata.labels has {label}: privileged; expected baseline or restricted"


def _driven(inputs: Inputs) -> Iterator[str]:
    if (provisioner := at(inputs, "provisioner")) in _IN_TREE:
        yield f"provisioner is {told(provisioner)}; expected a CSI driver"


_BINDINGS: Final = ("ClusterRoleBinding", "RoleBinding")

RULES: Final = (
    Rule(
        "role-no-wildcards",
        "Roles name what they allow.",
        source=checkov("WildcardRoles.py"),
        severity="high",
        every=_each_of("ClusterRole", "Role")(_no_wildcards),
        ids=(
            "CKV_K8S_49",
            "kube-linter wildcard-in-rules",
            "Kyverno restrict-wildcard-verbs",
            "kubescape C-0187",
            "AzPolicy ca8d5704",
        ),
    ),
    Rule(
        "role-no-administrators",
        "Nobody is made an administrator of the cluster.",
        source=kyverno("restrict-binding-clusteradmin.yaml"),
        severity="high",
        every=_each_of(*_BINDINGS)(_no_administrators),
        ids=(
            "kubescape C-0185",
            "kube-linter cluster-admin-role-binding",
            "Kyverno restrict-binding-clusteradmin",
            "AzPolicy a3dc4946",
        ),
    ),
    Rule(
        "role-not-for-everybody",
        "No right is given to those who did not sign in, or past all roles.",
        source=kyverno("restrict-binding-system-groups.yaml"),
        severity="high",
        every=_each_of(*_BINDINGS)(_not_for_everybody),
        ids=("Kyverno restrict-binding-system-groups",),
    ),
    Rule(
        "secret-no-lasting-token",
        "No token of a service account lasts for ever.",
        source=kyverno("deny-secret-service-account-token-type.yaml"),
        every=_each_of("Secret")(_no_lasting_token),
        ids=("Kyverno deny-secret-service-account-token-type",),
    ),
    Rule(
        "namespace-not-privileged",
        "No namespace takes privileged pods.",
        source=kyverno("deny-privileged-profile.yaml"),
        every=_each_of("Namespace")(_not_privileged),
        ids=("Kyverno psa deny-privileged-profile",),
    ),
    Rule(
        "storage-class-driver",
        "Storage classes use drivers that Kubernetes still has.",
        source="MicrosoftDocs/azure-aks-docs, policy-reference.md (read 2026-11-22)",
        severity="low",
        every=_each_of("StorageClass")(_driven),
        ids=("AzPolicy 4f3823b6",),
    ),
    Rule(
        "object-served-api",
        "Objects are of APIs that Kubernetes still has.",
        source=kyverno("check-deprecated-apis.yaml"),
        every=_served,
        ids=("Kyverno check-deprecated-apis",),
    ),
)
