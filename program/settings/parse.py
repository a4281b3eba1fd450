"""Reads a stack's raw configuration into settings: its form, not its rules."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import reduce
from itertools import takewhile
from typing import Any, cast, get_args

from pydantic import ValidationError
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from components.arguments.mistakes import Mistake, alike
from program.settings._model import ENCRYPTED, SettingsError
from program.settings.form_messages import form_problem
from program.settings.paths import Location, entry_type, field_at, inner_model, is_written, key_of, model_at
from program.settings.project_config import left_out_default, plain_default
from program.settings.root import Settings
from program.settings.unknown_keys import meant, unknown_keys

_DEEPEST = 20
"""Levels of lists and mappings; the deepest setting has fewer than ten."""
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)( \d\d:\d\d:\d\d(?:\.\d+)?) [-+]\d{4} (?:UTC|[-+]\d{4})")
"""What Pulumi makes of a date or time without quotes (docs/facts/pulumi.md#configuration)."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a stack's raw configuration gives."""

    settings: Settings | None
    """With something else in the place of what is `unread`; None where too little is left to judge."""
    mistakes: tuple[Mistake, ...]
    """Every mistake of form: of a value, or an unknown key."""
    unread: tuple[Location, ...]
    """The settings that have such a mistake, those that an unknown key may stand for, and those that a preview cannot
    decrypt; a list counts as a whole."""


def parse(raw: Mapping[str, Any]) -> Settings:
    """Reads configuration values (JSON types, camelCase keys) into settings.

    Raises:
        SettingsError: values have a wrong form or keys are unknown; lists all of them.
    """
    reading = read(raw)
    if reading.settings is None or reading.mistakes:
        raise SettingsError(reading.mistakes)
    return reading.settings


def read(raw: Mapping[str, Any]) -> Reading:
    """Reads configuration values (JSON types, camelCase keys), as far as they can be read.

    A preview cannot decrypt values. Where one has a default, the settings have that default; where it is text without
    one, or in a list or map of text, they have `ENCRYPTED`. `program.settings.encrypted.readable` gives the settings
    that rules may read.
    """
    values = {key: value for key, value in raw.items() if not _left_out(key, value)}
    too_deep = [key for key, value in values.items() if _depth(value) > _DEEPEST]
    mistakes = {
        (key,): Mistake(key, "…", f"at most {_DEEPEST} levels of lists and mappings") for key in too_deep
    }
    values = {key: value for key, value in values.items() if key not in too_deep}
    hidden = [place for place, _ in encrypted(values)]
    values = _with_stand_ins(values)
    mistakes |= {
        location: Mistake(
            key_of(location), value, f"{_quoted(time)} in quotes; without them YAML reads a point in time"
        )
        for location, value in leaves(values)
        if isinstance(value, str) and (time := _TIME.fullmatch(value))
    }
    settings, details = _validated(values)
    unknown = {detail["loc"]: detail["input"] for detail in details if detail["type"] == "extra_forbidden"}
    strange, misspelt = unknown_keys(unknown), set(map(meant, unknown))
    for detail in details:
        location = detail["loc"]
        if location in strange:
            mistakes.setdefault(location, strange[location])
        elif detail["type"] == "missing" and location not in misspelt:
            mistakes.setdefault(location, _spelt_otherwise(location, values) or form_problem(detail))
        elif detail["type"] not in ("missing", "extra_forbidden"):
            mistakes.setdefault(location, form_problem(detail))
    unread = [_setting(place) for place in mistakes if place not in unknown]
    unread += [other for place in unknown for other in _meant(place, values)]
    if mistakes:
        settings, _ = _validated(reduce(_mended, (*unknown, *unread), values))
    return Reading(settings=settings, mistakes=tuple(mistakes.values()), unread=(*unread, *hidden))


def _validated(values: Mapping[str, Any]) -> tuple[Settings | None, list[ErrorDetails]]:
    try:
        # Text that UTF-8 cannot hold, like half of a surrogate pair, is read as question marks.
        text = json.dumps(values, ensure_ascii=False).encode(errors="replace")
        return Settings.model_validate_json(text, by_alias=True, by_name=False), []
    except ValidationError as error:
        details = error.errors(include_url=False)
        for detail in details:
            if detail["type"] == "missing":  # without its alias where a default is refused
                detail["loc"] = (*detail["loc"][:-1], to_camel(str(detail["loc"][-1])))
        return None, details


def _meant(unknown: Location, values: Mapping[str, Any]) -> list[Location]:
    """The settings that an unknown key may stand for: the one it is probably meant to be, or all left out beside it."""
    if place := meant(unknown):
        return [place]
    places = [(*unknown[:-1], field.alias or "") for field in model_at(unknown[:-1]).model_fields.values()]
    return [place for place in places if not is_written(values, place)]


def _setting(location: Location) -> Location:
    """The setting that a place is in: of a list's item the list, of a key what has it."""
    return tuple(takewhile(lambda step: isinstance(step, str) and step != "[key]", location))


def _mended(values: dict[str, Any], location: Location) -> dict[str, Any]:
    """The values without one, or with one of the right form where it is required."""
    field = field_at(location)
    needed = field is not None and (field.is_required() or field.validate_default)
    return _changed(values, location, *([_allowed(field)] if field and needed else []))


def _allowed(field: FieldInfo) -> Any:
    """A value that a required field takes."""
    if group := inner_model(field.annotation):
        return {one.alias: _allowed(one) for one in group.model_fields.values() if one.is_required()}
    kinds: dict[Any, Any] = {int: 1, float: 1, date: date.min.isoformat()}
    return kinds.get(field.annotation, ENCRYPTED)


def _spelt_otherwise(location: Location, values: Mapping[str, Any]) -> Mistake | None:
    """The problem that a required tag is there in other letters, whose case Azure ignores."""
    beside: Any = values
    for step in location[:-1]:
        beside = beside[step]
    key = str(location[-1])
    other = alike(key, cast(dict[str, Any], beside))
    return Mistake(key_of((*location[:-1], other)), other, f"the spelling {key}") if other else None


def with_default_named(problem: Mistake, raw: Mapping[str, Any]) -> Mistake:
    """The problem, marked if its value is a default that the stack file does not have."""
    location = tuple(problem.key.split("."))
    field = field_at(location)
    if field is None or problem.value is None:
        return problem
    default = field.get_default()
    same = (list(cast(tuple[Any, ...], default)) if isinstance(default, tuple) else default) == problem.value
    top = next(field for field in Settings.model_fields.values() if field.alias == location[0])
    # Pulumi passes on the defaults of Pulumi.yaml as if the stack had written them.
    written = is_written(raw, location) and (top.is_required() or raw[location[0]] != plain_default(top))
    return replace(problem, default=same and not written)


def _quoted(time: re.Match[str]) -> str:
    return f"'{time[1]}'" if time[2] == " 00:00:00" else f"'{time[1]}{time[2]}'"


def _left_out(key: str, value: Any) -> bool:
    """Whether a value means null, which Pulumi.yaml cannot give as the default of a key it declares.

    The CLI refuses every stack that does not set a declared key without a default
    (docs/facts/pulumi.md#configuration).
    """
    field = field_at((key,))
    if field is None or field.is_required() or field.get_default() is not None:
        return False
    return value == left_out_default(field)


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        inner = [
            list(cast(dict[str, Any], item).values()) if isinstance(item, dict) else cast(list[Any], item)
            for item in level
            if isinstance(item, dict | list)
        ]
        level = [item for items in inner for item in items]
        depth += bool(inner)
    return depth


def encrypted(raw: Mapping[str, Any]) -> Iterator[tuple[Location, bool]]:
    """The settings that a preview cannot decrypt, and whether it is but an item of theirs: a list counts as a whole."""
    for location, value in leaves(raw):
        if value == ENCRYPTED:
            steps = tuple(takewhile(lambda step: isinstance(step, str), location))
            yield steps, steps != location


def _with_stand_ins(values: dict[str, Any]) -> dict[str, Any]:
    """The values without encrypted ones that have a default; lists and maps of text keep theirs."""
    for location, item in encrypted(values):
        field, entry = field_at(location), entry_type(location)
        free = field is not None and not field.is_required() and not field.validate_default
        text = item and field is not None and get_args(field.annotation)[:1] == (str,)
        if (free and not text) or entry not in (None, str):
            values = _changed(values, location)
    return values


def _changed(values: dict[str, Any], location: Location, *new: Any) -> dict[str, Any]:
    """The values with a new one in a place, or without the one that is there."""
    first, *rest = location
    inner = values.get(str(first))
    if rest and isinstance(inner, dict):
        return {**values, str(first): _changed(cast(dict[str, Any], inner), tuple(rest), *new)}
    if rest:
        return values
    return {**values, str(first): new[0]} if new else {key: values[key] for key in values if key != first}


def leaves(value: Any, location: Location = ()) -> Iterator[tuple[Location, Any]]:
    """Every value in a mapping or list, however deep, that is neither, with its place."""
    if isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield from leaves(item, (*location, key))
    elif isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from leaves(item, (*location, number))
    else:
        yield location, value
