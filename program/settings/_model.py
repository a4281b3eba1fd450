"""Base of the settings models: frozen, no unknown keys, camelCase outside, documented fields; and their errors."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Annotated, Any, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from components.arguments.declaration import (
    Argument,
    arguments_of,
    entry_kind,
    is_map,
    keys_of,
    plain_kind,
    text_of,
)
from components.arguments.mistakes import HIDDEN, Mistake

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _in_day_form(value: object) -> object:
    """Refuses other forms that pydantic reads as a date: seconds since 1970, times, datetimes."""
    if not (isinstance(value, str) and _DAY.fullmatch(value)):
        raise PydanticCustomError("date_parsing", "not a day")
    return value


Day = Annotated[date, Field(strict=False), BeforeValidator(_in_day_form)]
"""A day written as YYYY-MM-DD."""


ENCRYPTED = HIDDEN
"""Text that replaces a value that a preview cannot decrypt (`kubeflow_aks.recorder.stack_files.ENCRYPTED`)."""


class SettingsError(ValueError):
    """The settings cannot be used; the text holds one line per mistake."""

    def __init__(self, problems: Iterable[Mistake]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class UnreadError(Exception):
    """A setting was read that has a mistake, or whose value a preview cannot decrypt."""


class SettingsModel(BaseModel):
    """A group of settings. One that could not be read is absent (`program.settings.encrypted`); reading it raises."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )

    def __init_subclass__(cls, **options: Any) -> None:
        """Gives fields their docstrings; pydantic's own way takes as long as all else that is imported here."""
        super().__init_subclass__(**options)
        replaced = cls.model_fields
        for name, annotation in cls.__annotations__.items():
            if text := text_of(cls, name) or (replaced[name].description if name in replaced else ""):
                cls.__annotations__[name] = Annotated[annotation, Field(description=text)]

    def __getattr__(self, name: str) -> Any:
        """Called for what is absent only."""
        if name in type(self).model_fields:
            raise UnreadError(name)
        return cast(Any, super()).__getattr__(name)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Itself, for it is frozen: pydantic copies a default whenever it is taken."""
        return self

    def __iter__(self) -> Iterator[tuple[str, Any]]:  # pyright: ignore[reportIncompatibleMethodOverride] # as BaseModel
        """Names and values of all fields, none left out silently."""
        for name in type(self).model_fields:
            yield name, getattr(self, name)


def setting(default: Any, source: str, *, unit: str = "", form: str = "", **constraints: Any) -> Any:
    """A field, and its entry in the reference of settings; its text is the docstring below it.

    Args:
        default: its default; a mutable one is copied by pydantic. `...` makes the field required.
        source: where the rule or the default comes from, cited as in `docs/facts/sources.md`.
        unit: unit of the value, or its kind when it is text.
        form: what the pattern allows, in words that follow "expected"; with an example where that is shorter.
        constraints: pydantic's own (ge, le, pattern, …), and `description` where no docstring has the text.
    """
    extra = {"unit": unit, "source": source, "form": form}
    return Field(default, json_schema_extra=cast(Any, extra), **constraints)


def setting_of(arguments: type, name: str, **changes: Any) -> Any:
    """A field of what an argument of a component declares.

    Args:
        arguments: the TypedDict.
        name: of the argument.
        changes: arguments of `setting` that differ.
    """
    declared = vars(arguments_of(arguments)[name]).items()
    stated: dict[str, Any] = {key: value for key, value in declared if value not in (None, "")}
    fields: dict[str, Any] = {"default": None} | stated | changes
    return setting(**fields)


def settings_of(arguments: type, base: type[BaseModel] = SettingsModel) -> Any:
    """A base class with a setting for each declared argument of a TypedDict: kind, default, bounds, text and source.

    A field of the class itself replaces the one of its name, in its place; without a docstring it keeps the text. The
    type checker takes all others for `Any`.

    Args:
        arguments: the TypedDict.
        base: class whose fields come first.
    """
    fields: dict[str, Any] = {
        name: (
            _kind(arguments, name, argument),
            setting_of(arguments, name, description=text_of(arguments, name)),
        )
        for name, argument in arguments_of(arguments).items()
    }
    return create_model(f"{arguments.__name__}Settings", __base__=base, __module__=__name__, **fields)


def _kind(arguments: type, name: str, argument: Argument) -> Any:
    """The kind of a setting: that of the argument, immutable, and None too where that is the default."""
    kind, _ = plain_kind(keys_of(arguments)[name])
    if (entry := entry_kind(kind)) is not None:
        entry, _ = plain_kind(entry)
        kind = dict[str, entry] if is_map(kind) else tuple[entry, ...]
    return kind | None if argument.default is None else kind
