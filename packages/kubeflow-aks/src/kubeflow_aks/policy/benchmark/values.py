"""Helpers of the rules for reading inputs.

A rule that needs an unknown value is undecided: any use of one raises `UnknownValueError`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from kubeflow_aks.policy.rule import UNKNOWN, Resource, UnknownValueError
from kubeflow_aks.policy.table import PerResource

Inputs = Mapping[str, Any]
Look = Callable[[Inputs], Iterable[str]]
"""The violations of one set of inputs, one message each."""


class _Named(Protocol):
    @property
    def urn(self) -> str: ...


_Thing = TypeVar("_Thing", bound=_Named)


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
    """The list at a path; empty where there is none."""
    value = at(inputs, path)
    if value is UNKNOWN:
        raise UnknownValueError
    return value or []


def is_set(value: Any) -> bool:
    """Whether a value is set and not empty; an unknown value counts as set."""
    return value is UNKNOWN or bool(value)


def shown(value: Any) -> str:
    """A value in a message."""
    if value is None or value == "":
        return "not set"
    return str(value).lower() if isinstance(value, bool) else str(value)


def must_be(path: str, *allowed: str) -> Look:
    """The value is one of these, ignoring case; `true` is the boolean too."""

    def look(inputs: Inputs) -> Iterator[str]:
        value = at(inputs, path)
        if _plain(value) not in {one.casefold() for one in allowed}:
            yield f"{path} is {shown(value)}; expected {' or '.join(allowed)}"

    return look


def must_not_be(path: str, *refused: str, instead: str) -> Look:
    """The value is missing, or none of these; `instead` is the value that messages recommend."""

    def look(inputs: Inputs) -> Iterator[str]:
        value = at(inputs, path)
        if _plain(value) in {one.casefold() for one in refused}:
            yield f"{path} is {shown(value)}; expected {instead}"

    return look


def must_be_set(path: str) -> Look:
    """The value is set and not empty."""

    def look(inputs: Inputs) -> Iterator[str]:
        if not is_set(at(inputs, path)):
            yield f"{path} is not set"

    return look


def on(type_: str, *looks: Look, where: Callable[[Inputs], bool] = lambda _: True) -> PerResource:
    """These checks of the inputs of each resource of a type that `where` accepts."""

    def look(resource: Resource) -> Iterator[str]:
        if where(resource.inputs):
            yield from (message for look in looks for message in look(resource.inputs))

    return PerResource(look, type_)


def in_turn(things: Iterable[_Thing], look: Callable[[_Thing], Iterable[str]]) -> Iterator[tuple[str, str]]:
    """The violations of each thing, with its URN; an undecided one does not stop the others."""
    undecided = False
    for thing in things:
        try:
            yield from ((thing.urn, message) for message in look(thing))
        except UnknownValueError:
            undecided = True
    if undecided:
        raise UnknownValueError


def of_type(resources: Sequence[Resource], *types: str) -> Iterator[Resource]:
    """The resources of these types."""
    return (resource for resource in resources if resource.kind in types)


def _plain(value: Any) -> str:
    if value is UNKNOWN:
        raise UnknownValueError
    return shown(value).casefold()
