"""Arguments that were checked: plain values at once, Outputs when they are known."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Final, TypeVar, cast, get_origin, is_typeddict

import pulumi
from pulumi.provider.experimental.util import camel_case

from .declaration import arguments_of, entry_kind, keys_of, plain_kind
from .errors import refuse
from .form import entries, form_mistakes, is_awaited, path
from .limits import Form, text_mistakes
from .mistakes import HIDDEN, Mistake

Args = TypeVar("Args")
ONLY_FORM: Final = ContextVar("ONLY_FORM", default=False)
"""Whether no rule judges the arguments of this run's components, because defaults stand for encrypted values in some.

The program that sets it has judged its settings itself, as far as a preview can read them.
"""


@dataclass(frozen=True)
class Rule:
    """One rule, with the values that it judges, plain or not."""

    find: Callable[..., Iterable[Mistake]]
    values: tuple[Any, ...]
    key: str = ""
    """Path of the argument to which the keys of its mistakes belong."""

    @property
    def now(self) -> bool:
        """Whether all values are known at once."""
        return not any(_awaited_in(self.values))

    def mistakes(self, values: Iterable[Any]) -> Iterator[Mistake]:
        """The mistakes in the values, now known; none where a preview cannot decrypt one of them."""
        if repr(HIDDEN)[1:-1] in repr(values):
            return iter(())
        mistakes = self.find(*values)
        return (mistake.within(self.key) for mistake in mistakes) if self.key else iter(mistakes)


def rule(find: Callable[..., Iterable[Mistake]], *values: Any, **options: Any) -> Rule:
    """A rule for values, each of which may be an Output or have some in it.

    Args:
        find: takes the values, and yields their mistakes.
        values: known only later, some of them.
        options: what it is given by name, always known.
    """
    return Rule(partial(find, **options), values)


def rule_of_text(find: Callable[..., Iterable[Mistake]], key: str, value: Any, *more: Any) -> Iterator[Rule]:
    """The rule of an id that is given as text, if any; an Output's is Azure's own, or that of mocks."""
    if isinstance(value, str):
        yield rule(find, key, value, *more)


def named(**names: tuple[Form, Any]) -> Iterator[Rule]:
    """The rules of names in Azure, for those that are given.

    Args:
        names: the form and the value of each, by the argument's name.
    """
    for name, (form, value) in names.items():
        if value is not None:
            yield Rule(partial(text_mistakes, camel_case(name), form), (value,))


def under(key: str, rules: Iterable[Rule]) -> Iterator[Rule]:
    """The rules of an argument that is part of another one, whose path is this."""
    return (replace(judge, key=f"{key}.{judge.key}" if judge.key else key) for judge in rules)


def checked(component: str, kind: type[Args], args: Args, rules: Callable[[Args], Iterable[Rule]]) -> Args:
    """The arguments with their declared defaults, for which nothing needs to be checked any more.

    Plain values are checked at once. An Output is replaced by one that fails, with the same words, where its value
    turns out to be a mistake, so that nothing is made of it; a preview, in which it is unknown, passes over it. None
    counts as left out.

    Args:
        component: its name, for the message.
        kind: the TypedDict of its arguments, whose annotations say their form.
        args: what was given.
        rules: the rules that arguments of the right form have to keep.

    Raises:
        ArgumentsError: every mistake of form, or else every broken rule.
    """
    refuse(component, _readable(form_mistakes(kind, args)))
    formed = cast(Args, _formed(component, kind, args, ""))
    if ONLY_FORM.get():
        return formed
    every = (*declared_rules(kind, formed), *rules(formed))
    broken = chain.from_iterable(judge.mistakes(judge.values) for judge in every if judge.now)
    refuse(component, broken)
    later = [judge for judge in every if not judge.now]
    return cast(Args, _mapped(formed, lambda output: _ruled(component, output, later)))


def whole(group: Mapping[str, object]) -> Mapping[str, Any]:
    """A group of arguments by name, for where a default is needed: `checked` has filled it in."""
    return group


def _formed(component: str, kind: Any, value: Any, key: str) -> Any:
    """The value with declared defaults for what is left out; its Outputs fail where they are of another form."""
    kind, _ = plain_kind(kind)
    if is_awaited(value):
        return _of_form(component, kind, pulumi.Output.from_input(value), key)
    if is_typeddict(kind):
        kinds = keys_of(kind)
        stated = {name: item for name, item in value.items() if item is not None}
        return {
            name: _formed(component, kinds[name], item, path(key, camel_case(name)))
            for name, item in (_left_out(kind) | stated).items()
        }
    entry = entry_kind(kind)
    if entry is None:
        return value
    if isinstance(value, Mapping):
        texts = cast(Mapping[str, Any], value)
        return {name: _formed(component, entry, item, path(key, name)) for name, item in texts.items()}
    return [_formed(component, entry, item, path(key, number)) for number, item in enumerate(value)]


def _left_out(kind: Any) -> dict[str, Any]:
    """What a TypedDict holds where nothing is stated: declared defaults, and those of groups that may be left out."""
    defaults = {name: argument.default for name, argument in arguments_of(kind).items()}
    groups = {
        name: plain_kind(inner) for name, inner in keys_of(kind).items() if name not in kind.__required_keys__
    }
    return {name: default for name, default in defaults.items() if default not in (None, ...)} | {
        name: {} for name, (inner, optional) in groups.items() if is_typeddict(inner) and not optional
    }


def declared_rules(kind: Any, value: Any, key: str = "") -> Iterator[Rule]:
    """The declared bounds of all arguments of a TypedDict, and of those inside it.

    Args:
        kind: the TypedDict.
        value: the arguments, of the right form.
        key: path of that group.
    """
    if is_awaited(value):
        return
    if is_typeddict(kind):
        for name, item in value.items():
            at = path(key, camel_case(name))
            if name in (declared := arguments_of(kind)):
                yield Rule(partial(declared[name].mistakes, at), (item,))
            yield from declared_rules(plain_kind(keys_of(kind)[name])[0], item, at)
    elif is_typeddict(entry := plain_kind(entry_kind(kind))[0]):
        for step, item in entries(value):
            yield from declared_rules(entry, item, path(key, step))


def _of_form(component: str, kind: Any, output: pulumi.Output[Any], key: str) -> pulumi.Output[Any]:
    if get_origin(kind) is None and not is_typeddict(kind) and kind not in (bool, int, float):
        return output  # a text, which any value can become, or a resource

    def look(settled: list[Any]) -> Any:
        value, secret = settled
        if value is not None:
            refuse(component, _shown(_readable(form_mistakes(kind, value, key=key)), secret=secret))
        return value

    return pulumi.Output.all(output, output.is_secret()).apply(look)


def _ruled(component: str, output: pulumi.Output[Any], later: list[Rule]) -> pulumi.Output[Any]:
    """The Output, which fails where it or a value that goes with it breaks a rule."""
    mine = [judge for judge in later if any(awaited is output for awaited in _awaited_in(judge.values))]
    if not mine:
        return output

    def look(settled: list[Any]) -> Any:
        value, secret, *values = settled
        broken = chain.from_iterable(
            judge.mistakes(plain)
            for judge, plain in zip(mine, values, strict=True)
            if _is_whole(judge, plain)
        )
        refuse(component, _shown(broken, secret=secret))
        return value

    judged = [list(judge.values) for judge in mine]
    secret = pulumi.Output.all(
        *(awaited.is_secret() for judge in mine for awaited in _awaited_in(judge.values))
    )
    return pulumi.Output.all(output, secret.apply(any), *judged).apply(look)


def _is_whole(judged: Rule, plain: Iterable[Any]) -> bool:
    """Whether no Output turned out to be None; mocks answer so for what they know nothing of."""
    pairs = zip(judged.values, plain, strict=True)
    return all(value is not None or not is_awaited(stated) for stated, value in pairs)


def _readable(mistakes: Iterable[Mistake]) -> Iterator[Mistake]:
    """The mistakes of form but for those of values that a preview cannot decrypt."""
    return (mistake for mistake in mistakes if repr(HIDDEN) not in repr(mistake.value))


def _shown(mistakes: Iterable[Mistake], *, secret: bool) -> Iterator[Mistake]:
    return (replace(mistake, value=HIDDEN) if secret else mistake for mistake in mistakes)


def _awaited_in(value: Any) -> Iterator[pulumi.Output[Any]]:
    if is_awaited(value):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        inner = (
            cast(Mapping[Any, Any], value).values() if isinstance(value, Mapping) else cast(list[Any], value)
        )
        for item in inner:
            yield from _awaited_in(item)


def _mapped(value: Any, change: Callable[[pulumi.Output[Any]], pulumi.Output[Any]]) -> Any:
    """The value with each of its Outputs changed."""
    if is_awaited(value):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _mapped(item, change) for name, item in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in cast(list[Any], value)]
    return value
