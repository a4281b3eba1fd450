"""Lists and foreign texts in a sentence."""

import pytest

from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import first_of, last_lines, listed, one_line, shown


@pytest.mark.parametrize(
    ("names", "expected"),
    [([], ""), (["a"], "a"), (["b", "a"], "a and b"), ("cab", "a, b and c"), ("edcba", "a, b, c and 2 more")],
)
def test_names_in_order(names: list[str], expected: str) -> None:
    assert listed(names) == expected


@pytest.mark.parametrize(("texts", "expected"), [([], ""), ("ba", "b, a"), ("cba", "c, b and 1 more")])
def test_the_first_texts_keep_their_order(texts: str, expected: str) -> None:
    assert first_of(texts, 2) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dev", "dev"),
        ("é", "é"),
        ("a\x1b[1m", "'a\\x1b[1m'"),
        ("x" * 60 + "y" * 60, "x" * 50 + "…" + "y" * 49),
    ],
)
def test_a_name_that_somebody_gave(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [(" a\n\tb ", "a b"), ("\x1bb", "\\x1bb"), (5, "5"), ("abcdef", "abcd…")]
)
def test_a_foreign_text_is_one_line(text: object, expected: str) -> None:
    assert one_line(text, 5) == expected


def test_the_last_lines_of_an_output() -> None:
    assert last_lines("one\n\n two \nthree\n\n") == "two | three"


def test_counted() -> None:
    assert [counted(number, "node") for number in (0, 1, 2, None)] == [
        "0 nodes",
        "1 node",
        "2 nodes",
        "? nodes",
    ]
