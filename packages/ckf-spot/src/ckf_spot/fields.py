"""Checks a map's keys: a misspelt one is a mistake, though the API server would drop it without a word."""

import difflib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, TypeGuard

from ckf_spot.errors import ABSENT, Mistake, missing, not_one_of

Json = dict[str, Any]
"""A Kubernetes object, or a part of one, as plain maps, lists, texts and numbers."""
Object = Mapping[str, Any]
"""One that is only read."""

UNKNOWN: Final = "unknown field"
FOREIGN: Final = "is another API's, whose fields are not known here"
"""Problem of an `apiVersion` of a group that has a kind of the same name: nothing else of the object is looked at."""
_UNDECIDED: Final = "left as it is; if the release in the cluster does not have it either, it is dropped"
_ALIKE: Final = 0.8
"""Ratio of `difflib` from which on a name is another one misspelt: `replica` and `replicas`, not `tlsOptions` and
`authOptions`."""
OBJECT: Final = ("apiVersion", "kind", "metadata", "spec", "status")
"""Fields of every Kubernetes object that is meant here."""


def is_map(value: object) -> TypeGuard[Object]:
    """Whether it is a map whose keys are texts."""
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def is_maps(value: object) -> TypeGuard[list[Object]]:
    """Whether it is a list of such maps."""
    return isinstance(value, list) and all(map(is_map, value))


def is_texts(value: object) -> TypeGuard[Mapping[str, str]]:
    """Whether it is a map of texts by text."""
    return is_map(value) and all(isinstance(text, str) for text in value.values())


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def copied(value: Any) -> Any:
    """A deep copy of plain maps and lists in which nothing is shared.

    `copy.deepcopy` keeps what is shared shared: with YAML's `&anchor` and `*alias`, changing the workers would change
    the master too.
    """
    if isinstance(value, Mapping):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [copied(item) for item in value]
    return value


def at(value: Any, *path: str | int) -> Any:
    """What is found along a path of keys, and of numbers in lists, or None."""
    for key in path:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    return value


def map_at(value: Any, *path: str | int) -> Object:
    """The map along a path, empty where there is none."""
    part = at(value, *path)
    return part if is_map(part) else {}


def maps_at(value: Any, *path: str | int) -> list[Object]:
    """The list of maps along a path, empty where there is none."""
    part = at(value, *path)
    return part if is_maps(part) else []


def problems(
    value: object,
    where: str,
    allowed: Collection[str],
    required: Collection[str] = (),
    hints: Mapping[str, str] | None = None,
    *,
    closed: bool = False,
) -> Iterator[Mistake]:
    """The mistakes in a map's keys.

    Every release of an operator brings new fields. So a key that is unknown here is certainly a mistake only where it
    is almost the name of a known one, or is known to belong elsewhere.

    Args:
        value: what should be the map.
        where: its path, for messages; empty for the whole object.
        allowed: names of its fields.
        required: fields that may not be left out.
        hints: what to say of an unknown field that people often put here.
        closed: whether no release has further fields.
    """
    if not is_map(value):
        yield Mistake(where, value, f"expected a map with {', '.join(required or allowed)}", "is no map")
        return
    inside = f"{where}." if where else ""
    for key in value:
        if key not in allowed:
            hint = (hints or {}).get(key) or similar(key, allowed)
            if closed:
                hint = hint or f"expected {', '.join(sorted(allowed))}"
            yield unknown(f"{inside}{key}", hint)
    for key in required:
        if value.get(key) is None and key not in misspelt(value, allowed):
            yield missing(f"{inside}{key}")


def unknown(path: str, hint: str) -> Mistake:
    """The mistake of a field that does not exist; without a hint a newer release may have it."""
    return Mistake(path, ABSENT, hint or _UNDECIDED, UNKNOWN, certain=bool(hint))


def object_problems(document: Object, *versions: str) -> Iterator[Mistake]:
    """The mistakes in the fields that every object has.

    Args:
        document: the object, of the right kind.
        versions: the API versions allowed.
    """
    yield from problems(document, "", OBJECT, ("spec",), closed=True)
    yield from version_problems(document, *versions)


def version_problems(document: Object, *versions: str) -> Iterator[Mistake]:
    """The mistake of another API version."""
    version = document.get("apiVersion")
    if isinstance(version, str) and group_of(version) not in map(group_of, versions):
        yield Mistake("apiVersion", version, f"expected {', '.join(versions)}", FOREIGN)
    elif version not in versions:
        yield not_one_of("apiVersion", version, versions)


def group_of(version: str) -> str:
    """The group of an `apiVersion`, empty for Kubernetes' oldest kinds."""
    return version.rpartition("/")[0]


def similar(key: str, allowed: Collection[str]) -> str:
    """The field that may be meant, as a question; empty where none has nearly that name."""
    name = _meant(key, allowed)
    return f"did you mean {name!r}?" if name else ""


def misspelt(value: Object, allowed: Collection[str]) -> set[str]:
    """The fields that a map has under nearly their names: they are misspelt and not missing."""
    return {_meant(str(key), allowed) for key in value if key not in allowed}


def _meant(key: str, allowed: Collection[str]) -> str:
    names = {name.casefold(): name for name in allowed}
    return next((names[name] for name in difflib.get_close_matches(key.casefold(), names, 1, _ALIKE)), "")
