"""Settings without those that could not be read: a rule stops where it reads one, so that none checks a default."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar, cast

from program.settings._model import SettingsModel, UnreadError
from program.settings.paths import Location
from program.settings.root import Settings

_Finding = TypeVar("_Finding")
_Model = TypeVar("_Model", bound=SettingsModel)


def readable(settings: Settings, unread: Iterable[Location]) -> Settings:
    """The settings; reading one of those that could not be read raises `UnreadError`."""
    for location in unread:
        settings = _without(settings, location) or settings
    return settings


def judged(*rules: Callable[[], Iterator[_Finding]]) -> Iterator[_Finding]:
    """What the rules find, each up to where it needs a setting that could not be read."""
    for rule in rules:
        with suppress(UnreadError):
            yield from rule()


def _without(model: _Model, location: Location) -> _Model | None:
    """A copy in which one setting cannot be read; None if the model has no field for it."""
    step, *rest = location
    name = next((name for name, field in type(model).model_fields.items() if field.alias == step), None)
    if name is None:
        return None
    values = dict(model.__dict__)
    inner = values.pop(name, None)
    if rest and isinstance(inner, SettingsModel):
        if less := _without(inner, tuple(rest)):
            values[name] = less
    elif len(rest) > 1 and isinstance(inner, dict):  # an entry of a map, whose name the user chose
        entries = cast(dict[Any, Any], inner)
        entry = entries.get(rest[0])
        if isinstance(entry, SettingsModel) and (less := _without(entry, tuple(rest[1:]))):
            values[name] = entries | {rest[0]: less}
    copy = model.model_copy()
    object.__setattr__(copy, "__dict__", values)  # the model is frozen
    return copy
