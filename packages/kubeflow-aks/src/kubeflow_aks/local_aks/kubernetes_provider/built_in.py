"""Kubernetes' own kinds, for use without an API server: as the environment's SDK of Kubernetes lists them."""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import Any, Final

from pulumi.runtime import rpc

from kubeflow_aks.clients.kubernetes.objects import Kind

CLUSTER_WIDE: Final = frozenset(
    {
        "APIService",
        "CertificateSigningRequest",
        "ClusterRole",
        "ClusterRoleBinding",
        "CSIDriver",
        "CSINode",
        "CustomResourceDefinition",
        "DeviceClass",
        "FlowSchema",
        "IngressClass",
        "IPAddress",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "PriorityLevelConfiguration",
        "ResourceSlice",
        "RuntimeClass",
        "ServiceCIDR",
        "StorageClass",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
        "VolumeAttachment",
        "VolumeAttributesClass",
    }
)
"""Built-in kinds without a namespace, for use without an API server (Kubernetes 1.34)."""
_NOT_SERVED: Final = frozenset({"helm.sh", "yaml", "kustomize"})
"""The provider's own resources."""
_STABLE: Final = re.compile(r"v\d+")
_ES: Final = ("s", "x", "ch")


def kinds() -> frozenset[Kind]:
    """Every kind of the SDK in a stable version: an API server serves no other by default.

    Alpha versions are off by default, and new beta ones since 1.24 (kubernetes/enhancements#3136).
    """
    return frozenset(kind for kind in _kinds() if _STABLE.fullmatch(kind.version))


def groups() -> frozenset[str]:
    """The API groups of built-in kinds; any other is of a custom resource."""
    return frozenset(kind.group for kind in _kinds())


@cache
def _kinds() -> frozenset[Kind]:
    importlib.import_module("pulumi_kubernetes")
    registry: Any = rpc._RESOURCE_MODULES  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    tokens = (
        token.split(":")
        for modules in registry.values()
        for module in modules
        if module.mod_info["pkg"] == "kubernetes"
        for token in module.mod_info["classes"]
    )
    kinds = (Kind(*_group_and_version(path), name) for _, path, name in tokens if path.count("/") == 1)
    return frozenset(
        kind for kind in kinds if _STABLE.fullmatch(kind.version) and kind.group not in _NOT_SERVED
    )


def token(kind: Kind) -> str:
    """Pulumi's type of a kind: `kubernetes:core/v1:ConfigMap`."""
    return f"kubernetes:{kind.group or 'core'}/{kind.version}:{kind.kind}"


def plural(kind: str) -> str:
    """The plural by which an API server serves a built-in kind, such as `networkpolicies`."""
    name = kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("y"):
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(_ES) else f"{name}s"


def _group_and_version(path: str) -> tuple[str, str]:
    group, _, version = path.partition("/")
    return "" if group == "core" else group, version
