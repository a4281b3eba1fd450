"""Arguments of a component, plain or known later: each mistake in words, and nothing made of it."""

import asyncio
import contextvars
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

import pulumi
import pytest

from components.arguments.checked import ONLY_FORM, Rule, checked, rule
from components.arguments.errors import ArgumentsError
from components.arguments.mistakes import HIDDEN, Mistake
from tests.components.conftest import Cloud


class Disk(TypedDict):
    """A group in the arguments."""

    size_gib: NotRequired[pulumi.Input[int]]


class Shop(TypedDict):
    """Arguments of a component."""

    name: str
    colour: NotRequired[pulumi.Input[Literal["red", "green"]]]
    least: NotRequired[pulumi.Input[int] | None]
    most: NotRequired[pulumi.Input[int]]
    share: NotRequired[pulumi.Input[float]]
    open_now: NotRequired[bool]
    disks: NotRequired[Sequence[Disk]]
    labels: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]


def in_order(least: int, most: int) -> Iterator[Mistake]:
    """The rule of these arguments."""
    if least > most:
        yield Mistake("least", least, f"at most {most}")


def rules(args: Shop) -> Iterator[Rule]:
    """The rules of these arguments."""
    yield rule(in_order, args.get("least", 0), args.get("most", 9))


def shop(**args: Any) -> Shop:
    """The arguments, checked."""
    return checked("Shop", Shop, cast(Shop, {"name": "shop", **args}), rules)


def later(value: Any, *, is_known: bool = True, secret: bool = False) -> pulumi.Output[Any]:
    """An Output of a value."""
    loop = asyncio.get_event_loop()
    futures: list[asyncio.Future[Any]] = [loop.create_future() for _ in range(3)]
    for future, result in zip(futures, (value, is_known, secret), strict=True):
        future.set_result(result)
    return pulumi.Output(set(), *futures)


def lines(error: pytest.ExceptionInfo[ArgumentsError]) -> list[str]:
    """The mistakes of a refusal."""
    return list(map(str, error.value.mistakes))


@pytest.mark.parametrize(
    ("args", "line"),
    [
        ({"name": None}, "name: missing; expected text"),
        ({"name": 3}, "name: 3 is not allowed; expected text"),
        ({"colour": "blue"}, "colour: 'blue' is not allowed; expected red or green"),
        ({"least": "2"}, "least: '2' is not allowed; expected a whole number"),
        ({"least": 2.5}, "least: 2.5 is not allowed; expected a whole number"),
        ({"least": True}, "least: true is not allowed; expected a whole number"),
        ({"share": float("nan")}, "share: nan is not allowed; expected a number"),
        ({"open_now": 1}, "openNow: 1 is not allowed; expected true or false"),
        ({"disks": {}}, "disks: {} is not allowed; expected a list"),
        ({"disks": "ab"}, "disks: 'ab' is not allowed; expected a list"),
        ({"disks": [{"size_gib": "x"}]}, "disks[0].sizeGib: 'x' is not allowed; expected a whole number"),
        (
            {"disks": [{}, {"sizeGib": 3}]},
            "disks[1].sizeGib: 3 is not allowed; expected one of the keys size_gib; did you mean size_gib?",
        ),
        ({"labels": {"a/b": 3}}, 'labels["a/b"]: 3 is not allowed; expected text'),
        ({"labels": ["a"]}, "labels: ['a'] is not allowed; expected a mapping"),
        ({"least": 5, "most": 3}, "least: 5 is not allowed; expected at most 3"),
    ],
)
def test_a_plain_mistake_is_refused_at_once(args: Any, line: str) -> None:
    with pytest.raises(ArgumentsError) as refusal:
        shop(**args)
    assert lines(refusal) == [line]


def test_all_of_form_comes_before_all_of_rules() -> None:
    with pytest.raises(ArgumentsError) as refusal:
        shop(colour="blue", share="x", least=5, most=3)
    assert [mistake.key for mistake in refusal.value.mistakes] == ["colour", "share"]


def test_what_a_preview_cannot_decrypt_is_no_mistake() -> None:
    args = {"colour": HIDDEN, "labels": {"a": HIDDEN}}
    assert shop(**args) == {"name": "shop", **args}


def unlabelled(labels: Mapping[str, str], least: int) -> Iterator[Mistake]:
    """Always a mistake, whose value is not the one that a preview cannot decrypt."""
    yield Mistake("least", least, f"no value with {labels}")


def wanting(args: Shop) -> Iterator[Rule]:
    """The rule of these arguments."""
    yield rule(unlabelled, args.get("labels"), args.get("least"))


@pytest.mark.parametrize("value", [{"a": HIDDEN}, {"a": f"{HIDDEN}/32"}])
def test_a_rule_that_reads_what_a_preview_cannot_decrypt_is_not_judged(cloud: Cloud, value: Any) -> None:  # noqa: ARG001
    plain: Any = {"name": "shop", "least": 5}
    with pytest.raises(ArgumentsError):
        checked("Shop", Shop, plain | {"labels": {"a": "b"}}, wanting)
    assert checked("Shop", Shop, plain | {"labels": value}, wanting)
    awaited: Any = checked("Shop", Shop, plain | {"labels": later(value)}, wanting)
    assert asyncio.get_event_loop().run_until_complete(awaited["labels"].future()) == value


def test_where_defaults_stand_for_encrypted_values_only_the_form_is_checked() -> None:
    def judge() -> None:
        ONLY_FORM.set(True)
        assert shop(least=5, most=3)["name"] == "shop"
        with pytest.raises(ArgumentsError, match="share"):
            shop(share="x")

    contextvars.Context().run(judge)


def test_none_counts_as_left_out() -> None:
    assert shop(colour=None, least=None, disks=[{"size_gib": None}]) == {"name": "shop", "disks": [{}]}


@pytest.mark.parametrize(
    ("args", "key", "line"),
    [
        ({"colour": "blue"}, "colour", "colour: 'blue' is not allowed; expected red or green"),
        ({"least": "2"}, "least", "least: '2' is not allowed; expected a whole number"),
        ({"least": 12}, "least", "least: 12 is not allowed; expected at most 9"),
        ({"labels": {"a": 3}}, "labels", "labels.a: 3 is not allowed; expected text"),
    ],
)
def test_an_output_fails_with_the_same_words(cloud: Cloud, args: Any, key: str, line: str) -> None:  # noqa: ARG001
    args = shop(**{name: later(value) for name, value in args.items()})
    with pytest.raises(ArgumentsError) as refusal:
        asyncio.get_event_loop().run_until_complete(args[key].future())
    assert lines(refusal) == [line]


@pytest.mark.parametrize("awaited", [["least"], ["most"], ["least", "most"]])
def test_a_rule_waits_for_all_that_it_reads(cloud: Cloud, awaited: list[str]) -> None:  # noqa: ARG001
    bounds = {"least": 5, "most": 3}
    args = cast(Any, shop(**bounds | {key: later(bounds[key]) for key in awaited}))
    for key in awaited:
        with pytest.raises(ArgumentsError, match="least: 5 is not allowed; expected at most 3"):
            asyncio.get_event_loop().run_until_complete(args[key].future())


def test_an_entry_that_is_an_output_is_checked_too(cloud: Cloud) -> None:  # noqa: ARG001
    args = shop(disks=[{"size_gib": later("x")}])
    with pytest.raises(ArgumentsError, match=r"disks\[0\].sizeGib: 'x' is not allowed"):
        asyncio.get_event_loop().run_until_complete(cast(Any, args)["disks"][0]["size_gib"].future())


@pytest.mark.parametrize("output", [{"is_known": False}, {"secret": True}, {}])
def test_what_is_right_stays_as_it_is(cloud: Cloud, output: dict[str, bool]) -> None:  # noqa: ARG001
    value = None if output.get("is_known") is False else 5
    least = cast(Any, shop(least=later(value, **output)))["least"]
    loop = asyncio.get_event_loop()
    assert loop.run_until_complete(least.future()) == value
    assert loop.run_until_complete(least.is_known()) is output.get("is_known", True)
    assert loop.run_until_complete(least.is_secret()) is output.get("secret", False)


@pytest.mark.parametrize("args", [{"colour": "blue"}, {"least": 12}])
def test_no_message_shows_a_secret(cloud: Cloud, args: dict[str, Any]) -> None:  # noqa: ARG001
    [(key, value)] = args.items()
    with pytest.raises(ArgumentsError) as refusal:
        asyncio.get_event_loop().run_until_complete(
            cast(Any, shop(**{key: later(value, secret=True)}))[key].future()
        )
    [line] = lines(refusal)
    assert line.startswith(f"{key}: [secret] is not allowed; expected ")


def test_what_mocks_know_nothing_of_is_no_mistake(cloud: Cloud) -> None:  # noqa: ARG001
    args = cast(Any, shop(least=later(None), colour=later(None)))
    loop = asyncio.get_event_loop()
    assert [loop.run_until_complete(args[key].future()) for key in ("least", "colour")] == [None, None]
