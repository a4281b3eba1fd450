"""The Provider's configuration: parsing, refusals, and what a change of it replaces."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.errors import UnreachableError
from kubeflow_aks.clients.kubernetes.objects import Object, at, fields, is_object, items
from kubeflow_aks.json_values import text
from kubeflow_aks.local_aks.kubernetes_provider.immutability import DiffRules
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN

CLUSTER_IDENTIFIER: Final = "clusterIdentifier"
_CLUSTER_KEYS: Final = ("kubeconfig", "context", "cluster")
_NOT_HERE: Final = {
    "renderYamlToDirectory": "the local AKS applies objects and renders no YAML",
    "helmReleaseSettings": "the local AKS does not do Helm releases",
}
_INLINE_CLUSTER: Final = {"certificate-authority": "certificate-authority-data"}
_INLINE_USER: Final = {
    "client-certificate": "client-certificate-data",
    "client-key": "client-key-data",
    "tokenFile": "token",
    **dict.fromkeys(("exec", "auth-provider"), "token, or inline certificate and key"),
}
_ENVIRONMENT: Final = {
    "deleteUnreachable": "PULUMI_K8S_DELETE_UNREACHABLE",
    "enableConfigMapMutable": "PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE",
    "enablePatchForce": "PULUMI_K8S_ENABLE_PATCH_FORCE",
    "enableSecretMutable": "PULUMI_K8S_ENABLE_SECRET_MUTABLE",
    "skipUpdateUnreachable": "PULUMI_K8S_SKIP_UPDATE_UNREACHABLE",
    "upsertExistingObjects": "PULUMI_K8S_UPSERT_EXISTING_OBJECTS",
}


@dataclass(frozen=True)
class Configuration:
    """A configured Provider.

    Attributes:
        kubeconfig: its text; never printed.
        context: context to use instead of the kubeconfig's current one.
        cluster: cluster to use instead of the context's.
        namespace: namespace for objects that name none.
        rules: what its switches say about differences.
        delete_unreachable: forget objects of a cluster that does not answer.
        skip_update_unreachable: leave objects of a cluster that does not answer as they are.
        upsert: creating an object that exists takes it over.
        patch_force: take fields from other field managers.
    """

    kubeconfig: str = field(default="", repr=False)
    context: str = ""
    cluster: str = ""
    namespace: str = ""
    rules: DiffRules = field(default_factory=DiffRules)
    delete_unreachable: bool = False
    skip_update_unreachable: bool = False
    upsert: bool = False
    patch_force: bool = False

    @classmethod
    def of(cls, inputs: Object) -> Configuration:
        """The configuration in a Provider's inputs, with the real provider's environment variables behind it."""
        return cls(
            kubeconfig=json.dumps(config)
            if is_object(config := inputs.get("kubeconfig"))
            else text(inputs.get("kubeconfig")),
            context=text(inputs.get("context")),
            cluster=text(inputs.get("cluster")),
            namespace=text(inputs.get("namespace")),
            rules=DiffRules(
                config_map_mutable=_switch(inputs, "enableConfigMapMutable"),
                secret_mutable=_switch(inputs, "enableSecretMutable"),
            ),
            delete_unreachable=_switch(inputs, "deleteUnreachable"),
            skip_update_unreachable=_switch(inputs, "skipUpdateUnreachable"),
            upsert=_switch(inputs, "upsertExistingObjects"),
            patch_force=_switch(inputs, "enablePatchForce"),
        )

    def target(self, servers: Container[str]) -> kubeconfig.ActiveCluster:
        """The cluster it points to.

        Unlike the real provider, the stand-in has no use for `$KUBECONFIG` and `~/.kube/config`: a Provider that was
        without a cluster must not change whatever cluster its user happens to work with. Nor does it read a file
        or start a program that a kubeconfig names: it answers any user of the machine, with the rights of its own.

        Args:
            servers: URLs of the API servers that may be named.

        Raises:
            UnreachableError: the kubeconfig is missing, is none, or has something that is not allowed.
        """
        config = kubeconfig.parse(self.kubeconfig)
        if not config:
            raise UnreachableError(
                "the Provider has no kubeconfig, and the local AKS takes none from elsewhere"
            )
        target = kubeconfig.active(
            config, context=self.context, cluster=self.cluster, namespace=self.namespace
        )
        refused = [*_not_inline(config), *_elsewhere(config, target, servers)]
        if refused:
            raise UnreachableError("\n".join(refused))
        return target


def refusals(inputs: Object) -> dict[str, str]:
    """Unsupported inputs of a Provider: key to reason."""
    reasons = {key: reason for key, reason in _NOT_HERE.items() if inputs.get(key)}
    if str(inputs.get("enableServerSideApply", "true")).lower() == "false":
        reasons["enableServerSideApply"] = "the local AKS knows server-side apply only"
    return reasons


def difference(old: Object, new: Object) -> tuple[list[str], list[str]]:
    """The effect of a change (provider.go, `DiffConfig`).

    A changed server or CA of the active cluster replaces everything; with an unchanged `clusterIdentifier` nothing
    does; a changed identifier always does. An unknown kubeconfig counts as changed.

    Returns:
        Keys that differ, and keys that replace the Provider and every object behind it.
    """
    changed = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    if not changed:
        return [], []
    before, after = old.get(CLUSTER_IDENTIFIER), new.get(CLUSTER_IDENTIFIER)
    replaces = [CLUSTER_IDENTIFIER] if before and after and before != after else []
    unknown = next((key for key in _CLUSTER_KEYS if new.get(key) is UNKNOWN), None)
    if unknown:
        changed, replaces = [unknown], [*replaces, unknown]
    elif _moved(_active_cluster(old), _active_cluster(new)):
        replaces += [key for key in _CLUSTER_KEYS if key in changed]
    identified = after is not None and before == after
    return changed, [] if identified else replaces


def _not_inline(config: Object) -> Iterable[str]:
    """Entries of a kubeconfig that name a file or a program, one line each; values may be secret and are left out."""
    for list_, allowed in (("clusters", _INLINE_CLUSTER), ("users", _INLINE_USER)):
        for index, entry in enumerate(items(config.get(list_))):
            what = list_.removesuffix("s")
            for key in allowed.keys() & fields(at(entry, what)).keys():
                yield (
                    f"{list_}[{index}].{what}.{key}: a file or a program is not allowed; expected {allowed[key]}"
                )


def _elsewhere(config: Object, target: kubeconfig.ActiveCluster, servers: Container[str]) -> Iterable[str]:
    """Whether the active cluster of a kubeconfig is none of those allowed."""
    server = str(target.cluster.get("server") or "").rstrip("/")
    if server and server not in servers:
        clusters = [at(entry, "cluster") for entry in items(config.get("clusters"))]
        yield (
            f"clusters[{clusters.index(target.cluster)}].cluster.server: {server} is not allowed; expected the API "
            "server of this local AKS, which changes no other cluster"
        )


def _active_cluster(inputs: Mapping[str, object]) -> Object:
    config = kubeconfig.parse(inputs.get("kubeconfig"))
    context, cluster = inputs.get("context"), inputs.get("cluster")
    return kubeconfig.active(config, context=str(context or ""), cluster=str(cluster or "")).cluster


def _moved(old: Object, new: Object) -> bool:
    return bool(old and new and old != new)


def _switch(inputs: Mapping[str, object], key: str) -> bool:
    return str(inputs.get(key, os.environ.get(_ENVIRONMENT[key], "false"))).lower() == "true"
