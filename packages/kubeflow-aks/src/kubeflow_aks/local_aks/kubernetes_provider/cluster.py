"""The cluster behind the stand-in: a real API server (`kubeflow_aks.clients.kubernetes.api`), or objects in a file."""

from collections.abc import Iterable
from typing import Final, Protocol

from kubeflow_aks.clients.kubernetes.api import ServedKind
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, fields, items

DEFINITION: Final = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
"""Defines a custom kind."""


class Cluster(Protocol):
    """One cluster, with one user's rights. What it refuses it raises as `ApiError`, as the API server does."""

    def read(self, path: str) -> Object:
        """What is at a path that is no object's, such as `/version`; empty where nothing is."""
        ...

    def types(self, kind: Kind) -> Object:
        """The OpenAPI document that defines a kind; empty where there is none."""
        ...

    def served(self, kind: Kind) -> ServedKind:
        """How a kind is served.

        Raises:
            NoSuchKindError: it is not.
        """
        ...

    def create(self, obj: Object, manager: str, *, dry_run: bool = False) -> Object:
        """Create an object."""
        ...

    def apply(self, obj: Object, manager: str, *, force: bool, dry_run: bool = False) -> Object:
        """Server-side apply; without `force`, a field of another manager is a `Conflict`."""
        ...

    def replace(self, obj: Object, manager: str, *, dry_run: bool = False) -> Object:
        """Replace an object."""
        ...

    def patch(self, obj: Object, manager: str, operations: list[Object]) -> Object:
        """Apply JSON patch operations (RFC 6902)."""
        ...

    def get(self, obj: Object) -> Object:
        """The live object of that kind and name."""
        ...

    def delete(self, obj: Object, propagation: str) -> None:
        """Ask for deletion."""
        ...

    def list(self, kind: Kind, namespace: str) -> list[Object]:
        """All objects of a kind in a namespace."""
        ...


def existing(cluster: Cluster, obj: Object) -> Object | None:
    """The live object of that kind and name; None where there is none."""
    try:
        return cluster.get(obj)
    except ApiError as error:
        if error.not_found:
            return None
        raise


def definition_of(kind: Kind, definitions: Iterable[Object]) -> Object | None:
    """The definition that serves a custom kind; None where there is none."""
    for definition in definitions:
        spec = fields(definition.get("spec"))
        served = {at(version, "name") for version in items(spec.get("versions")) if at(version, "served")}
        if (spec.get("group"), at(spec, "names", "kind")) == (
            kind.group,
            kind.kind,
        ) and kind.version in served:
            return definition
    return None
