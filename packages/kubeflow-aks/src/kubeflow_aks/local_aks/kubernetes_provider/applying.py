"""Server-side apply on plain objects: which manager owns which field, and the result of an apply.

Source: `server-side-apply.md` of kubernetes/website. The API server knows by its types which lists are merged item by
item; here every list is atomic: its last applier owns all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Object, clone, drop, fields, is_object, put
from kubeflow_aks.local_aks.kubernetes_provider import ownership

_Path = tuple[str, ...]
_IDENTITY: Final = frozenset({("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")})
_OWNERS: Final = ("metadata", "managedFields")
APPLY: Final = "Apply"
UPDATE: Final = "Update"


def written(obj: Object, manager: str) -> Object:
    """An object that a manager created or replaced, with all its fields owned by that manager."""
    result = clone(obj)
    drop(result, *_OWNERS)
    put(result, [_entry(result, manager, UPDATE, _leaves(result))], *_OWNERS)
    return result


def applied(live: Object, obj: Object, manager: str, *, force: bool) -> Object:
    """The live object after a manager has applied its fields.

    Args:
        live: the object as it is; empty where there is none.
        obj: every field that the manager applies.
        manager: name of the applying manager.
        force: take fields from others.

    Raises:
        ApiError: a `Conflict`: another manager owns a field and gives it another value.
    """
    desired = _leaves(obj)
    owners = ownership.owners(live)
    owned = [entry for entry in owners if _is(entry, manager)]
    others = {id(entry): set(_paths(fields(entry.get("fieldsV1")))) for entry in owners if entry not in owned}
    values = _leaves(live)
    taken = {path for path, value in desired.items() if path in values and values[path] != value}
    conflicts = [(entry, path) for entry in owners for path in sorted(others.get(id(entry), set()) & taken)]
    if conflicts and not force:
        raise ApiError(HTTPStatus.CONFLICT, "Conflict", _conflict(conflicts))
    owned_elsewhere = set[_Path]().union(*others.values())
    given_up = {path for entry in owned for path in _paths(fields(entry.get("fieldsV1")))} - desired.keys()
    result = clone(live or obj)
    for path in given_up - owned_elsewhere:
        drop(result, *path)
    for path, value in desired.items():
        put(result, value, *path)
    kept = [
        _entry(entry, entry["manager"], entry["operation"], others[id(entry)] - taken)
        for entry in owners
        if id(entry) in others and others[id(entry)] - taken
    ]
    put(result, [*kept, _entry(obj, manager, APPLY, desired)], *_OWNERS)
    return result


def _is(entry: Object, manager: str) -> bool:
    return entry.get("manager") == manager and entry.get("operation") == APPLY


def _leaves(obj: Object) -> dict[_Path, Any]:
    """Every value that is no object, or an empty one, by its path; without what names the object."""
    spec = {key: value for key, value in obj.items() if key != "status"}
    return {path: value for path, value in _walk((), spec) if path not in _IDENTITY and path[:2] != _OWNERS}


def _walk(path: _Path, value: object) -> Iterator[tuple[_Path, Any]]:
    if is_object(value) and value:
        for key, item in value.items():
            yield from _walk((*path, key), item)
    elif path:
        yield path, value


def _entry(
    obj: Mapping[str, Any], manager: str, operation: str, paths: Mapping[_Path, Any] | set[_Path]
) -> Object:
    """One of an object's `managedFields`."""
    owned: Object = {}
    for path in sorted(paths):
        put(owned, {}, *(f"f:{key}" for key in path))
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": obj["apiVersion"],
        "fieldsType": "FieldsV1",
        "fieldsV1": owned,
    }


def _paths(owned: Object) -> Iterator[_Path]:
    for path, _ in _walk((), owned):
        yield tuple(key.removeprefix("f:") for key in path)


def _conflict(conflicts: list[tuple[Object, _Path]]) -> str:
    """In the API server's words (`printManager` of k8s.io/apimachinery 0.34.4)."""
    named = [(_named(entry), "." + ".".join(path)) for entry, path in conflicts]
    if len(named) == 1:
        return "Apply failed with 1 conflict: conflict with {}: {}".format(*named[0])
    lines: list[str] = []
    for name in sorted({name for name, _ in named}):
        lines += [f"conflicts with {name}:", *(f"- {path}" for owner, path in named if owner == name)]
    return f"Apply failed with {len(named)} conflicts: " + "\n".join(lines)


def _named(entry: Object) -> str:
    using = f" using {entry['apiVersion']}" if entry.get("operation") == UPDATE else ""
    return f'"{entry.get("manager")}"{using}'
