"""Places what is in a stream of Kubernetes objects, and leaves what stands beside it."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ckf_spot.errors import Mistake, Mistakes, PlacementError, not_one_of
from ckf_spot.fields import at, copied, is_map, map_at
from ckf_spot.kinds import placing, table
from ckf_spot.kinds.kind import Path, PlacingRequest, mistake_in
from ckf_spot.pool_group import PoolGroup

_LISTS: Final = ("List", *(f"{kind}List" for kind in table.KINDS))
"""Kinds of objects that hold others in `items`."""
_WITHOUT_PODS: Final = (
    "ClusterQueue", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "CustomResourceDefinition",
    "HorizontalPodAutoscaler", "Ingress", "LimitRange", "LocalQueue", "Namespace", "NetworkPolicy", "PersistentVolume",
    "PersistentVolumeClaim", "PodDefault", "PodDisruptionBudget", "PodGroup", "PriorityClass", "Profile", "Queue",
    "ResourceClaim", "ResourceClaimTemplate", "ResourceFlavor", "ResourceQuota", "Role", "RoleBinding", "Secret",
    "Service", "ServiceAccount", "StorageClass", "Workload", "WorkloadPriorityClass",
)  # fmt: skip
"""Kinds that are often in the same file as a job; no warning says that they stay as they are."""


_CLAIM: Final = "PersistentVolumeClaim"


@dataclass(frozen=True)
class File:
    """Documents of one origin.

    Attributes:
        origin: name for messages.
        documents: plain values as read from YAML.
    """

    origin: str
    documents: Sequence[Any]


@dataclass(frozen=True)
class Manifests:
    """Placed documents.

    Attributes:
        files: as many documents in each as there were.
        notes: one line each: how an eviction would still lose work, and what with pods was left as it is.
        unjudged: one line for each field that nobody judges.
    """

    files: tuple[File, ...]
    notes: tuple[str, ...]
    unjudged: tuple[str, ...]


def place(files: Sequence[File], group: PoolGroup, request: PlacingRequest) -> Manifests:
    """Places every object that can be placed; the others stay as they are.

    Args:
        files: what is placed together; it is not changed.
        group: the pools.
        request: how; roles in `also` and `on_demand` are for the kinds that have roles.

    Raises:
        PlacementError: with every mistake in any of them, or because there is nothing to place.
    """
    group.placement(
        prefer=request.prefer, require=request.require
    )  # impossible for all is no mistake of each
    claims = {
        str(map_at(claim, "metadata").get("name")): map_at(claim, "spec")
        for file in files
        for _, path in objects(file.documents)
        if map_at(claim := at(file.documents, *path)).get("kind") == _CLAIM
    }
    placing_of_all = _Placing(group, dataclasses.replace(request, claims=claims))
    made = tuple(File(file.origin, placing_of_all.documents(file)) for file in files)
    placing_of_all.finish(", ".join(file.origin for file in files))
    notes = (*placing_of_all.notes, *placing_of_all.left_notes)
    return Manifests(made, notes, tuple(placing_of_all.unjudged))


def has_roles(documents: Sequence[Any], request: PlacingRequest) -> bool:
    """Whether `PlacingRequest.also` and `on_demand` mean something for one of the objects."""
    every = (at(documents, *path) for _, path in objects(documents))
    work = (document for document in every if str(map_at(document).get("kind")) in table.kinds(request))
    return any(placing.has_roles(document, request) for document in work)


class _Placing:
    """What was found in the files up to now."""

    def __init__(self, group: PoolGroup, request: PlacingRequest) -> None:
        self._group = group
        self._request = request
        self._mistakes = Mistakes()
        self._left: list[Mistake] = []
        self._roles = self._has_work = self._unknown = False
        self.notes: list[str] = []
        self.left_notes: list[str] = []
        self.unjudged: list[str] = []

    def documents(self, file: File) -> list[Any]:
        """A file's documents, those placed that can be."""
        made = copied(list(file.documents))
        for number, path in objects(made):
            document = at(made, *path)
            placed = self._object(document, f"{file.origin}: {_name(document, number)}")
            if placed:
                at(made, *path[:-1])[path[-1]] = placed.document
        return made

    def _object(self, document: Any, name: str) -> placing.Placed | None:
        kind = document.get("kind") if is_map(document) else None
        if not is_map(document):
            self._unknown = True
            self._mistakes.add([Mistake(name, document, "expected a map", "is no Kubernetes object")])
        elif not isinstance(kind, str):
            self._unknown = True
            self._mistakes.add([not_one_of("kind", kind, table.KINDS).under(name)])
        elif kind in table.kinds(self._request):
            return self._work(document, name)
        elif kind not in _WITHOUT_PODS:
            self._left += [mistake.under(name) for mistake in table.refusal(kind)]
            reason = f": {table.REFUSED[kind]}" if kind in table.REFUSED else ""
            self.left_notes.append(f"{name}: left as it is{reason}")
        return None

    def _work(self, document: Any, name: str) -> placing.Placed | None:
        self._has_work = True
        has_roles = placing.has_roles(document, self._request)
        self._roles |= has_roles
        request = self._request if has_roles else dataclasses.replace(self._request, also=(), on_demand=())
        placed = self._mistakes.catch(partial(_placed, document, self._group, request, name))
        if placed:
            self.notes += [f"{name}: {doubt}" for doubt in placed.doubts]
            self.unjudged += [f"{name}: {line}" for line in placed.unjudged]
        return placed

    def finish(self, origins: str) -> None:
        """Raises what was found.

        Raises:
            PlacementError: with every mistake.
        """
        for name, roles in self._request.named_roles:
            if roles and self._has_work and not self._roles:
                problem = f"{', '.join(roles)}: none of the documents has roles"
                self._mistakes.add([mistake_in(f"{origins}: {name}", problem, "leave it out")])
        if not self._has_work and not self._unknown:
            expected = f"expected {', '.join(table.KINDS)}"
            nothing = mistake_in(origins, "there is nothing to place in it", expected)
            self._mistakes.add(self._left or [nothing])
        self._mistakes.raise_all()


def _placed(document: Any, group: PoolGroup, request: PlacingRequest, name: str) -> placing.Placed:
    try:
        return placing.place(document, group, request)
    except PlacementError as error:
        raise PlacementError(*(mistake.under(name) for mistake in error.mistakes)) from None


def objects(documents: Sequence[Any], path: Path = ()) -> Iterator[tuple[int, Path]]:
    """Paths of the objects in documents, those in lists too, with the number of the document or item, from 1."""
    for number, document in enumerate(documents):
        here = (*path, number)
        items = map_at(document).get("items")
        if map_at(document).get("kind") in _LISTS and isinstance(items, list):
            yield from objects(items, (*here, "items"))
        else:
            yield number + 1, here


def _name(document: object, number: int) -> str:
    fields = map_at(document)
    metadata = map_at(fields, "metadata")
    name = metadata.get("name") or metadata.get("generateName")
    return f"{fields.get('kind')}/{name}" if name and fields.get("kind") else f"document {number}"
