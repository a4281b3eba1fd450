"""Field managers: who owns a field, and when an update takes it.

Source: `fixCSAFieldManagers`, `handleSSAIgnoreFields` and `patchForce` of pulumi-kubernetes (await.go).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, clone, drop, fields, items, put
from kubeflow_aks.local_aks.kubernetes_provider import paths

_PULUMI: Final = ("pulumi-kubernetes", "pulumi-resource-kubernetes")
_BY_HAND: Final = ("kubectl", "before-first-apply")


def owners(live: Object) -> list[Object]:
    """The object's `managedFields`: one entry for each manager and operation."""
    return [fields(entry) for entry in items(at(live, "metadata", "managedFields"))]


def takeover(live: Object, manager: str) -> list[Object]:
    """JSON patch operations that give a manager what kubectl, or this provider's own create, owns, if anything.

    An update must not conflict with the create before it (a create owns its fields by `Update`, a server-side apply
    by `Apply`), and it undoes changes made by hand with kubectl.
    """
    entries = owners(live)
    taken = [entry for entry in entries if _takes(entry)]
    if not taken:
        return []
    applied = [
        entry for entry in entries if entry.get("manager") == manager and entry.get("operation") == "Apply"
    ]
    merged: Object = {}
    for entry in applied + taken:
        merged = _union(merged, fields(entry.get("fieldsV1")))
    owner = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": live["apiVersion"],
        "time": taken[-1].get("time"),
        "fieldsType": "FieldsV1",
        "fieldsV1": merged,
    }
    others = [entry for entry in entries if entry not in taken and entry not in applied]
    return [
        {"op": "replace", "path": "/metadata/managedFields", "value": [*others, owner]},
        {
            "op": "replace",
            "path": "/metadata/resourceVersion",
            "value": at(live, "metadata", "resourceVersion"),
        },
    ]


def created_by_pulumi(live: Object) -> bool:
    """Whether a create of this provider, not yet followed by an update, owns fields of the object."""
    return any(
        entry.get("manager") in _PULUMI and entry.get("operation") == "Update" for entry in owners(live)
    )


def owned_by_nobody(live: Object) -> bool:
    """Whether the object's owners of fields were removed.

    The API server then calls every field's owner `before-first-apply`, which would be in the way of any apply.
    """
    return not owners(live)


def without_ignored(inputs: Object, live: Object, manager: str, ignore: Sequence[str]) -> Object:
    """The inputs with `ignoreChanges` settled against the live object.

    An ignored field that only others own is left out, so that nothing is taken from them; any other keeps its live
    value, as leaving it out would remove it.
    """
    result = clone(inputs)
    for text in ignore:
        path = paths.parse(text)
        names = [part for part in path if isinstance(part, str)]
        if len(names) != len(path):
            continue  # the real provider has no way into lists either
        value = at(live, *names)
        owners = {manager == entry.get("manager") for entry in _owners(live, names)}
        if owners == {False}:
            drop(result, *names)
        elif value is not None:
            put(result, value, *names)
    return result


def _takes(entry: Object) -> bool:
    return _owned_by(entry, "Update", (*_PULUMI, *_BY_HAND)) or _owned_by(entry, "Apply", _BY_HAND[:1])


def _owned_by(entry: Object, operation: str, managers: tuple[str, ...]) -> bool:
    named = str(entry.get("manager") or "").startswith(managers)
    return named and entry.get("operation") == operation and not entry.get("subresource")


def _owners(live: Object, names: Sequence[str]) -> list[Object]:
    return [
        entry for entry in owners(live) if at(entry, "fieldsV1", *(f"f:{name}" for name in names)) is not None
    ]


def _union(left: Object, right: Object) -> Object:
    """Two `fieldsV1` tries as one."""
    both = {key: _union(fields(left[key]), fields(right[key])) for key in left.keys() & right.keys()}
    return {**left, **right, **both}
