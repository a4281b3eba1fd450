"""Arguments whose value may be known only once something else is made."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import pulumi

from .declaration import TextsByName
from .form import is_awaited

T = TypeVar("T")


def when_known(make: Callable[..., T], *values: pulumi.Input[Any]) -> pulumi.Input[T]:
    """Applies a function to inputs: at once, so that a preview shows the result, or once all of them are known.

    Args:
        make: the function; it takes the values; of a plain list or map, entries that are Outputs stay Outputs.
        values: any number.
    """
    if not any(map(is_awaited, values)):
        return make(*values)
    return pulumi.Output.all(*values).apply(lambda plain: make(*plain))


def mapped(values: pulumi.Input[Sequence[Any]], make: Callable[[Any], T]) -> pulumi.Input[Sequence[T]]:
    """Applies a function to each entry of a list."""

    def list_of(entries: Sequence[Any]) -> list[T]:
        return [make(value) for value in entries]

    return when_known(list_of, values)


def merged(*maps: TextsByName) -> TextsByName:
    """One map of several; of two entries of one name the last counts."""

    def one_of(*plain: Mapping[str, pulumi.Input[str]]) -> dict[str, pulumi.Input[str]]:
        return {name: text for each_map in plain for name, text in each_map.items()}

    return when_known(one_of, *maps)
