"""The message for a value of the wrong form."""

import json
from typing import Any, cast

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from components.arguments.mistakes import Mistake
from program.settings._model import ENCRYPTED
from program.settings.paths import field_at, key_of

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
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
    "less_than": ("lt", "less than {}"),
    "string_too_short": ("min_length", "at least {} character"),
    "too_long": ("max_length", "at most {} entries"),
}
_NO_TEXT = {"int_type": (int,), "float_type": (int, float), "bool_type": (bool,)}
"""Types that text in quotes would have without them."""


def form_problem(detail: ErrorDetails) -> Mistake:
    """The problem that one of pydantic's errors stands for."""
    location = detail["loc"]
    value = None if detail["type"] == "missing" else detail["input"]
    allowed, quotes = _allowed(detail), _about_quotes(detail)
    gap = " " if allowed == "text" else ", "
    return Mistake(key_of(location), value, gap.join(filter(None, (allowed, quotes))))


def _allowed(detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    field = field_at(detail["loc"])
    if detail["input"] == ENCRYPTED:
        return "a value that is not encrypted, because a preview cannot decrypt it and it has no default"
    if kind == "missing":
        return f"a value ({_sentence(field)})"
    if kind == "literal_error":
        return f"one of {context['expected']}"
    if kind in _LIMITS:
        name, phrase = _LIMITS[kind]
        return phrase.format(f"{context[name]:g}")
    if kind in ("string_pattern_mismatch", "string_type"):
        return _form(field) or "text"
    return _KINDS.get(kind, detail["msg"])


def _about_quotes(detail: ErrorDetails) -> str:
    """What to do where YAML made another type of it than the user meant."""
    kind, value = detail["type"], detail["input"]
    if kind in ("string_type", "date_type", "date_parsing") or (
        kind == "literal_error" and "'" in detail.get("ctx", {})["expected"]
    ):
        if isinstance(value, bool):
            return "in quotes; without them YAML reads true or false"
        if isinstance(value, int | float):
            return "in quotes; without them YAML reads a number"
    if kind in _NO_TEXT and isinstance(value, str) and type(_as_json(value)) in _NO_TEXT[kind]:
        return "without quotes"
    return ""


def _as_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)  # NaN is no number here
    except (ValueError, RecursionError):
        return None


def _sentence(field: FieldInfo | None) -> str:
    about = ((field.description if field else None) or "a value").rstrip(".")
    word, _, rest = about.partition(" ")
    return f"{word.lower() if word[1:].islower() else word} {rest}"


def _form(field: FieldInfo | None) -> str:
    return cast(dict[str, str], field.json_schema_extra)["form"] if field else ""
