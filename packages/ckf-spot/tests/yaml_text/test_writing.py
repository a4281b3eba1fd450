"""What is written is read alike by everyone, and reads well."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from ruamel.yaml import YAML
from values import LOOK_ALIKE, MAPS

from ckf_spot.yaml_text import dump, parse


@pytest.mark.parametrize("text", LOOK_ALIKE, ids=ascii)
def test_a_text_stays_one_to_every_reader(text: str) -> None:
    _check({"value": text, "list": [text, [text]], text: 1})


@given(MAPS)
def test_every_reader_reads_what_is_written_alike(document: dict[str, Any]) -> None:
    _check(document)


def _check(document: dict[str, Any]) -> None:
    written = dump([document])
    assert parse(written, "f") == document
    assert yaml.safe_load(written) == document
    assert YAML(typ="safe", pure=True).load(written) == document


def test_a_text_of_several_lines_takes_several_lines() -> None:
    assert dump([{"args": ["if a\nthen\n"]}]) == "args:\n  - |\n    if a\n    then\n"


def test_equal_parts_are_no_aliases() -> None:
    part = {"a": 1}
    assert "*" not in dump([{"x": part, "y": part}])
