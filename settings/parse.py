"""From a stack's raw configuration to settings, with every mistake reported at once."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from settings.form_messages import form_problem
from settings.paths import Location, field_at, is_known, is_written, key_of
from settings.problems import ENCRYPTED, Problem
from settings.project_config import left_out_default, plain_default
from settings.root import Settings
from settings.stand_ins import place_of, stand_ins, stood_in

_DEEPEST = 20
"""Levels of lists and mappings; the deepest setting has fewer than ten."""
_ROUNDS = 5
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)( \d\d:\d\d:\d\d(?:\.\d+)?) [-+]\d{4} (?:UTC|[-+]\d{4})")
"""What Pulumi makes of a date or time without quotes (docs/facts/pulumi.md#configuration)."""


@dataclass(frozen=True)
class Parsed:
    """What could be read of a stack's configuration."""

    readings: tuple[Settings, ...]
    """The settings. Where values can't be read, several: in each of them other allowed values stand in."""
    problems: tuple[Problem, ...]
    left_out: frozenset[str]
    """Keys for which something stands in. No rule should judge them."""

    @property
    def settings(self) -> Settings:
        """The settings, the first reading."""
        return self.readings[0]


def parse(raw: Mapping[str, Any]) -> Parsed:
    """Reads configuration values (JSON types, camelCase keys) into settings.

    Where a value has a wrong form, or is one that a preview can't decrypt, another one stands in for it, so that
    planning can check everything else in the same run.
    """
    values = {key: value for key, value in raw.items() if not _left_out(key, value)}
    problems = list(_not_read(values))
    places: dict[Location, list[Any]] = {}
    for location, value in _leaves(values):
        if value == ENCRYPTED and is_known(location):
            _add(places, location)
        elif isinstance(value, str) and (time := _TIME.fullmatch(value)):
            _add(places, location)
            text = time[1] if time[2] == " 00:00:00" else time[1] + time[2]
            problems.append(
                Problem(
                    key_of(location), value, f"'{text}' in quotes; without them YAML reads a point in time"
                )
            )
    unknown: set[Location] = set()
    for _ in range(_ROUNDS):
        mended = _without(stood_in(values, places, 0), unknown)
        try:
            _validate(mended)
            break
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                location = detail["loc"]
                problems.append(form_problem(detail))
                if detail["type"] == "extra_forbidden":
                    unknown.add(location)
                else:
                    _add(places, location)
    count = max(map(len, places.values()), default=1)
    readings = (_validate(_without(stood_in(values, places, number), unknown)) for number in range(count))
    return Parsed(tuple(readings), tuple(problems), frozenset(map(key_of, places)))


def with_default_named(problem: Problem, raw: Mapping[str, Any]) -> Problem:
    """The problem, which says so where its value is a default that nobody has written."""
    location = tuple(problem.key.split("."))
    field = field_at(location)
    if field is None or problem.value is None:
        return problem
    default = field.get_default()
    same = (list(cast(tuple[Any, ...], default)) if isinstance(default, tuple) else default) == problem.value
    top = Settings.model_fields[next(n for n, f in Settings.model_fields.items() if f.alias == location[0])]
    # Pulumi hands on the defaults of Pulumi.yaml as if the stack had written them.
    written = is_written(raw, location) and (top.is_required() or raw[location[0]] != plain_default(top))
    return Problem(problem.key, problem.value, problem.allowed, default=same and not written)


def _left_out(key: str, value: Any) -> bool:
    """Whether a value means null, which Pulumi.yaml cannot give as the default of a key it declares.

    The CLI refuses every stack that does not set a declared key without a default
    (docs/facts/pulumi.md#configuration).
    """
    field = field_at((key,))
    if field is None or field.is_required() or field.get_default() is not None:
        return False
    return value == left_out_default(field)


def _not_read(values: dict[str, Any]) -> Iterator[Problem]:
    """Takes out what is nested so deeply that nothing here could read it."""
    for key in [key for key, value in values.items() if _depth(value) > _DEEPEST]:
        del values[key]
        yield Problem(key, "…", f"at most {_DEEPEST} levels of lists and mappings")


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


def _leaves(value: Any, location: Location = ()) -> Iterator[tuple[Location, Any]]:
    if isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield from _leaves(item, (*location, key))
    elif isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from _leaves(item, (*location, number))
    else:
        yield location, value


def _add(places: dict[Location, list[Any]], location: Location) -> None:
    place = place_of(location)
    places[place] = stand_ins(place)


def _without(values: dict[str, Any], unknown: set[Location]) -> dict[str, Any]:
    for location in unknown:
        parent: Any = values
        for step in location[:-1]:
            if isinstance(parent, list) and isinstance(step, int):
                items = cast(list[Any], parent)
                parent = items[step] if step < len(items) else None
            else:
                parent = cast(dict[Any, Any], parent).get(step) if isinstance(parent, dict) else None
        if isinstance(parent, dict):
            cast(dict[Any, Any], parent).pop(location[-1], None)
    return values


def _validate(raw: Mapping[str, Any]) -> Settings:
    # Text that UTF-8 cannot hold, like half of a surrogate pair, is read as question marks.
    return Settings.model_validate_json(json.dumps(raw, ensure_ascii=False).encode(errors="replace"))
