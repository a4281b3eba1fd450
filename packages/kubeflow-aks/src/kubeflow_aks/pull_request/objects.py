"""The objects of a cluster while the steps of a preview are tried one by one: what is made and what is gone so far."""

from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.clients.kubernetes.objects import (
    Key,
    Kind,
    Object,
    TypeToken,
    at,
    key_of,
    name_of,
    namespace_of,
)
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster

ALREADY_EXISTS: Final = "AlreadyExists"
"""The API server's reason for the refusal of a creation (`Status.reason`)."""
_NAMESPACE: Final = Kind("", "v1", "Namespace")


def is_object(token: str) -> bool:
    """Whether a type is that of an object which its resource makes and deletes, and does not only patch."""
    try:
        return not TypeToken.parse(token).patch
    except ValueError:
        return False


def is_named(inputs: Object) -> bool:
    """Whether the inputs of a resource say which object it is."""
    return bool(
        inputs.get("apiVersion") and inputs.get("kind") and isinstance(at(inputs, "metadata", "name"), str)
    )


@dataclass
class Objects:
    """The objects of a cluster, which is read and never written.

    Attributes:
        empty: whether it is made anew, with nothing in it.
    """

    cluster: Cluster
    empty: bool = False
    _made: set[Key] = field(default_factory=set[Key])
    _gone: set[Key] = field(default_factory=set[Key])

    def create(self, obj: Object) -> str:
        """Makes an object; the API server's message where one of that name is there, else an empty text."""
        key = key_of(obj)
        if key in self._made or (key not in self._gone and self._is_there(obj)):
            return f"{self._named(obj)} already exists"
        self._made.add(key)
        return ""

    def delete(self, obj: Object) -> None:
        """Deletes an object; with a namespace, all that is in it."""
        self._gone.add(key_of(obj))
        left = {key for key in self._made if key != key_of(obj)}
        self._made = {key for key in left if not (Kind.of(obj) == _NAMESPACE and key[2] == name_of(obj))}

    def renew(self) -> None:
        """Empties the cluster, because another takes its place."""
        self.empty = True
        self._made.clear()

    def _is_there(self, obj: Object) -> bool:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace_of(obj)}}
        if self.empty or key_of(namespace) in self._gone:
            return False
        try:
            self.cluster.get(obj)
        except KubeError:
            return False
        return True

    def _named(self, obj: Object) -> str:
        """An object in the API server's words, such as `daemonsets.apps "name"`."""
        kind = Kind.of(obj)
        return f'{self.cluster.served(kind).plural}{f".{kind.group}" if kind.group else ""} "{name_of(obj)}"'
