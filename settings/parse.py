"""From a stack's raw configuration to settings, with every mistake reported at once."""

import copy
import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from settings._model import SettingsModel
from settings.problems import Problem
from settings.root import Settings

_Location = tuple[int | str, ...]

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "tuple_type": "a list",
    "date_from_datetime_parsing": "a date as YYYY-MM-DD",
    "date_parsing": "a date as YYYY-MM-DD",
    "date_type": "a date as YYYY-MM-DD",
    "finite_number": "a finite number",
}
_LIMITS = {
    "greater_than_equal": ("ge", "at least {}"),
    "greater_than": ("gt", "more than {}"),
    "less_than_equal": ("le", "at most {}"),
    "string_too_short": ("min_length", "at least {} character"),
    "too_long": ("max_length", "at most {} entries"),
}
_MAPS = ("pools", "vmSizes")
"""Keys whose entries are read one by one: a mistake in one leaves out no other."""
_PLACEHOLDER_TAGS = {"owner": "unset", "environment": "unset"}


@dataclass(frozen=True)
class Parsed:
    """What could be read of a stack's configuration."""

    settings: Settings
    """The settings; where there are mistakes of form, without the parts that contain them."""
    problems: tuple[Problem, ...]
    left_out: frozenset[str]
    """Keys of the parts that contain mistakes of form. They have their defaults now, so no rule should judge them."""


def parse(raw: Mapping[str, Any]) -> Parsed:
    """Reads configuration values (JSON types, camelCase keys) into settings.

    A part (one pool, one VM size, or one top-level key) with a value of the wrong form is left out. The rest is still
    read, so that planning can check it in the same run.
    """
    raw = {key: value for key, value in raw.items() if not _left_out(key, value)}
    try:
        return Parsed(_validate(raw), (), frozenset())
    except ValidationError as error:
        errors = error.errors(include_url=False)
    mended = copy.deepcopy(dict(raw))
    left_out: set[str] = set()
    for detail in errors:
        location = detail["loc"]
        if detail["type"] == "extra_forbidden":
            _remove(mended, location)
            continue
        part = location[:2] if location[0] in _MAPS else location[:1]
        left_out.add(_key(part))
        _remove(mended, part)
    mended.setdefault("tags", _PLACEHOLDER_TAGS)
    return Parsed(_validate(mended), tuple(map(_problem, errors)), frozenset(left_out))


def _left_out(key: str, value: Any) -> bool:
    """Whether a value means null, which Pulumi.yaml cannot give as the default of a key it declares.

    The CLI refuses every stack that does not set a declared key without a default
    (docs/facts/pulumi.md#configuration).
    """
    field = _by_alias(Settings, key)
    return field is not None and field.get_default() is None and value in ("", {})


def _validate(raw: Mapping[str, Any]) -> Settings:
    # Text that UTF-8 cannot hold, like half of a surrogate pair, is read as question marks.
    return Settings.model_validate_json(json.dumps(raw, ensure_ascii=False).encode(errors="replace"))


def _remove(values: Any, location: _Location) -> None:
    for step in location[:-1]:
        try:
            values = values[step]
        except (
            KeyError,
            IndexError,
            TypeError,
        ):  # it was removed with the part that an earlier mistake is in
            return
    if isinstance(values, dict):
        values.pop(location[-1], None)  # pyright: ignore[reportUnknownMemberType]


def _problem(detail: ErrorDetails) -> Problem:
    location = detail["loc"]
    value = None if detail["type"] == "missing" else detail["input"]
    return Problem(_key(location), value, _allowed(detail))


def _allowed(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return _known_keys(detail["loc"])
    field = _field(detail["loc"])
    if kind == "missing":
        return f"a value ({_sentence(field)})"
    if kind == "literal_error":
        return f"one of {context['expected']}"
    if kind in _LIMITS:
        name, phrase = _LIMITS[kind]
        return phrase.format(context[name])
    if kind == "string_pattern_mismatch":
        return _extra(field, "form")
    return _KINDS.get(kind, detail["msg"])


def _sentence(field: FieldInfo | None) -> str:
    about = ((field.description if field else None) or "a value").rstrip(".")
    word, _, rest = about.partition(" ")
    return f"{word.lower() if word[1:].islower() else word} {rest}"


def _extra(field: FieldInfo | None, name: str) -> str:
    return cast(dict[str, str], field.json_schema_extra)[name] if field else ""


def _known_keys(location: _Location) -> str:
    key = str(location[-1])
    fields = _model(location[:-1]).model_fields
    known = [field.alias or name for name, field in fields.items()]
    close = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"one of the keys {', '.join(known)}{hint}"


def _model(location: _Location) -> type[BaseModel]:
    """The model that a location stands in; steps into maps and lists stay with the model of their values."""
    model: type[BaseModel] = Settings
    steps = iter(location)
    for step in steps:
        field = _by_alias(model, step)
        if field is None:
            continue
        if get_origin(field.annotation) is dict:
            next(steps, None)  # a name that the user chose, even where it reads like a field
        model = _inner_model(field.annotation) or model
    return model


def _field(location: _Location) -> FieldInfo | None:
    return _by_alias(_model(location[:-1]), location[-1])


def _by_alias(model: type[BaseModel], step: int | str) -> FieldInfo | None:
    return next((field for field in model.model_fields.values() if field.alias == step), None)


def _inner_model(annotation: Any) -> type[SettingsModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, SettingsModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _inner_model(arg))), None)


def _key(location: _Location) -> str:
    text = ""
    for step in location:
        if step == "[key]":  # pydantic's word for "the key itself"
            continue
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
