"""Base of the settings models: frozen, no unknown keys, camelCase outside, documented fields."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _in_day_form(value: object) -> object:
    """Refuses other forms that pydantic reads as a date: seconds since 1970, times, datetimes."""
    if not (isinstance(value, str) and _DAY.fullmatch(value)):
        raise PydanticCustomError("date_parsing", "not a day")
    return value


Day = Annotated[date, Field(strict=False), BeforeValidator(_in_day_form)]
"""A day written as YYYY-MM-DD."""


class EncryptedError(Exception):
    """A setting was read whose value a preview cannot decrypt."""


class SettingsModel(BaseModel):
    """A group of settings. An encrypted one may be absent (`program.settings.encrypted`); reading it then raises."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )

    def __getattr__(self, name: str) -> Any:
        """Called for what is absent only."""
        if name in type(self).model_fields:
            raise EncryptedError(name)
        return cast(Any, super()).__getattr__(name)

    def __iter__(self) -> Iterator[tuple[str, Any]]:  # pyright: ignore[reportIncompatibleMethodOverride] # as BaseModel
        """Names and values of all fields, none left out silently."""
        for name in type(self).model_fields:
            yield name, getattr(self, name)


def setting(
    default: Any = ..., *, about: str, source: str, unit: str = "", form: str = "", **constraints: Any
) -> Any:
    """A field, and its entry in the reference of settings.

    Args:
        default: its default; a mutable one is copied by pydantic. `...` makes the field required.
        about: one sentence for the person who sets it.
        source: where the rule or the default comes from, cited as in `docs/facts/sources.md`.
        unit: unit of the value, or its kind when it is text.
        form: what the pattern allows, in words that follow "expected"; with an example where that is shorter.
        constraints: pydantic's own (ge, le, pattern, …).
    """
    extra = {"unit": unit, "source": source, "form": form}
    return Field(default, description=about, json_schema_extra=cast(Any, extra), **constraints)
