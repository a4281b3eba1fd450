"""Places what is in a stream of Kubernetes objects, and leaves what stands beside it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ckf_spot.errors import Mistake, Mistakes, PlacementError, not_one_of
from ckf_spot.fields import at, copied, is_map, of
from ckf_spot.kinds import placing, table
from ckf_spot.kinds.kind import Path, PlacingRequest, mistake_in
from ckf_spot.pool_group import PoolGroup

_LISTS: Final = ("List", *(f"{kind}List" for kind in table.KINDS))
"""Kinds of objects that hold others in `items`."""
_WITHOUT_PODS: Final = (
    "ClusterQueue", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "CustomResourceDefinition",
    "HorizontalPodAutoscaler", "Ingress", "LimitRange", "LocalQueue", "Namespace", "NetworkPolicy",
    "PersistentVolume", "PersistentVolumeClaim", "PodDefault", "PodDisruptionBudget", "PriorityClass", "Profile",
    "ResourceClaim", "ResourceClaimTemplate", "ResourceFlavor", "ResourceQuota", "Role", "RoleBinding", "Secret",
    "Service", "ServiceAccount", "StorageClass", "WorkloadPriorityClass",
)  # fmt: skip
"""Kinds that are often in the same file as a job; no warning says that they stay as they are."""


@dataclass(frozen=True)
class Manifests:
    """Placed documents.

    Attributes:
        documents: as many as there were.
        notes: one line each: how an eviction would still lose work, and what with pods was left as it is.
    """

    documents: list[Any]
    notes: tuple[str, ...]


def place(documents: Sequence[Any], group: PoolGroup, request: PlacingRequest, origin: str) -> Manifests:
    """Places every object that can be placed; the others stay as they are.

    Args:
        documents: plain values as read from YAML; they are not changed.
        group: the pools.
        request: how; roles in `also` are for the kinds that have roles.
        origin: where the documents come from, for messages.

    Raises:
        PlacementError: with every mistake in any of them, or because there is nothing to place.
    """
    group.placement(
        prefer=request.prefer, require=request.require
    )  # impossible for all is no mistake of each
    made = copied(list(documents))
    mistakes = Mistakes()
    notes: list[str] = []
    left: list[Mistake] = []
    why: list[str] = []
    roles = known = unknown = False
    for number, path in _objects(made):
        found = at(made, *path)
        name = f"{origin}: {_name(found, number)}"
        kind = found.get("kind") if is_map(found) else None
        if not is_map(found):
            unknown = True
            mistakes.add([Mistake(name, found, "expected a map", "is no Kubernetes object")])
        elif not isinstance(kind, str):
            unknown = True
            mistakes.add([not_one_of("kind", kind, table.KINDS).under(name)])
        elif kind in table.kinds(request):
            known = True
            roles |= (has_roles := placing.has_roles(found, request))
            own = request if has_roles else dataclasses.replace(request, also=())
            placed = mistakes.of(partial(_placed, found, group, own, name))
            if placed:
                at(made, *path[:-1])[path[-1]] = placed.document
                notes += [f"{name}: {each}" for each in placed.doubts]
        elif kind not in _WITHOUT_PODS:
            left += [each.under(name) for each in table.refusal(kind)]
            why.append(
                f"{name}: left as it is" + (f": {table.REFUSED[kind]}" if kind in table.REFUSED else "")
            )
    if request.also and known and not roles:
        also = f"{', '.join(request.also)}: none of the documents has roles"
        mistakes.add([mistake_in(f"{origin}: also", also, "leave it out")])
    if not known and not unknown:
        nothing = mistake_in(origin, "there is nothing to place in it", f"expected {', '.join(table.KINDS)}")
        mistakes.add(left or [nothing])
    mistakes.raise_all()
    return Manifests(made, (*notes, *why))


def _placed(found: Any, group: PoolGroup, request: PlacingRequest, name: str) -> placing.Placed:
    try:
        return placing.place(found, group, request)
    except PlacementError as error:
        raise PlacementError(*(each.under(name) for each in error.mistakes)) from None


def _objects(documents: Sequence[Any], path: Path = ()) -> Iterator[tuple[int, Path]]:
    """Paths of the objects, those in lists too, with the number of the document or item, from 1."""
    for number, document in enumerate(documents):
        here = (*path, number)
        items = of({"": document}, "").get("items")
        if of({"": document}, "").get("kind") in _LISTS and isinstance(items, list):
            yield from _objects(items, (*here, "items"))
        else:
            yield number + 1, here


def _name(document: object, number: int) -> str:
    found = of({"": document}, "")
    metadata = of(found, "metadata")
    name = metadata.get("name") or metadata.get("generateName")
    return f"{found.get('kind')}/{name}" if name and found.get("kind") else f"document {number}"
