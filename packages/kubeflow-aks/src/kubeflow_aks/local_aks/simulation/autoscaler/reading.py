"""Fields of API objects, read with the types that the Kubernetes API gives them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from kubeflow_aks.clients.kubernetes.objects import is_list, is_object
from kubeflow_aks.clients.kubernetes.quantity import thousandths

Json: TypeAlias = dict[str, Any]


class MalformedObjectError(ValueError):
    """An object has a field that the Kubernetes API would not accept; the message names field and value."""

    def __init__(self, key: str, value: object, allowed: str) -> None:
        super().__init__(f"{key}: {value!r} is not allowed; expected {allowed}")


def child(of: Json, key: str) -> Json:
    """An object in an object, empty where it is absent or null.

    Raises:
        MalformedObjectError: it is something else.
    """
    value = of.get(key)
    if value is None:
        return {}
    if not is_object(value):
        raise MalformedObjectError(key, value, "an object")
    return value


def children(of: Json, key: str) -> Sequence[Json]:
    """A list of objects in an object, empty where it is absent or null.

    Raises:
        MalformedObjectError: it is something else.
    """
    value = of.get(key)
    if value is None:
        return ()
    if not is_list(value) or not all(map(is_object, value)):
        raise MalformedObjectError(key, value, "a list of objects")
    return value


def text(of: Json, key: str) -> str:
    """A text that must be there.

    Raises:
        MalformedObjectError: it is not there, empty, or something else.
    """
    value = of.get(key)
    if not isinstance(value, str) or not value:
        raise MalformedObjectError(key, value, "a text")
    return value


def optional_text(of: Json, key: str, default: str = "") -> str:
    """A text, `default` where it is absent, null or empty.

    Raises:
        MalformedObjectError: it is something else.
    """
    return text(of, key) if of.get(key) not in (None, "") else default


def choice(of: Json, key: str, allowed: Sequence[str], default: str = "") -> str:
    """One of a few texts, `default` where it is absent, null or empty.

    Raises:
        MalformedObjectError: it is none of them.
    """
    value = optional_text(of, key, default)
    if value not in allowed:
        raise MalformedObjectError(key, value, f"one of {', '.join(filter(None, allowed))}")
    return value


def texts(of: Json, key: str) -> Mapping[str, str]:
    """A map of texts, such as labels; empty where it is absent or null.

    Raises:
        MalformedObjectError: it is something else.
    """
    value = child(of, key)
    if not all(isinstance(entry, str) for entry in value.values()):
        raise MalformedObjectError(key, value, "a map of texts")
    return value


def values(of: Json, key: str) -> tuple[str, ...]:
    """A list of texts, empty where it is absent or null.

    Raises:
        MalformedObjectError: it is something else.
    """
    value = of.get(key)
    if value is None:
        return ()
    if not is_list(value) or not all(isinstance(entry, str) for entry in value):
        raise MalformedObjectError(key, value, "a list of texts")
    return tuple(value)


def whole_number(of: Json, key: str) -> int:
    """A whole number, 0 where it is absent or null.

    Raises:
        MalformedObjectError: it is something else.
    """
    value = of.get(key)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool):
        raise MalformedObjectError(key, value, "a whole number")
    return value


def amounts(of: Json, key: str) -> dict[str, int]:
    """Quantities by resource in thousandths of the unit, empty where they are absent or null.

    Raises:
        MalformedObjectError: they are something else.
    """
    quantities = child(of, key)
    try:
        return {name: thousandths(amount) for name, amount in quantities.items()}
    except ValueError:
        raise MalformedObjectError(key, quantities, 'quantities such as "500m" or "4Gi"') from None
