"""Reads JSON values of unknown types: a value of another type than expected reads as None or empty."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast


def at(value: Any, *path: str) -> Any:
    """The value at a path of keys, or None."""
    for key in path:
        if not is_mapping(value):
            return None
        value = value.get(key)
    return value


def put(content: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Sets the value at a path of keys; what is no mapping on the way there becomes one."""
    *parents, last = path
    for key in parents:
        if not isinstance(content.get(key), dict):
            content[key] = {}
        content = content[key]
    content[last] = value


def folded(key: Any) -> str:
    """A key in the form in which `scan-interval`, `scanInterval` and `ScanInterval` are equal."""
    return str(key).replace("-", "").lower()


def is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether the value is a mapping."""
    return isinstance(value, Mapping)


def entries(value: Any) -> list[Any]:
    """The entries of a list; empty for another value."""
    return (
        list(cast(Sequence[Any], value)) if isinstance(value, Sequence) and not isinstance(value, str) else []
    )


def texts(value: Any) -> list[str]:
    """The entries of a list that are text."""
    return [entry for entry in entries(value) if isinstance(entry, str)]


def whole(value: Any) -> int | None:
    """A whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text(value: Any) -> str:
    """A text; empty for another value."""
    return value if isinstance(value, str) else ""
