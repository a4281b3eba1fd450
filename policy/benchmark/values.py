"""How the rules look at inputs. A value that only an `up` knows breaks no rule: nobody can say what it will be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from policy.rule import UNKNOWN, Resource

Inputs = Mapping[str, Any]
Look = Callable[[Inputs], Iterable[str]]
"""What is wrong with one set of inputs, one message each."""


def at(inputs: Any, path: str) -> Any:
    """The value at a path such as `identity.type`; None where there is none."""
    for key in path.split("."):
        if inputs is UNKNOWN:
            return UNKNOWN
        if not isinstance(inputs, Mapping):
            return None
        inputs = cast(Inputs, inputs).get(key)
    return inputs


def items(inputs: Any, path: str) -> list[Any]:
    """The list at a path; empty where there is none, or where nobody knows it yet."""
    value = at(inputs, path)
    return cast(list[Any], value) if isinstance(value, list) else []


def text(value: Any) -> str:
    """A value as a string to search in; empty for what is none, and for what nobody knows yet."""
    return value if isinstance(value, str) else ""


def told(value: Any) -> str:
    """A value as messages show it."""
    return "not set" if value is None or value == "" else {True: "true", False: "false"}.get(value, str(value))


def must_be(path: str, *allowed: Any) -> Look:
    """The value is given, and one of these; words of Azure mean the same in capitals."""

    def look(inputs: Inputs) -> Iterable[str]:
        value = at(inputs, path)
        if value is not UNKNOWN and _plain(value) not in {_plain(one) for one in allowed}:
            yield f"{path} is {told(value)}; expected {' or '.join(told(one) for one in allowed)}"

    return look


def must_not_be(path: str, *refused: Any) -> Look:
    """The value is absent, or none of these."""

    def look(inputs: Inputs) -> Iterable[str]:
        value = at(inputs, path)
        if value is not UNKNOWN and _plain(value) in {_plain(one) for one in refused}:
            yield f"{path} is {told(value)}; expected another value"

    return look


def must_be_set(path: str) -> Look:
    """The value is there and not empty."""

    def look(inputs: Inputs) -> Iterable[str]:
        if not at(inputs, path):
            yield f"{path} is not set"

    return look


def both(*looks: Look) -> Look:
    """Everything that any of these finds."""

    def look(inputs: Inputs) -> Iterable[str]:
        for one in looks:
            yield from one(inputs)

    return look


def of(look: Look) -> Callable[[Resource], Iterable[str]]:
    """The same for the inputs of a resource."""
    return lambda resource: look(resource.inputs)


def _plain(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else str(value)
