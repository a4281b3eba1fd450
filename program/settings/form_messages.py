"""The message for a value of the wrong form."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, cast, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from components.arguments.mistakes import Mistake, alike, closest, letters
from program.settings._model import ENCRYPTED, SettingsModel
from program.settings.paths import Location, field_at, inner_model, key_of, model_at
from program.settings.root import Settings

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
_OF_OTHERS: Final = {
    "aadprofile": "apiAccess.adminGroupObjectIds",
    "agentpoolprofiles": "pools",
    "apiserveraccessprofile": "apiAccess",
    "availabilityzones": "zones",
    "clustername": "names.cluster",
    "count": "minCount",
    "dayofweek": "day",
    "defaultnodepool": "systemPool",
    "disablelocalaccounts": "apiAccess.localAccounts",
    "disableruncommand": "apiAccess.runCommand",
    "enableprivatecluster": "apiAccess.privateCluster",
    "hostencryptionenabled": "encryptionAtHost",
    "linuxprofile": "ssh",
    "nodecount": "minCount",
    "osdisksizegb": "osDisk.sizeGib",
    "orchestratorversion": "kubernetes.version",
    "privateclusterenabled": "apiAccess.privateCluster",
    "region": "location",
    "resourcegroupname": "resourceGroup",
    "skutier": "kubernetes.tier",
    "vnetsubnetid": "network.subnetIds",
}
"""Settings for what ARM, `az` and Terraform spell otherwise, by `letters` (managedClusters.json; azurerm 4, AKS)."""


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


def unknown_keys(values: Mapping[Location, object]) -> dict[Location, Mistake]:
    """The problem of each mapping that has unknown keys, at the place of the first; the values are by their places."""
    mappings: dict[Location, list[Location]] = {}
    for location in values:
        alone = len(location) == 1 and {":", "."} & {*str(location[0])}
        mappings.setdefault(location if alone else location[:-1], []).append(location)
    return {
        first: _several(first, *more)
        if more
        else Mistake(key_of(first), values[first], _known_keys(first, values[first]))
        for first, *more in mappings.values()
    }


def _several(*locations: Location) -> Mistake:
    names = [str(location[-1]) for location in locations]
    close = {
        name: key for name, location in zip(names, locations, strict=True) if (key := _suggestion(location))
    }
    hint = f"; did you mean {', '.join(f'{key} for {name}' for name, key in close.items())}?" if close else ""
    if nothing := [name for name in names if name not in close]:
        hint += f"{'' if close else ';'} no setting is like {', '.join(nothing)}"
    return Mistake(
        key_of(locations[0][:-1]) or "config",
        names,
        f"one of the keys {', '.join(_keys(locations[0]))}{hint}",
    )


def meant(location: Location) -> Location | None:
    """The place of the setting that an unknown key is probably meant to be: in its mapping, or elsewhere."""
    key, group, keys = str(location[-1]), location[:-1], _keys(location)
    if other := alike(key, keys):
        return (*group, other)
    searched = ((group, model_at(group)), ((), Settings))
    foreign = _OF_OTHERS.get(letters(key))
    paths = [
        (*start, *foreign.split(".")) for start, model in searched if foreign and foreign in _paths(model)
    ]
    paths += [(*start, *path.split(".")) for start, model in searched if (path := _path(key, model))]
    paths += [(*group, other)] if (other := closest(key, keys)) else []
    return paths[0] if paths else None


def _suggestion(location: Location) -> str | None:
    """The setting that an unknown key is probably meant to be, in words."""
    place, group = meant(location), location[:-1]
    if place is None:
        return None
    if place == location[-1:]:
        return f"{place[0]} at the top"
    return key_of(place[len(group) :] if place[: len(group)] == group else place)


def _path(key: str, model: type[SettingsModel]) -> str | None:
    """The only setting in the groups of a model that has this name, or its group's and its own in one."""
    paths = [
        path
        for path in _paths(model)
        if letters(key) in (letters(path.replace(".", "")), letters(path.rpartition(".")[2]))
    ]
    return paths[0] if len(paths) == 1 else None


@cache
def _paths(model: type[SettingsModel]) -> tuple[str, ...]:
    """Every setting of a model and of its groups, but for those of maps."""
    paths: list[str] = []
    for name, field in model.model_fields.items():
        key = field.alias or name
        inner = None if get_origin(field.annotation) is dict else inner_model(field.annotation)
        paths += [key, *(f"{key}.{path}" for path in (_paths(inner) if inner else ()))]
    return tuple(paths)


def _keys(location: Location) -> list[str]:
    return [field.alias or name for name, field in model_at(location[:-1]).model_fields.items()]


def _known_keys(location: Location, value: object) -> str:
    key = str(location[-1])
    if len(location) == 1 and ":" in key:
        return "the name of this project before the colon"
    keys, close = _keys(location), _suggestion(location)
    hint = f"; did you mean {close}?" if close else ""
    if isinstance(value, dict) and value and {*keys}.issuperset(cast(dict[str, Any], value)):
        hint = "; write those in it one level higher"
    if len(location) == 1 and "." in key and key.partition(".")[0] in keys:
        hint = f"; write {key.partition('.')[0]} as a mapping, for a stack file knows no paths"
    return f"one of the keys {', '.join(keys)}{hint}"
