"""One configured Provider: its API server, or why there is none."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import KubeError, NoSuchKindError, UnreachableError
from kubeflow_aks.clients.kubernetes.objects import Kind, TypeToken
from kubeflow_aks.local_aks.kubernetes_provider import built_in
from kubeflow_aks.local_aks.kubernetes_provider.cluster import DEFINITION, Cluster, definition_of
from kubeflow_aks.local_aks.kubernetes_provider.configuration import Configuration
from kubeflow_aks.local_aks.kubernetes_provider.operations import Operations
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter

ANSWER_SECONDS: Final = 60.0
"""For how long the real provider's preview waits where connections are taken and never answered."""

DECODE: Final = "kubernetes:yaml:decode"
"""The function that takes YAML apart, the only one that is answered."""
Connect = Callable[[kubeconfig.ActiveCluster], Cluster]
"""Opens the cluster that a Provider names."""


def knows(token: str, cluster: Cluster) -> bool:
    """Whether a type or function is the stand-in's: no Helm, and no custom resource without its definition."""
    try:
        kind = TypeToken.parse(token).kind
    except ValueError:
        return token == DECODE
    if kind.group in built_in.groups():
        return True
    try:
        cluster.served(kind)
    except NoSuchKindError:
        # An API server serves a custom kind a moment after it has its definition.
        return definition_of(kind, cluster.list(DEFINITION, "")) is not None
    return True


def api_server(target: kubeconfig.ActiveCluster, *, answer_seconds: float = ANSWER_SECONDS) -> Cluster:
    """An API server that answers within some seconds.

    Raises:
        UnreachableError: it gives no answer.
    """
    api = ApiServer(Connection(target, connect_seconds=answer_seconds, response_seconds=answer_seconds))
    api.ping()
    return api


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
    api: Cluster | None
    unreachable: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def open(
        cls, configuration: Configuration, servers: Container[str], connect: Connect = api_server
    ) -> Session:
        """Connect; a cluster that does not answer is no error before something needs it."""
        namespace = configuration.namespace
        try:
            target = configuration.target(servers)
            namespace = target.namespace
            api = connect(target)
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
        return kind.kind not in built_in.CLUSTER_WIDE

    def operations(self, waiter: Waiter) -> Operations:
        """Operations on its cluster.

        Raises:
            UnreachableError: there is none.
        """
        if self.api is None:
            raise UnreachableError(f"configured Kubernetes cluster is unreachable: {self.unreachable}")
        return Operations(self.api, waiter, self.configuration.upsert, self.configuration.patch_force)
