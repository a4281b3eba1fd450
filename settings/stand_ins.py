"""Allowed values that stand in for what can't be read, so that rules can still judge everything else.

A rule may look at several settings at once. So each place gets more than one stand-in where its type has more, and what
a rule says counts only where it says so whichever of them stands there (`settings.parse.Parsed.readings`).
"""

import copy
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from settings._model import SettingsModel
from settings.paths import Location, entry_type, field_at

ABSENT = object()
"""The key is left out."""
_TEXT = "unread"


def place_of(location: Location) -> Location:
    """The setting that has to be stood in for where there is a mistake: its list as a whole, and what needs it."""
    place = location[: next((i for i, step in enumerate(location) if isinstance(step, int)), len(location))]
    while place and not stand_ins(place):
        place = place[:-1]
    return place


def stand_ins(place: Location) -> list[Any]:
    """What can stand in a place, JSON types or `ABSENT`; empty where only something around it can be replaced."""
    field = field_at(place)
    if field is None:  # an entry of a map
        return [ABSENT, *_of_type(entry_type(place), None)]
    return [*([] if field.is_required() else [ABSENT]), *_of_type(field.annotation, field)]


def stood_in(raw: Mapping[str, Any], places: Mapping[Location, list[Any]], number: int) -> dict[str, Any]:
    """The values with a stand-in in each place, the `number`-th of those it has, counted round."""
    mended = copy.deepcopy(dict(raw))
    for place in sorted(places, key=len):
        choice = places[place][number % len(places[place])]
        around: Any = mended
        for step in place[:-1]:  # nothing is there where a place around it has a stand-in
            around = cast(dict[Any, Any], around).get(step) if isinstance(around, dict) else None
        if isinstance(around, dict):
            values = cast(dict[Any, Any], around)
            values.pop(place[-1], None)
            if choice is not ABSENT:
                values[place[-1]] = copy.deepcopy(choice)
    return mended


def _of_type(annotation: Any, field: FieldInfo | None) -> list[Any]:
    if annotation is bool:
        return [True, False]
    if annotation in (int, float):
        return _limits(field)
    if annotation is str:
        return [] if field and _limit(field, "pattern") else [_TEXT]
    if isinstance(annotation, type) and issubclass(annotation, SettingsModel):
        return _smallest(annotation)
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:  # its own limits are those that count
        field = next((limit for limit in inner[1:] if isinstance(limit, FieldInfo)), field)
        inner = inner[:1]
    if origin is Literal:
        return list(inner)
    if origin is tuple:
        return [[], *([choices] if len(choices := _of_type(inner[0], None)) > 1 else [])]
    if origin is dict:
        return [{}]
    return [choice for arm in inner for choice in _of_type(arm, field)]


def _limits(field: FieldInfo | None) -> list[Any]:
    low, most, end = (_limit(field, name) for name in ("ge", "le", "lt"))
    if end is not None:
        most = end / 2
    return list(dict.fromkeys([1 if low is None else low, 1000 if most is None else most]))


def _limit(field: FieldInfo | None, name: str) -> Any:
    found = (getattr(limit, name, None) for limit in (field.metadata if field else ()))
    return next((limit for limit in found if limit is not None), None)


def _smallest(model: type[SettingsModel]) -> list[Any]:
    """The model with its required fields only."""
    values: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        if field.is_required():
            choices = _of_type(field.annotation, field)
            if not choices:
                return []
            values[field.alias or name] = choices[0]
    return [values]
