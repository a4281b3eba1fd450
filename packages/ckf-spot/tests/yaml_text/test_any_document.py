"""Any document, written in any style, is read as it is meant, and changed without touching the rest."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from typing import Any

from authors import Author, Path
from hypothesis import example, given, settings
from hypothesis import strategies as st
from values import DOCUMENTS

from ckf_spot import PlacementError
from ckf_spot.yaml_text import load

_CHANCE = st.randoms(use_true_random=False)
_ADDED = {"affinity": {"required": [{"key": "sku", "values": ["spot"]}]}}


@given(DOCUMENTS, _CHANCE)
def test_what_was_meant_is_read_and_comes_out_to_the_letter(
    documents: list[Any], chance: random.Random
) -> None:
    text = Author(chance).stream(documents)

    stream = load(text, "f")

    assert stream.documents == documents
    assert stream.changed(stream.documents) == text


@settings(max_examples=200)
@given(DOCUMENTS, _CHANCE)
def test_a_changed_text_means_what_was_wished_and_keeps_the_comments(
    documents: list[Any], chance: random.Random
) -> None:
    author = Author(chance)
    stream = load(author.stream(documents), "f")
    wished = copy.deepcopy(stream.documents)
    gone = _change(wished, chance)

    text = stream.changed(wished)

    assert load(text, "f").documents == wished
    if author.is_simple:
        kept = [comment for comment, path in author.comments if gone is None or path[: len(gone)] != gone]
        assert [comment for comment in kept if f"# {comment}" not in text] == []


@settings(max_examples=300)
@given(st.text(st.sampled_from("ab1:-?,[]{}#&*!|>'\"%@` \t\r\n\\e0x.~<y\ufeffé\u2028"), max_size=25))
@example("a: 1\r\n")
def test_any_text_is_refused_in_one_line_or_comes_out_to_the_letter(text: str) -> None:
    try:
        stream = load(text, "f")
    except PlacementError as error:
        result = str(error)
    else:
        result = stream.changed(stream.documents)
    assert result == text or re.fullmatch(r"f, line \d+: malformed YAML: .+", result)


def _change(documents: list[Any], chance: random.Random) -> Path | None:
    """Changes one value; the place of what went, or None where something was added only."""
    path = chance.choice(list(_paths(documents)))
    *above, last = path
    inside = documents
    for key in above:
        inside: Any = inside[key]
    part: Any = inside[last]
    if isinstance(part, dict) and chance.random() < 0.5:
        part["added"] = copy.deepcopy(_ADDED)
        return (*path, "added")
    if isinstance(part, list) and chance.random() < 0.5:
        part.insert(chance.randint(0, len(part)), copy.deepcopy(_ADDED))  # pyright: ignore[reportUnknownArgumentType]
        return None if len(part) > 1 else path  # pyright: ignore[reportUnknownArgumentType]
    if above and chance.random() < 0.3:
        del inside[last]
        return tuple(above)
    inside[last] = copy.deepcopy(chance.choice([_ADDED, [_ADDED], "text", "two\nlines\n", 1, {}, []]))
    return path


def _paths(content: Any, path: Path = ()) -> Iterator[Path]:
    parts = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    for key, part in parts:
        yield (*path, key)
        yield from _paths(part, (*path, key))


def test_of_two_items_that_are_alike_the_one_that_stays_keeps_its_comment() -> None:
    stream = load("a:\n- null\n- null # why\n", "f")
    assert stream.changed([{"a": ["new", None]}]) == "a:\n- new\n- null # why\n"
