"""Reads a stack's raw configuration into settings: its form, not its rules."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, cast, get_args

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from components.arguments.mistakes import Mistake, alike
from program.settings._model import ENCRYPTED, SettingsError
from program.settings.form_messages import form_problem, suggestion, unknown_keys
from program.settings.paths import Location, entry_type, field_at, is_written, key_of
from program.settings.project_config import left_out_default, plain_default
from program.settings.root import Settings

_DEEPEST = 20
"""Levels of lists and mappings; the deepest setting has fewer than ten."""
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)( \d\d:\d\d:\d\d(?:\.\d+)?) [-+]\d{4} (?:UTC|[-+]\d{4})")
"""What Pulumi makes of a date or time without quotes (docs/facts/pulumi.md#configuration)."""


def parse(raw: Mapping[str, Any]) -> Settings:
    """Reads configuration values (JSON types, camelCase keys) into settings.

    A preview cannot decrypt values. Where one has a default, the settings have that default; where it is text without
    one, or in a list or map of text, they have `ENCRYPTED`. `program.settings.encrypted.readable` gives the settings
    that rules may read.

    Raises:
        SettingsError: values have a wrong form or keys are unknown; lists all of them.
    """
    values = {key: value for key, value in raw.items() if not _left_out(key, value)}
    too_deep = [key for key, value in values.items() if _depth(value) > _DEEPEST]
    problems = {
        (key,): Mistake(key, "…", f"at most {_DEEPEST} levels of lists and mappings") for key in too_deep
    }
    values = _with_stand_ins({key: value for key, value in values.items() if key not in too_deep})
    problems |= {
        location: Mistake(
            key_of(location), value, f"{_quoted(time)} in quotes; without them YAML reads a point in time"
        )
        for location, value in leaves(values)
        if isinstance(value, str) and (time := _TIME.fullmatch(value))
    }
    try:
        # Text that UTF-8 cannot hold, like half of a surrogate pair, is read as question marks.
        text = json.dumps(values, ensure_ascii=False).encode(errors="replace")
        settings = Settings.model_validate_json(text, by_alias=True, by_name=False)
    except ValidationError as error:
        details = error.errors(include_url=False)
        for detail in details:
            if detail["type"] == "missing":  # without its alias where a default is refused
                detail["loc"] = (*detail["loc"][:-1], to_camel(str(detail["loc"][-1])))
        unknown = {
            detail["loc"]: detail["input"] for detail in details if detail["type"] == "extra_forbidden"
        }
        strange = unknown_keys(unknown)
        misspelt = {(*location[:-1], suggestion(location)) for location in unknown}
        for detail in details:
            location = detail["loc"]
            if location in unknown:
                problems |= {first: problem for first, problem in strange.items() if first == location}
            elif detail["type"] != "missing":
                problems.setdefault(location, form_problem(detail))
            elif location not in misspelt:
                problems.setdefault(location, _spelt_otherwise(location, values) or form_problem(detail))
    else:
        if not problems:
            return settings
    raise SettingsError(problems.values())


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
            values = _without(values, location)
    return values


def _without(values: dict[str, Any], location: Location) -> dict[str, Any]:
    first, *rest = location
    if not rest:
        return {key: value for key, value in values.items() if key != first}
    return {**values, str(first): _without(values[str(first)], tuple(rest))}


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
