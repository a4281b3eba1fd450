"""Arguments that were checked: plain values at once, Outputs when they are known."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar, cast, get_origin, is_typeddict

import pulumi
from pulumi.provider.experimental.util import camel_case

from .errors import refuse
from .form import entry_kind, form_mistakes, is_awaited, keys_of, path, plain_kind
from .limits import Form, text_mistakes
from .mistakes import HIDDEN, Mistake

Args = TypeVar("Args")


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
        """The mistakes in the values, now known."""
        found = self.find(*values)
        return (mistake.within(self.key) for mistake in found) if self.key else iter(found)


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
    return (replace(each, key=f"{key}.{each.key}" if each.key else key) for each in rules)


def checked(component: str, kind: type[Args], args: Args, rules: Callable[[Args], Iterable[Rule]]) -> Args:
    """The arguments, for which nothing needs to be checked any more.

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
    given = cast(Args, _formed(component, kind, args, ""))
    every = tuple(rules(given))
    broken = chain.from_iterable(each.mistakes(each.values) for each in every if each.now)
    refuse(component, _readable(broken))
    later = [each for each in every if not each.now]
    return cast(Args, _mapped(given, lambda output: _ruled(component, output, later)))


def _formed(component: str, kind: Any, value: Any, key: str) -> Any:
    """The value without entries that are None; its Outputs fail where they are of another form."""
    kind, _ = plain_kind(kind)
    if is_awaited(value):
        return _of_form(component, kind, pulumi.Output.from_input(value), key)
    if is_typeddict(kind):
        kinds = keys_of(kind)
        return {
            name: _formed(component, kinds[name], item, path(key, camel_case(name)))
            for name, item in value.items()
            if item is not None
        }
    entry = entry_kind(kind)
    if entry is None:
        return value
    if isinstance(value, Mapping):
        texts = cast(Mapping[str, Any], value)
        return {name: _formed(component, entry, item, path(key, name)) for name, item in texts.items()}
    return [_formed(component, entry, item, path(key, number)) for number, item in enumerate(value)]


def _of_form(component: str, kind: Any, output: pulumi.Output[Any], key: str) -> pulumi.Output[Any]:
    if get_origin(kind) is None and not is_typeddict(kind) and kind not in (bool, int, float):
        return output  # a text, which any value can become, or a resource

    def look(found: list[Any]) -> Any:
        value, secret = found
        if value is not None:
            refuse(component, _shown(form_mistakes(kind, value, key=key), secret=secret))
        return value

    return pulumi.Output.all(output, output.is_secret()).apply(look)


def _ruled(component: str, output: pulumi.Output[Any], later: list[Rule]) -> pulumi.Output[Any]:
    """The Output, which fails where it or a value that goes with it breaks a rule."""
    mine = [each for each in later if any(found is output for found in _awaited_in(each.values))]
    if not mine:
        return output

    def look(found: list[Any]) -> Any:
        value, secret, *values = found
        broken = chain.from_iterable(
            each.mistakes(known) for each, known in zip(mine, values, strict=True) if _is_whole(each, known)
        )
        refuse(component, _shown(broken, secret=secret))
        return value

    judged = [list(each.values) for each in mine]
    secret = pulumi.Output.all(*(found.is_secret() for each in mine for found in _awaited_in(each.values)))
    return pulumi.Output.all(output, secret.apply(any), *judged).apply(look)


def _is_whole(judged: Rule, known: Iterable[Any]) -> bool:
    """Whether no Output turned out to be None; mocks answer so for what they know nothing of."""
    pairs = zip(judged.values, known, strict=True)
    return all(value is not None or not is_awaited(given) for given, value in pairs)


def _readable(mistakes: Iterable[Mistake]) -> Iterator[Mistake]:
    """Without those in values that a preview cannot decrypt."""
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
