"""What an unquoted scalar means; kubectl itself answers the same.

The comparison is `packages/kubeflow-aks/tests/local/demo/placement/test_yaml_as_kubectl.py`.
"""

from __future__ import annotations

import pytest

from ckf_spot.yaml_text.scalars import is_text, value


@pytest.mark.parametrize(
    "text", ["1e-3", "08", "0o17", "y", "8350e12", "1_000", ".5", "0x1f", "~", "", "Off", ".nan"]
)
def test_what_looks_like_a_text_and_is_none_takes_quotes(text: str) -> None:
    assert not is_text(text)


@pytest.mark.parametrize(
    "text", ["12:30:00", "2001-01-01", "=", "<<", "1,000", "0o8", "1.2.3", "yEs", "0b2", "1e400"]
)
def test_what_is_a_number_to_others_is_a_text_to_kubernetes(text: str) -> None:
    assert value(text) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("08", 8.0),
        ("017", 15),
        ("0o17", 15),
        ("0x0b", 11),
        ("0b11", 3),
        ("0b-1", -1),
        ("-0b11", -3),
        ("1_0", 10),
        ("+1", 1),
    ],
)
def test_a_number_is_read_in_its_base(text: str, number: float) -> None:
    assert value(text) == number
    assert type(value(text)) is type(number)


def test_an_integer_beyond_64_bits_becomes_a_broken_number() -> None:
    assert value(str(2**64 - 1)) == 2**64 - 1
    assert isinstance(value(str(2**64)), float)
    assert isinstance(value(f"-{2**63 + 1}"), float)


def test_a_number_that_no_computer_holds_is_a_text() -> None:
    assert value("1" * 5000) == "1" * 5000
