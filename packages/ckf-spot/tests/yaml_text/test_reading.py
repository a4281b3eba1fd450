"""A stream is read as Kubernetes reads it, or refused in one line that says where."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from ckf_spot import PlacementError
from ckf_spot.yaml_text import load, parse

_HELM: Final = "; a template such as {{ name }} must be filled in first"
_DEEP = 10_000


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (
            "{1: a, 1.5: a, true: a, n: a, 0x10: a, 08: a, 1e6: a}",
            ["1", "1.5", "true", "false", "16", "8", "1e+06"],
        ),
        ("{? [a] : b}", None),
        ("{~: a}", None),
        ("{12345678.9: a}", None),
        ("{18446744073709551615: a}", None),
        ("{a: 1, a: 2}", None),
        ('{1: 1, "1": 2}', None),
    ],
)
def test_a_key_is_a_text(text: str, keys: list[str] | None) -> None:
    if keys is not None:
        assert list(parse(text, "f")) == keys
    else:
        with pytest.raises(PlacementError, match=r"^f, line 1: malformed YAML: "):
            parse(text, "f")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("{<<: {a: 1, b: 1}, a: 2}", {"a": 2, "b": 1}),
        ("{a: 2, <<: {a: 1}}", {"a": 1}),
        ("{<<: [{a: 1}, {a: 2, b: 2}]}", {"a": 1, "b": 2}),
        ('{"<<": {a: 1}}', {"<<": {"a": 1}}),
        ("{a: &x 1, b: &x 2, c: *x}", {"a": 1, "b": 2, "c": 2}),
        ("{a: &x {b: 1}, c: {<<: *x}}", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x k\nb: {*x : 1}", {"a": "k", "b": {"k": 1}}),
    ],
)
def test_anchors_and_merged_maps_are_resolved_as_kubectl_does(text: str, content: Any) -> None:
    assert parse(text, "f") == content


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("! 08", "08"),
        ("!!str 1", "1"),
        ('!!int "8"', 8),
        ("!!float 1", 1),
        ('!!bool "y"', True),
        ("! {a: b}", {"a": "b"}),
    ],
)
def test_a_tag_says_what_a_scalar_is(text: str, content: Any) -> None:
    assert parse(text, "f") == content


@pytest.mark.parametrize("text", ["a: \t1\t# c", "a: b\tc", "{a: 1,\t\n\tb: 2}", "- a\n- b\t\n\n"])
def test_a_tab_may_stand_where_it_indents_nothing(text: str) -> None:
    assert parse(text, "f")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: 1\n\tb: 2\n", 2, "'\\t' that cannot start any token"),
        ("a: 1\nb: [\n", 3, "expected the node content"),
        ("{{- if .Values.on }}\na: 1\n{{- end }}\n", 1, _HELM),
        ("a: 1\nb:\n  {{- with .Values.c }}\n  c: {{ . }}\n  {{- end }}\n", 3, _HELM),
        ('a: 1\n{{ include "x" . }}\n', 3, _HELM),
        ("a: 1\nb: .inf\n", 2, ".inf is no number in JSON"),
        ("a: 1\nb: !foo 2\n", 2, "the tag !foo is not supported"),
        ("a: 1\nb: !!binary aGFs\n", 2, "the tag !!binary is not supported"),
        ("a: 1\nb: !!int x\n", 2, "'x' is not what its tag says"),
        ("a: 1\n<<: 2\n", 2, "<< merges maps only"),
        ("a: 1\nb: *c\n", 2, "undefined alias 'c'"),
        ("a: 1\nb: &b [*b]\n", 2, "the value of an anchor holds itself"),
        ("a: 1\nb: \x01\n", 2, "the character U+0001 is not allowed"),
        ("a: 1\nb: \x00\n", 2, "the character U+0000 is not allowed"),
        ('a: 1\nb: "\\ud800"\n', 2, "half of a character"),
        ('{"a": 1,\n"b": "\\ud800"}\n', 2, "half of a character"),
        ('{"a": 1,\n"a": 2}\n', 2, "the key 'a' is given twice"),
        ('{"a": 1,\n"b": tru e: }\n', 2, "expected ',' or '}'"),
        (f"a: 1\nb: {'[' * _DEEP}{']' * _DEEP}\n", 2, "more than 100 levels"),
        (f'{{"a": 1,\n"b": {"[" * _DEEP}{"]" * _DEEP}}}\n', 2, "more than 100 levels"),
        (f'{{"a": 1,\n"b": {"[" * 200}{"]" * 200}}}\n', 2, "more than 100 levels"),
        ("".join(f"{' ' * level}a:\n" for level in range(_DEEP // 10)), 101, "more than 100 levels"),
        (
            "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1},' * 10}]\n" for n in range(1, 9)),
            7,
            "1,000,000",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(PlacementError) as refused:
        load(text, "f.yaml")
    message = str(refused.value)
    assert message.startswith(f"f.yaml, line {line}: malformed YAML: ")
    assert problem in message
    assert len(message.splitlines()) == 1


def test_what_json_has_no_number_for_is_the_text_that_kubectl_makes_of_it() -> None:
    assert parse('{"a": NaN, "b": -Infinity}', "f") == {"a": "NaN", "b": "-Infinity"}


def test_a_character_in_two_halves_is_one_in_json() -> None:
    assert parse(json.dumps({"a": "😀"}), "f") == {"a": "😀"}


def test_the_last_line_has_an_end_as_to_kubectl() -> None:
    assert parse("a: |\n  b", "f") == {"a": "b\n"}


def test_empty_documents_are_left_out() -> None:
    assert load("# only this\n---\n---\na: 1\n---\n# and this\n", "f").documents == [{"a": 1}]


def test_one_value_is_expected_where_one_is_requested() -> None:
    assert parse("", "f") is None
    with pytest.raises(PlacementError, match=r"^f: 2 documents; expected one$"):
        parse("a\n---\nb\n", "f")
