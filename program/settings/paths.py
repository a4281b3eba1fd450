"""Places in a stack's configuration: from a path to the model and the field that it leads to, and to text."""

from collections.abc import Mapping
from typing import Any, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from program.settings._model import SettingsModel
from program.settings.root import Settings

Location = tuple[int | str, ...]
"""Keys and list numbers from the top down, as pydantic gives them."""


def key_of(location: Location) -> str:
    """The path as messages have it, e.g. `pools.cpuspot.zones[0]`."""
    text = ""
    for step in location:
        if step == "[key]":  # pydantic's word for "the key itself"
            continue
        name = f"[{step}]" if isinstance(step, int) else step or "''"
        text += f".{name}" if text and isinstance(step, str) else name
    return text


def model_at(location: Location) -> type[SettingsModel]:
    """The model that a location stands in; steps into maps and lists stay with the model of their values."""
    model: type[SettingsModel] = Settings
    steps = iter(location)
    for step in steps:
        field = _by_alias(model, step)
        if field is None:
            continue
        if get_origin(field.annotation) is dict:
            next(steps, None)  # a name that the user chose, even where it reads like a field
        model = inner_model(field.annotation) or model
    return model


def field_at(location: Location) -> FieldInfo | None:
    """The field of a location; None for the entry of a map, a list's item and an unknown key."""
    if not location or entry_type(location) is not None:
        return None
    return _by_alias(model_at(location[:-1]), location[-1])


def entry_type(location: Location) -> Any:
    """The type of a map's entries where a location leads to one of them, else None."""
    if len(location) < 2:  # noqa: PLR2004 - a map and its entry
        return None
    around = _by_alias(model_at(location[:-2]), location[-2]) if not entry_type(location[:-1]) else None
    if around is None:
        return None
    annotation = around.annotation
    return get_args(annotation)[1] if get_origin(annotation) is dict else None


def is_written(raw: Mapping[str, Any], location: Location) -> bool:
    """Whether a stack's configuration has something there."""
    value: Any = raw
    for step in location:
        if not isinstance(value, dict) or step not in value:
            return False
        value = cast(dict[str, Any], value)[str(step)]
    return True


def inner_model(annotation: Any) -> type[SettingsModel] | None:
    """The model inside a field's type, however deep in maps and lists."""
    if isinstance(annotation, type) and issubclass(annotation, SettingsModel):
        return annotation
    return next((model for arm in get_args(annotation) if (model := inner_model(arm))), None)


def _by_alias(model: type[SettingsModel], step: int | str) -> FieldInfo | None:
    return next((field for field in model.model_fields.values() if field.alias == step), None)
