"""One declaration for each argument: its default, bounds, text and source, beside its kind.

An argument is declared as `name: Annotated[Input[int], Argument(…)]`, with its text as a docstring. From
that come its default and its bounds in the component (`checked`), its description in the package's schema (`wire`), and
a setting of its name in this repository's program. It loads no SDK, so that planning reads declarations without one.
"""

import ast
import inspect
import sys
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    NotRequired,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from .limits import Bounds, Form, number_mistakes, text_mistakes
from .mistakes import Mistake

if TYPE_CHECKING:
    from pulumi import Input
else:
    T = TypeVar("T")
    # Pulumi's own union, without loading Pulumi; its analyzer knows it by this text.
    Input = Union[T, Awaitable[T], "Output[T]"]  # noqa: F821

Texts: TypeAlias = Input[Sequence[Input[str]]]
"""Texts: each of them, or the list, may be an Output."""
TextsByName: TypeAlias = Input[Mapping[str, Input[str]]]
"""Texts by name: each of them, or the map, may be an Output."""
_NAMES: Final = {"Output": Awaitable, "T": Any}
"""What the text in `Input` refers to: something that is known only later."""


@dataclass(frozen=True)
class Argument:
    """What is declared of one argument beside its kind."""

    default: Any
    """Its value where it is left out; None means as the text says, `...` that it is required."""
    source: str
    """Document that the default and the bounds come from, as `docs/facts/sources.md` names it."""
    unit: str = ""
    """Unit of a number, or the kind of a text."""
    form: str = ""
    """What the pattern allows, in words that follow "expected"."""
    pattern: str = ""
    ge: float | None = None
    le: float | None = None
    max_length: int | None = None
    """Most entries of a list; the component's own rule has the words for more."""

    def mistakes(self, key: str, value: Any) -> Iterator[Mistake]:
        """A value outside the bounds."""
        if self.pattern:
            yield from text_mistakes(key, Form(pattern=self.pattern, form=self.form), value)
        if self.ge is not None and self.le is not None:
            yield from number_mistakes(key, Bounds(ge=self.ge, le=self.le), value)

    def in_words(self, text: str) -> str:
        """Its docstring with bounds and default, for the package's schema."""
        bounds = self.form if self.pattern else self.unit
        if self.le is not None:
            bounds = f"{self.ge} to {self.le} {self.unit}"
        text, _, default = text.replace("Left out:", "Default:").partition(" Default:")
        if self.default is not ...:
            default = default or f" {_in_words(self.default)}."
        allowed = f" {bounds[0].upper()}{bounds[1:]}." if bounds else ""
        return text + allowed + (f" Default:{default}" if default else "")


def _in_words(default: Any) -> str:
    if isinstance(default, tuple | dict):
        return ", ".join(map(str, cast(Any, default))) or "empty"
    if isinstance(default, bool):
        return str(default).lower()
    return "none" if default is None else str(default)


@cache
def keys_of(kind: Any) -> Mapping[str, Any]:
    """The kind of each key of a TypedDict, by the key's name in Python."""
    return get_type_hints(kind, localns=_NAMES)


@cache
def arguments_of(kind: Any) -> Mapping[str, Argument]:
    """The declared arguments of a TypedDict, by name."""
    hints = get_type_hints(kind, localns=_NAMES, include_extras=True)
    metadata = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {
        name: argument
        for name, extras in metadata.items()
        for argument in extras
        if isinstance(argument, Argument)
    }


@cache
def _docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    """The docstring of each field of a module's classes, in one line; only its source has them."""
    classes = ast.parse(inspect.getsource(sys.modules[module])).body
    return {
        group.name: {
            ast.unparse(field.target): " ".join(ast.literal_eval(text.value).split())
            for field, text in pairwise(group.body)
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
        }
        for group in classes
        if isinstance(group, ast.ClassDef)
    }


def text_of(kind: type, name: str) -> str:
    """The docstring of an argument, in one line; empty without one."""
    return _docstrings(kind.__module__).get(kind.__name__, {}).get(name, "")


def default_of(kind: Any, name: str) -> Any:
    """The default of an argument."""
    return arguments_of(kind)[name].default


def plain_kind(kind: Any) -> tuple[Any, bool]:
    """What an annotation states of a value that is known, and whether there may be none."""
    if get_origin(kind) in (NotRequired, Annotated):
        return plain_kind(get_args(kind)[0])
    arms = [arm for arm in _arms(kind) if get_origin(arm) is not Awaitable]
    some = [arm for arm in arms if arm is not type(None)]
    return (some[0] if some else Any), len(some) < len(arms)


def entry_kind(kind: Any) -> Any:
    """The annotation of each entry of a list or map; None for everything else."""
    origin = get_origin(kind)
    if isinstance(origin, type) and issubclass(origin, Mapping | Sequence):
        return get_args(kind)[-1]
    return None


def is_map(kind: Any) -> bool:
    """Whether a kind is a map of entries by name."""
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _arms(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
