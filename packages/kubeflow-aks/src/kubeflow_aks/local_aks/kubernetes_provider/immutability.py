"""Which changed field replaces an object: `data/replacing_fields.csv`.

What is immutable for the API server but not in that table (PriorityClass `value`, StorageClass `reclaimPolicy`) is
planned as an update and then refused by the server, by the real provider and here alike (recording, call 30).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Kind, is_list, is_object
from kubeflow_aks.local_aks.kubernetes_provider import data

FieldPath = tuple[str, ...]

ANY_ITEM: Final = "*"
IDENTITY: Final[tuple[FieldPath, ...]] = (("metadata", "name"), ("metadata", "namespace"))

_CONFIG_MAP: Final = Kind("", "v1", "ConfigMap")
_SECRET: Final = Kind("", "v1", "Secret")


@dataclass(frozen=True)
class DiffRules:
    """The Provider's `enableConfigMapMutable` and `enableSecretMutable`; an `immutable: true` object overrules both."""

    config_map_mutable: bool = False
    secret_mutable: bool = False


@cache
def _replacing_fields() -> Mapping[Kind, tuple[FieldPath, ...]]:
    paths: defaultdict[Kind, tuple[FieldPath, ...]] = defaultdict(tuple)
    for row in data.rows("replacing_fields.csv"):
        paths[Kind(row["group"], row["version"], row["kind"])] += (tuple(row["field"].split(".")),)
    return paths


def replaced_by(inputs: Mapping[str, Any], rules: DiffRules) -> tuple[FieldPath, ...]:
    """The fields whose change, to these inputs, replaces the object."""
    kind = Kind.of(inputs)
    immutable = inputs.get("immutable") is True
    paths = IDENTITY + _replacing_fields().get(kind, ())
    if kind == _CONFIG_MAP and (immutable or not rules.config_map_mutable):
        return (*paths, ("binaryData",), ("data",))
    if kind == _SECRET and (immutable or not rules.secret_mutable):
        return (*paths, ("stringData",), ("data",))
    return paths


def matches(rule: FieldPath, path: tuple[str | int, ...], value: object) -> bool:
    """Whether a change at a path touches a field of the table.

    Args:
        rule: a path of the table.
        path: where the change is: at the field, below it, or above it.
        value: the new value there; a change above the field touches it if the new value has the field.
    """
    for index, part in enumerate(rule):
        if index < len(path):
            if path[index] != part and not (part == ANY_ITEM and isinstance(path[index], int)):
                return False
        elif is_list(value) and part == ANY_ITEM:
            return any(matches(rule[index + 1 :], (), item) for item in value)
        elif is_object(value) and part in value:
            value = value[part]
        else:
            return False
    return True
