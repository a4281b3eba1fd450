"""Inputs and live objects brought to one shape, so that only the program's fields are compared.

Source: `normalizeInputs`, `pruneLiveState` and `pruneMap` of pulumi-kubernetes (provider.go, util.go).
"""

import base64
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, clone, drop, fields, is_list, is_object
from kubeflow_aks.local_aks.protocol import wire

_SERVER_METADATA: Final = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
)


def normalized(inputs: Object) -> Object:
    """Inputs without what only the server sets, and a Secret's `stringData` as the base64 `data` that the server keeps.

    A Secret with unknown values keeps its `stringData`.
    """
    result = clone(inputs)
    if Kind.of(result) == Kind("", "v1", "Secret") and not wire.has_unknown(inputs):
        _encode_string_data(result)
    for key in _SERVER_METADATA:
        drop(result, "metadata", key)
    return result


def pruned(live: object, shape: object) -> Any:
    """The live value with only what the shape has too; list items pair by position, further ones go.

    The API server drops many fields that are `false`, 0 or empty (`omitempty` in Go), so such a field of the shape
    counts as live. The real provider drops them from the inputs too, by a round trip through the Go types.
    """
    if is_object(live) and is_object(shape):
        both = {key: pruned(live[key], desired) for key, desired in shape.items() if key in live}
        return both | {
            key: desired for key, desired in shape.items() if key not in live and _droppable(desired)
        }
    if is_list(live) and is_list(shape):
        return [pruned(item, item_shape) for item, item_shape in zip(live, shape, strict=False)]
    return live


def _droppable(value: object) -> bool:
    return not value and value != ""  # an empty label or configuration value is kept


def _encode_string_data(secret: Object) -> None:
    clear = fields(secret.pop("stringData", None))
    if clear:
        encoded = {key: base64.b64encode(str(value).encode()).decode() for key, value in clear.items()}
        secret["data"] = {**fields(at(secret, "data")), **encoded}
