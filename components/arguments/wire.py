"""What joins the components' types and Pulumi's schema: enums of choices, and arguments by the schema's names."""

import ast
import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from itertools import pairwise
from types import ModuleType
from typing import Annotated, Any, Final, cast, get_args, get_origin, is_typeddict

import pulumi
from pulumi.provider.experimental.analyzer import (
    Analyzer,
    ComponentDefinition,
    PropertyDefinition,
    PropertyType,
    TypeDefinition,
)

from . import choices
from .declaration import arguments_of, text_of
from .form import key_mistakes
from .inputs import when_known


def _enums(module: ModuleType) -> dict[Any, type[Enum]]:
    """The enum of each choice of a module; a docstring after an assignment is in its source only."""
    lines = ast.parse(inspect.getsource(module)).body
    enums: dict[Any, type[Enum]] = {}
    for line, text in pairwise(lines):
        if isinstance(line, ast.Assign) and isinstance(text, ast.Expr):
            name = ast.unparse(line.targets[0])
            choice = getattr(module, name)
            enums[choice] = cast(type[Enum], Enum(name, {value: value for value in get_args(choice)}))
            enums[choice].__doc__ = ast.literal_eval(text.value)
    return enums


_ENUMS: Final = _enums(choices)


class ChoiceAnalyzer(Analyzer):
    """Pulumi's analyzer, for which a choice is an enum; its own knows neither `Literal` nor `Annotated` (3.272)."""

    def analyze_property(self, arg: type, typ: type, name: str, **place: Any) -> PropertyDefinition:
        """The definition of one property."""
        plain = get_args(arg)[0] if get_origin(arg) is Annotated else arg
        return super().analyze_property(cast(type, _ENUMS.get(plain, plain)), typ, name, **place)

    def get_docstring(self, typ: type, name: str) -> str | None:
        """The docstring of an argument, with what is declared beside it."""
        declared = arguments_of(typ).get(name) if is_typeddict(typ) else None
        return declared.in_words(text_of(typ, name)) if declared else super().get_docstring(typ, name)


class PythonArguments:
    """Arguments of the schema's names and kinds of numbers, as a component takes them; Outputs stay Outputs.

    Pulumi's own makes an integer or an enum's member of every value, which fails for an Output, and takes an Output of
    an object for an empty one (pulumi 3.272, provider/experimental/component.py).
    """

    def __init__(self, type_of: Callable[[PropertyDefinition], TypeDefinition | None]) -> None:
        """Knows the package.

        Args:
            type_of: the type that a property refers to; None for a resource and for what Pulumi itself defines.
        """
        self._type_of = type_of
        self._reasons: list[tuple[str, str]] = []

    def of(self, component: ComponentDefinition, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of one component.

        Raises:
            pulumi.InputPropertiesError: required ones are missing, or there are others than the schema has.
        """
        arguments = self._named(inputs, component.inputs, component.inputs_mapping, "")
        if self._reasons:
            raise pulumi.InputPropertiesError(
                "invalid arguments",
                [{"property_path": path, "reason": reason} for path, reason in self._reasons],
            )
        return arguments

    def _named(
        self,
        inputs: Mapping[str, Any],
        properties: Mapping[str, PropertyDefinition],
        names: Mapping[str, str],
        path: str,
    ) -> dict[str, Any]:
        stated = {key: value for key, value in inputs.items() if value is not None}
        self._reasons += [
            (mistake.key, mistake.reason)
            for key, value in stated.items()
            for mistake in key_mistakes(f"{path}{key}", key, value, properties)
        ]
        self._reasons += [
            (f"{path}{key}", "missing")
            for key, declared in properties.items()
            if not declared.optional and key not in stated
        ]
        return {
            names.get(key, key): self._value(value, properties[key], f"{path}{key}")
            if key in names
            else value
            for key, value in stated.items()
        }

    def _value(self, value: Any, declared: PropertyDefinition, path: str) -> Any:
        kind = self._type_of(declared) if declared.ref else None
        if kind is not None and not kind.enum:
            return when_known(partial(self._object, kind, path), value)
        if declared.items is not None:
            return when_known(partial(self._list, declared.items, path), value)
        if declared.additional_properties is not None:
            return when_known(partial(self._map, declared.additional_properties, path), value)
        if declared.type is PropertyType.INTEGER:
            return when_known(_whole, value)
        return value

    def _object(self, kind: TypeDefinition, path: str, value: Mapping[str, Any]) -> dict[str, Any]:
        return self._named(value, kind.properties, kind.properties_mapping, f"{path}.")

    def _list(self, declared: PropertyDefinition, path: str, value: list[Any]) -> list[Any]:
        return [self._value(item, declared, f"{path}[{index}]") for index, item in enumerate(value)]

    def _map(self, declared: PropertyDefinition, path: str, value: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self._value(item, declared, f"{path}.{key}") for key, item in value.items()}


def _whole(value: float) -> float:
    """An integer, which comes as a float; what is none stays for the component to refuse."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
