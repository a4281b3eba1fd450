"""The effect of a change of inputs on an object (provider.go, `Diff` and `convertPatchToDiff`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import (
    AUTONAMED,
    Object,
    annotation,
    at,
    drop,
    fields,
    is_list,
    is_object,
    put,
)
from kubeflow_aks.clients.kubernetes.quantity import thousandths
from kubeflow_aks.local_aks.kubernetes_provider import immutability
from kubeflow_aks.local_aks.kubernetes_provider.immutability import DiffRules
from kubeflow_aks.local_aks.kubernetes_provider.paths import Path, covers, parse, render
from kubeflow_aks.local_aks.kubernetes_provider.pruning import normalized, pruned
from kubeflow_aks.local_aks.protocol.diff import Change, PropertyChange
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN

_QUANTITY_HOLDERS: Final = frozenset({"allocatable", "capacity", "hard", "limits", "overhead", "requests"})


@dataclass(frozen=True)
class ObjectDiff:
    """The difference between a live object and the program's inputs.

    Attributes:
        changes: by property path, e.g. `data.priorities`.
        delete_first: the replacement has the same name, so the old object must go first.
    """

    changes: Mapping[str, PropertyChange] = field(default_factory=dict[str, PropertyChange])
    delete_first: bool = False

    @property
    def replaces(self) -> list[str]:
        """Paths of the properties that replace the object."""
        return sorted(path for path, change in self.changes.items() if change.replaces)


_MISSING: Final = object()


def diff(
    old_inputs: Object,
    live: Object,
    new_inputs: Object,
    *,
    namespaced: bool,
    patch: bool,
    rules: DiffRules,
    ignore: Sequence[str] = (),
) -> ObjectDiff:
    """Compare the last known live object, cut to the old inputs' shape, with the new inputs.

    Args:
        old_inputs: the program's inputs last time.
        live: the object as the API server had it then, or at the last refresh.
        new_inputs: the program's inputs now; may hold unknowns.
        namespaced: whether the kind lives in namespaces.
        patch: a `*Patch` resource; only its identity replaces it.
        rules: settings of the Provider's configuration.
        ignore: `ignoreChanges` paths.
    """
    new = normalized(new_inputs)
    old = fields(pruned(live, normalized(old_inputs)))
    _settle_namespace(old, namespaced=namespaced)
    _settle_namespace(new, namespaced=namespaced)
    for key in ("apiVersion", "kind"):
        old.setdefault(key, new.get(key))
    if at(new, "metadata", "name"):
        put(old, at(live, "metadata", "name"), "metadata", "name")

    replaced_by = immutability.IDENTITY if patch else immutability.replaced_by(new, rules)
    ignored = [parse(path) for path in ignore]
    changes = {
        render(path): PropertyChange(
            change,
            any(immutability.matches(r, path, value) for r in replaced_by),
            of_inputs=change is Change.DELETE,
        )
        for path, change, value in _walk((), old, new)
        if not any(covers(i, path) for i in ignored)
    }
    replaces = any(change.replaces for change in changes.values())
    return ObjectDiff(changes, delete_first=replaces and _keeps_its_name(live, new))


def _settle_namespace(obj: Object, *, namespaced: bool) -> None:
    if not namespaced:
        drop(obj, "metadata", "namespace")
    elif not at(obj, "metadata", "namespace"):
        put(obj, "default", "metadata", "namespace")


def _keeps_its_name(live: Object, new: Object) -> bool:
    same_place = (at(live, "metadata", "namespace") or None) == (at(new, "metadata", "namespace") or None)
    same_name = at(live, "metadata", "name") == at(new, "metadata", "name")
    return same_name and same_place and annotation(new, AUTONAMED) != "true"


def _walk(path: Path, old: object, new: object) -> Iterable[tuple[Path, Change, object]]:
    """Every leaf that differs, with its new value."""
    if old is _MISSING:
        if new != []:  # the API server does not keep an empty list
            yield path, Change.ADD, new
    elif new is _MISSING:
        yield path, Change.DELETE, None
    elif new is UNKNOWN:
        yield path, Change.UPDATE, None
    elif is_object(old) and is_object(new):
        for key in sorted(old.keys() | new.keys()):
            yield from _walk((*path, key), old.get(key, _MISSING), new.get(key, _MISSING))
    elif is_list(old) and is_list(new):
        yield from _walk_items(path, old, new)
    elif not (_same(old, new) or _same_quantity(path, old, new)):
        yield path, Change.UPDATE, new


def _walk_items(
    path: Path, old: Sequence[object], new: Sequence[object]
) -> Iterable[tuple[Path, Change, object]]:
    for index in range(max(len(old), len(new))):
        before = old[index] if index < len(old) else _MISSING
        after = new[index] if index < len(new) else _MISSING
        yield from _walk((*path, index), before, after)


def _same(old: object, new: object) -> bool:
    return old == new and isinstance(old, bool) == isinstance(new, bool)


def _same_quantity(path: Path, old: object, new: object) -> bool:
    """Whether two values at a path are one quantity in two spellings: the API server writes `0.5` as `500m`."""
    if not _QUANTITY_HOLDERS.intersection(path[-2:-1]):
        return False
    try:
        return thousandths(str(old)) == thousandths(str(new))
    except ValueError:
        return False
