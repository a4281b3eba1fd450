"""The configured Providers behind one process.

With `PULUMI_DEBUG_PROVIDERS` every Provider resource of every engine run shares this process, and no resource request
says which Provider it belongs to. But the engine opens one connection per Provider instance, so the connection's
peer address tells them apart: a Provider is what was configured over the same connection. A later `Configure` (a
second Provider, the update after a preview, another stack) therefore never changes what a running one sees.

A connection that was opened anew (gRPC drops idle ones after 30 min) has a new address and no `Configure`; it gets the
last configuration that any connection had, which is the right one unless two Providers are at work at once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from local_aks.kube.api import ApiServer
from local_aks.kube.errors import NoSuchKindError, ProviderError, UnreachableError
from local_aks.kube.objects import Kind
from local_aks.kubernetes_provider.configuration import Configuration
from local_aks.kubernetes_provider.operations import Operations
from local_aks.kubernetes_provider.waiting import Waiter

_KEPT: Final = 256

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
    def open(cls, configuration: Configuration) -> Session:
        """Connect; a cluster that does not answer is no error before something needs it."""
        namespace = configuration.namespace
        try:
            target = configuration.target()
            namespace = target.namespace
            api = ApiServer(target)
            api.ping()
        except ProviderError as error:
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


class Sessions:
    """The sessions by the connection they were configured over."""

    def __init__(self) -> None:
        self._by_peer: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def configure(self, peer: str, session: Session) -> None:
        """Remember what was configured over a connection; the oldest of very many is forgotten."""
        with self._lock:
            self._by_peer[peer] = session
            self._by_peer.move_to_end(peer)
            while len(self._by_peer) > _KEPT:
                self._by_peer.popitem(last=False)

    def of(self, peer: str) -> Session:
        """The session of a connection, else the one configured last.

        Raises:
            ProviderError: nothing was ever configured.
        """
        with self._lock:
            if peer in self._by_peer:
                return self._by_peer[peer]
            if not self._by_peer:
                raise ProviderError("the Kubernetes provider was not configured")
            return next(reversed(self._by_peer.values()))

    def cancel(self, peer: str) -> None:
        """End the waiting of a connection's operations."""
        with self._lock:
            session = self._by_peer.get(peer)
        if session is not None:
            session.cancelled.set()
