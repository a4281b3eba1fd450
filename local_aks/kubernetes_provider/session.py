"""One configured Provider: its API server, or why there is none."""

from __future__ import annotations

import threading
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Final

from local_aks.kube.api import ApiServer
from local_aks.kube.errors import KubeError, NoSuchKindError, UnreachableError
from local_aks.kube.objects import Kind
from local_aks.kubernetes_provider.configuration import Configuration
from local_aks.kubernetes_provider.operations import Operations
from local_aks.kubernetes_provider.waiting import Waiter

ANSWER_SECONDS: Final = 60.0
"""For how long the real provider's preview waits where connections are taken and never answered."""

_CLUSTER_WIDE: Final = frozenset(
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
"""Built-in kinds without a namespace, for when there is no API server to ask (Kubernetes 1.34)."""


@dataclass(frozen=True)
class Session:
    """One configured Provider.

    Attributes:
        configuration: what its inputs say.
        namespace: namespace for objects that name none; empty when its kubeconfig cannot be used.
        api: its API server; None when it cannot be reached.
        unreachable: why it cannot be reached.
        cancelled: set when the engine cancels.
    """

    configuration: Configuration
    namespace: str
    api: ApiServer | None
    unreachable: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def open(
        cls, configuration: Configuration, servers: Container[str], answer_seconds: float = ANSWER_SECONDS
    ) -> Session:
        """Connect; a cluster that does not answer is no error before something needs it.

        Args:
            configuration: what the Provider's inputs say.
            servers: URLs of the API servers that it may name.
            answer_seconds: how long to wait for an answer.
        """
        namespace = configuration.namespace
        try:
            target = configuration.target(servers)
            namespace = target.namespace
            api = ApiServer(target, connect_seconds=answer_seconds, answer_seconds=answer_seconds)
            api.ping()
        except KubeError as error:
            return cls(
                configuration,
                namespace,
                None,
                f"unable to load schema information from the API server: {error}",
            )
        return cls(configuration, namespace, api)

    def namespaced(self, kind: Kind) -> bool:
        """Whether a kind lives in namespaces; a kind nobody knows is taken for one that does."""
        if self.api is not None:
            try:
                return self.api.served(kind).namespaced
            except NoSuchKindError:
                pass
        return kind.kind not in _CLUSTER_WIDE

    def operations(self, waiter: Waiter) -> Operations:
        """Operations on its cluster.

        Raises:
            UnreachableError: there is none.
        """
        if self.api is None:
            raise UnreachableError(f"configured Kubernetes cluster is unreachable: {self.unreachable}")
        return Operations(self.api, waiter, self.configuration.upsert, self.configuration.patch_force)
