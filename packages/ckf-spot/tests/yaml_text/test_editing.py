"""A changed text differs in what changed, and in nothing else."""

from __future__ import annotations

import copy
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from ckf_spot.yaml_text import load

_AFFINITY = {"nodeAffinity": {"required": ["spot"]}}


def _changed(text: str, *changes: Callable[[Any], object]) -> str:
    stream = load(text, "f")
    wished = copy.deepcopy(stream.documents)
    for document, change in zip(wished, changes, strict=False):
        change(document)
    return stream.changed(wished)


def _check(before: str, after: str, *changes: Callable[[Any], object]) -> None:
    assert _changed(textwrap.dedent(before), *changes) == textwrap.dedent(after)


def test_a_field_is_added_to_a_pods_template_and_all_else_stays() -> None:
    _check(
        """\
        # licence
        spec:
          template:
            spec:   # the pod
              nodeSelector: { disk: "ssd" }
              containers:
                - name: 'main'     # first
                  args: ["1e-3", '08', y]   # as texts
              # the end of the pod
        # the end
        """,
        """\
        # licence
        spec:
          template:
            spec:   # the pod
              nodeSelector: { disk: "ssd" }
              containers:
                - name: 'main'     # first
                  args: ["1e-3", '08', y]   # as texts
              affinity:
                nodeAffinity:
                  required:
                    - spot
              # the end of the pod
        # the end
        """,
        lambda job: job["spec"]["template"]["spec"].update(affinity=_AFFINITY),
    )


def test_an_alias_that_changes_is_spelt_out_and_what_it_named_stays() -> None:
    _check(
        "Master: &replica  # one\n  a: 1  # two\nWorker: *replica  # three\nlast: 1\n",
        "Master: &replica  # one\n  a: 1  # two\nWorker:  # three\n  a: 1\n  b: 2\nlast: 1\n",
        lambda roles: roles["Worker"].update(b=2),
    )


def test_what_an_anchor_names_changes_and_its_alias_keeps_its_meaning() -> None:
    _check(
        "Worker: &replica  # one\n  a: 1  # two\nPS: *replica  # three\nother: {<<: *replica, c: 1}\n",
        "Worker: &replica  # one\n  a: 1  # two\n  b: 2\nPS:  # three\n  a: 1\nother: {<<: {a: 1}, c: 1}\n",
        lambda roles: roles["Worker"].update(b=2),
    )


def test_what_is_equal_through_an_alias_stays_an_alias() -> None:
    def both(roles: Any) -> None:
        roles["Worker"]["b"] = roles["PS"]["b"] = 2

    text = _changed("Worker: &replica\n  a: 1\nPS: *replica\n", both)
    assert load(text, "f").documents == [{"Worker": {"a": 1, "b": 2}, "PS": {"a": 1, "b": 2}}]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("l:\n# mine\n- a  # x\n", "l:\n- new\n# mine\n- a  # x\n"),
        ("l:\n  # mine\n  - k: 1\n", "l:\n  - new\n  # mine\n  - k: 1\n"),
        ("l: [a]  # x\n", "l: [new, a]  # x\n"),
        ("l: []  # x\n", "l:  # x\n  - new\n"),
        ("l:  # x\no: 1\n", "l:  # x\n  - new\no: 1\n"),
        ("l: &x\n- a\n", "l: &x\n- new\n- a\n"),
    ],
)
def test_an_item_comes_to_the_front_of_a_list(before: str, after: str) -> None:
    assert _changed(before, lambda document: document.update(l=["new", *(document["l"] or [])])) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("m: {}  # x\n", "m:  # x\n  k: y z\n"),
        ("m:  # x\n# y\nn: 1\n", "m:  # x\n  k: y z\n# y\nn: 1\n"),
        ("m: ~\n", "m:\n  k: y z\n"),
        ("m: {a: 'b'}  # x\n", "m: {a: 'b', k: y z}  # x\n"),
        ("m: {\n  a: 'b', # x\n}\n", "m: {\n  a: 'b', k: y z, # x\n}\n"),
        ("m:\n  a: 'b'", "m:\n  a: 'b'\n  k: y z"),
        ("m:\r\n  a: 'b'  # x\r\n", "m:\r\n  a: 'b'  # x\r\n  k: y z\r\n"),
        ("m:\n  a: |\n    b\n\nn: 1\n", "m:\n  a: |\n    b\n\n  k: y z\nn: 1\n"),
        ("m: &a !!map\n  a: 'b'\nn: 1\n", "m: &a !!map\n  a: 'b'\n  k: y z\nn: 1\n"),
        ("m:\n  ? a\n  : 'b'\nn: 1\n", "m:\n  ? a\n  : 'b'\n  k: y z\nn: 1\n"),
        ("m:\n  a: |\n    b", "m:\n  k: y z\n  a: |\n    b"),
        ("m:\r\n  # x\r\n  a: |\r\n    b", "m:\r\n  k: y z\r\n  # x\r\n  a: |\r\n    b"),
        ("\ufeffm: {a: 'b'}\n", "\ufeffm: {a: 'b', k: y z}\n"),
        ("{m: {a: 'b'}} # x\n", "{m: {a: 'b', k: y z}} # x\n"),
    ],
)
def test_a_key_is_added_to_a_map(before: str, after: str) -> None:
    assert (
        _changed(before, lambda document: document.update(m={**(document["m"] or {}), "k": "y z"})) == after
    )


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("v: 1  # x\n", "1e-3", 'v: "1e-3"  # x\n'),
        ("v: 1  # x\n", {"a": 1}, "v:  # x\n  a: 1\n"),
        ("v: {a: 1}  # x\n", {"a": 2}, "v: {a: 2}  # x\n"),
        ("v: [a, 'b']  # x\n", ["a", "c"], "v: [a, c]  # x\n"),
        ("v: # x\n- a\nw: 1\n", [], "v: [] # x\nw: 1\n"),
        ("v: |\n  a\n  b\nw: 1\n", "c", "v: c\nw: 1\n"),
        ("v: # x\n  # y\n  a: 1\n", "a\nb", 'v: "a\\nb" # x\n  # y\n'),
        ("v: a\nw: 1\n", "a\nb\n", "v: |\n  a\n  b\nw: 1\n"),
        ("v:\n  - a # x\n  - b # y\n  - c # z\n", ["a", "c"], "v:\n  - a # x\n  - c # z\n"),
        (
            "v:\n  - a # x\n  - b # y\n",
            ["a", {"b": 1, "c": 2}],
            "v:\n  - a # x\n  - # y\n    b: 1\n    c: 2\n",
        ),
    ],
)
def test_a_value_gets_another_one(before: str, value: Any, after: str) -> None:
    assert _changed(before, lambda document: document.update(v=value)) == after


def test_a_key_goes_with_its_line_and_its_comment_only() -> None:
    _check(
        "a: 1\n# of b\nb:  # x\n  c: 1\n# of d\nd: 1\n",
        "a: 1\n# of b\n# of d\nd: 1\n",
        lambda document: document.pop("b"),
    )


def test_the_other_documents_stay() -> None:
    _check(
        "# one\n---\na: 1  # x\n--- # two\nb: {}  # y\n...\n---\n# three\n",
        "# one\n---\na: 1  # x\n--- # two\nb: {}  # y\nc: 1\n...\n---\n# three\n",
        lambda _: None,
        lambda document: document.update(c=1),
    )


def test_a_document_that_is_no_map_any_more_leaves_the_others_alone() -> None:
    stream = load("a: 1  # x\n--- # y\n- b\n", "f")
    assert stream.changed([{"a": 1}, {"b": 1}]) == "a: 1  # x\n--- # y\nb: 1\n"


def test_a_document_that_becomes_a_text_keeps_what_stands_around_it() -> None:
    stream = load("# x\na: 1  # y\n", "f")
    assert stream.changed(["two\nlines\n"]) == '# x\n"two\\nlines\\n"  # y\n'


def test_more_documents_come_at_the_end() -> None:
    stream = load("a: 1  # x\n", "f")
    assert stream.changed([{"a": 1}, {"b": 1}]) == "a: 1  # x\n---\nb: 1\n"


def test_the_order_of_keys_is_no_change() -> None:
    stream = load("a: 1  # x\nb: 2\n", "f")
    assert stream.changed([{"b": 2, "a": 1}]) == stream.text


def test_json_stays_json_with_its_indent() -> None:
    stream = load('{\n    "a": "é"\n}\n', "f")
    assert stream.changed([{"a": "é", "b": [1]}]) == '{\n    "a": "é",\n    "b": [\n        1\n    ]\n}\n'


def test_the_meaning_wins_where_a_text_cannot_be_kept() -> None:
    """A merged map that stands behind the key overrules it in kubectl's eyes; only without it can the key change."""
    text = _changed("a: 1  # x\n<<: {a: 2}\n", lambda document: document.update(a=3))
    assert load(text, "f").documents == [{"a": 3}]


def test_a_block_at_the_end_of_a_file_without_a_newline_is_to_every_reader_what_it_was() -> None:
    before = textwrap.dedent(
        """\
        kind: Job
        spec:
          backoffLimit: 2
          template:
            spec:
              containers:
                - name: main
                  args:
                    - |
                      --exact"""
    )

    def placed(job: Any) -> None:
        job["spec"]["podReplacementPolicy"] = "Failed"
        job["spec"]["template"]["metadata"] = {"annotations": {"a": "b"}}
        job["spec"]["template"]["spec"]["affinity"] = _AFFINITY

    after = _changed(before, placed)

    for end in ("", "\n"):  # as Python's readers take it, and as kubectl does
        expected = yaml.safe_load(before + end)
        placed(expected)
        assert yaml.safe_load(after + end) == expected
