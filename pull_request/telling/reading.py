"""Reading values of a program that may have any form: what is not as expected reads as nothing."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast


def at(value: Any, *path: str) -> Any:
    """What stands under those keys; None where nothing does."""
    for key in path:
        if not is_mapping(value):
            return None
        value = value.get(key)
    return value


def is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether the value is a mapping."""
    return isinstance(value, Mapping)


def entries(value: Any) -> list[Any]:
    """The entries of a list; none where the value is none."""
    return (
        list(cast(Sequence[Any], value)) if isinstance(value, Sequence) and not isinstance(value, str) else []
    )


def texts(value: Any) -> list[str]:
    """Those entries of a list that are text."""
    return [entry for entry in entries(value) if isinstance(entry, str)]


def whole(value: Any) -> int | None:
    """A whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text(value: Any) -> str:
    """A text; empty where the value is none."""
    return value if isinstance(value, str) else ""
