"""Fields of API objects, read with the types that the Kubernetes API gives them.

A field that is null is as good as absent. Every function raises `MalformedObjectError` for a value of another type.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

from kubeflow_aks.clients.kubernetes.objects import is_list, is_object
from kubeflow_aks.clients.kubernetes.quantity import thousandths
from kubeflow_aks.json_values import whole

Json: TypeAlias = dict[str, Any]


class MalformedObjectError(ValueError):
    """An object has a field that the Kubernetes API would not accept; the message names field and value."""

    def __init__(self, key: str, value: object, allowed: str) -> None:
        super().__init__(f"{key}: {value!r} is not allowed; expected {allowed}")


def child(of: Json, key: str) -> Json:
    """An object in an object, by default an empty one."""
    return _read(of, key, {}, is_object, "an object")


def children(of: Json, key: str) -> Sequence[Json]:
    """A list of objects in an object, by default an empty one."""
    return _read(of, key, (), _is_list_of(is_object), "a list of objects")


def text(of: Json, key: str) -> str:
    """A text that must be there and not be empty."""
    value = of.get(key)
    if not _is_text(value) or not value:
        raise MalformedObjectError(key, value, "a text")
    return value


def optional_text(of: Json, key: str, default: str = "") -> str:
    """A text, `default` also where it is empty."""
    return text(of, key) if of.get(key) not in (None, "") else default


def choice(of: Json, key: str, allowed: Sequence[str], default: str = "") -> str:
    """One of a few texts, `default` also where it is empty."""
    value = optional_text(of, key, default)
    if value not in allowed:
        raise MalformedObjectError(key, value, f"one of {', '.join(filter(None, allowed))}")
    return value


def texts(of: Json, key: str) -> Mapping[str, str]:
    """A map of texts, such as labels, by default an empty one."""
    value = child(of, key)
    if not all(map(_is_text, value.values())):
        raise MalformedObjectError(key, value, "a map of texts")
    return value


def values(of: Json, key: str) -> tuple[str, ...]:
    """A list of texts, by default an empty one."""
    return tuple(_read(of, key, (), _is_list_of(_is_text), "a list of texts"))


def whole_number(of: Json, key: str) -> int:
    """A whole number, by default 0."""
    return _read(of, key, 0, lambda value: whole(value) is not None, "a whole number")


def amounts(of: Json, key: str) -> dict[str, int]:
    """Quantities by resource in thousandths of the unit, by default none."""
    quantities = child(of, key)
    try:
        return {name: thousandths(amount) for name, amount in quantities.items()}
    except ValueError:
        raise MalformedObjectError(key, quantities, 'quantities such as "500m" or "4Gi"') from None


def _read(of: Json, key: str, default: Any, is_right: Callable[[object], bool], allowed: str) -> Any:
    value = of.get(key)
    if value is None:
        return default
    if not is_right(value):
        raise MalformedObjectError(key, value, allowed)
    return value


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _is_list_of(is_right: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: is_list(value) and all(map(is_right, value))
