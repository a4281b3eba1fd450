"""The form of arguments: keys, kinds of values and allowed values, read from the annotations of a TypedDict.

Rules, which need more than an annotation states, are `checked`'s.
"""

import math
import re
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, cast, get_args, get_origin, is_typeddict

import pulumi
from pulumi.provider.experimental.util import camel_case

from .declaration import entry_kind, is_map, keys_of, plain_kind
from .mistakes import Mistake, closest, one_of

_PLAIN_STEP: Final = re.compile(r"[A-Za-z_][\w-]*")
_KINDS: Final[Mapping[type, tuple[tuple[type, ...], str]]] = {
    str: ((str,), "text"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
}


def form_mistakes(kind: Any, value: Any, *, key: str = "") -> Iterator[Mistake]:
    """Every mistake in the form of a value; what is an Output or another awaitable in it is passed over.

    Args:
        kind: the annotation, such as `AgentPoolsArgs` or `pulumi.Input[int]`.
        value: what was given.
        key: its path, as the schema names it; empty for all arguments of a component.
    """
    kind, optional = plain_kind(kind)
    if value is None and not optional:
        yield Mistake(key, None, _words(kind))
    elif value is None or is_awaited(value):
        return
    elif is_typeddict(kind):
        yield from _group_mistakes(kind, value, key)
    elif get_origin(kind) is Literal:
        yield from one_of(key, value, get_args(kind))
    elif (entry := entry_kind(kind)) is not None:
        if not isinstance(value, Mapping if is_map(kind) else list | tuple):
            yield Mistake(key, value, _words(kind))
            return
        for step, item in entries(cast(Any, value)):
            yield from form_mistakes(entry, item, key=path(key, step))
    elif not _fits(kind, value):
        yield Mistake(key, value, _words(kind))


def entries(value: Mapping[Any, Any] | Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    """The entries of a map by key, or of a list by number."""
    return value.items() if isinstance(value, Mapping) else enumerate(value)


def is_awaited(value: object) -> bool:
    """Whether a value is known only later."""
    return isinstance(value, pulumi.Output | Awaitable) and not isinstance(value, pulumi.Resource)


def path(key: str, step: str | int) -> str:
    """The path of an entry, as the engine writes paths of properties."""
    if isinstance(step, int):
        return f"{key}[{step}]"
    if not _PLAIN_STEP.fullmatch(step):
        return f'{key}["{step}"]'
    return f"{key}.{step}" if key else step


def _group_mistakes(kind: Any, value: Any, key: str) -> Iterator[Mistake]:
    if not isinstance(value, Mapping):
        yield Mistake(key, value, "a mapping")
        return
    group, kinds = cast(Mapping[Any, Any], value), keys_of(kind)
    for name in group:
        yield from key_mistakes(path(key, str(name)), str(name), group[name], kinds)
    for name, its_kind in kinds.items():
        its_value, its_path = group.get(name), path(key, camel_case(name))
        if isinstance(its_value, str) and not its_value:  # entries of maps may be empty, as labels are
            yield Mistake(its_path, its_value, "a value that is not empty, or the key left out")
        elif name in kind.__required_keys__ or its_value is not None:
            yield from form_mistakes(its_kind, its_value, key=its_path)


def key_mistakes(key: str, name: str, value: object, keys: Iterable[str]) -> Iterator[Mistake]:
    """A name is one of the allowed keys.

    Args:
        key: path of the argument.
        name: last part of that path, as it was given.
        value: of the argument.
        keys: those allowed, spelt as whoever gave the argument spells them.
    """
    keys = list(keys)
    if name in keys:
        return
    close = closest(name, keys)
    yield Mistake(
        key, value, f"one of the keys {', '.join(keys)}{f'; did you mean {close}?' if close else ''}"
    )


def _words(kind: Any) -> str:
    """What is expected where a value is of another kind, or missing."""
    if get_origin(kind) is Literal:
        return next(one_of("", None, get_args(kind))).expected
    if is_typeddict(kind) or is_map(kind):
        return "a mapping"
    if entry_kind(kind) is not None:
        return "a list"
    return _KINDS[kind][1] if kind in _KINDS else f"a {getattr(kind, '__name__', kind)}"


def _fits(kind: Any, value: object) -> bool:
    if kind not in _KINDS:
        return kind is Any or not isinstance(kind, type) or isinstance(value, kind)
    if isinstance(value, bool):
        return kind is bool
    if isinstance(value, float) and (not math.isfinite(value) or (kind is int and not value.is_integer())):
        return False
    return isinstance(value, _KINDS[kind][0]) or (kind is int and isinstance(value, float))
