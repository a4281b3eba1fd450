"""The messages for keys that no setting has, and the settings that they are probably meant to be."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, cast, get_origin

from components.arguments.mistakes import Mistake, alike, closest, letters
from program.settings._model import SettingsModel
from program.settings.paths import Location, inner_model, key_of, model_at
from program.settings.root import Settings

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


def unknown_keys(values: Mapping[Location, object]) -> dict[Location, Mistake]:
    """The problem of each mapping that has unknown keys, at the place of the first; the values are by their places."""
    mappings: dict[Location, list[Location]] = {}
    for place in values:
        alone = len(place) == 1 and {":", "."} & {*str(place[0])}
        mappings.setdefault(place if alone else place[:-1], []).append(place)
    return {
        first: _several(first, *more) if more else _single(first, values[first])
        for first, *more in mappings.values()
    }


def _several(*places: Location) -> Mistake:
    close = {str(place[-1]): _in_words(place) for place in places}
    hints = [f"{words} for {name}" for name, words in close.items() if words]
    hint = f"; did you mean {', '.join(hints)}?" if hints else ""
    if nothing := [name for name, words in close.items() if not words]:
        hint += f"{'' if hint else ';'} no setting is like {', '.join(nothing)}"
    keys = ", ".join(_keys(places[0][:-1]))
    return Mistake(key_of(places[0][:-1]) or "config", list(close), f"one of the keys {keys}{hint}")


def _single(place: Location, value: object) -> Mistake:
    key, keys, close = str(place[-1]), _keys(place[:-1]), _in_words(place)
    hint = f"; did you mean {close}?" if close else ""
    if _has_only(value, keys):
        hint = "; write those in it one level higher"
    if len(place) == 1 and "." in key and key.partition(".")[0] in keys:
        hint = f"; write {key.partition('.')[0]} as a mapping, for a stack file knows no paths"
    expected = f"one of the keys {', '.join(keys)}{hint}"
    if len(place) == 1 and ":" in key:
        expected = "the name of this project before the colon"
    return Mistake(key_of(place), value, expected)


def _has_only(value: object, keys: list[str]) -> bool:
    inner = set(cast(dict[str, Any], value)) if isinstance(value, dict) else set[str]()
    return bool(inner) and inner <= {*keys}


def meant(place: Location) -> Location | None:
    """The place of the setting that an unknown key is probably meant to be: in its mapping, or elsewhere."""
    key, group = str(place[-1]), place[:-1]
    keys, foreign = _keys(group), tuple(_OF_OTHERS.get(letters(key), "").split("."))
    searched = [(group, _places(model_at(group))), ((), _places(Settings))]
    if other := alike(key, keys):
        return (*group, other)
    for start, places in searched:
        if foreign in places:
            return (*start, *foreign)
    for start, places in searched:
        named = [inner for inner in places if letters(key) in (letters(inner[-1]), letters("".join(inner)))]
        if len(named) == 1:
            return (*start, *named[0])
    other = closest(key, keys)
    return (*group, other) if other else None


def _in_words(unknown: Location) -> str | None:
    """The setting that an unknown key is probably meant to be, as its mapping or the whole file has it."""
    place, group = meant(unknown), unknown[:-1]
    if place is None:
        return None
    if place == unknown[-1:]:
        return f"{place[0]} at the top"
    return key_of(place[len(group) :] if place[: len(group)] == group else place)


@cache
def _places(model: type[SettingsModel]) -> tuple[tuple[str, ...], ...]:
    """Every setting of a model and of its groups, but for those of maps."""
    places: list[tuple[str, ...]] = []
    for name, field in model.model_fields.items():
        key = field.alias or name
        inner = None if get_origin(field.annotation) is dict else inner_model(field.annotation)
        places += [(key,), *((key, *place) for place in (_places(inner) if inner else ()))]
    return tuple(places)


def _keys(group: Location) -> list[str]:
    return [field.alias or name for name, field in model_at(group).model_fields.items()]
