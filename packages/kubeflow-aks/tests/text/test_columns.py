"""Text in columns."""

import pytest

from kubeflow_aks.text.columns import cut, cut_apart, cut_middle, cut_start, table


def test_a_table_that_fits_stays_as_it_is() -> None:
    assert table([("a", "bb"), ("ccc", "d")], 20) == [["a    bb"], ["ccc  d"]]


def test_a_table_that_is_too_wide_wraps_its_widest_cell() -> None:
    rows = table([("pool", "Standard_NC24ads_A100_v4")], 20)
    assert rows == [["pool  Standard_", "      NC24ads_A100_", "      v4"]]


def test_a_word_is_cut_only_where_nothing_else_can_be() -> None:
    rows = table([("from $201 to $2,299", "Standard_D8ds_v5")], 32)
    assert rows == [["from $201 to    Standard_D8ds_v5", "$2,299"]]


def test_a_word_without_a_place_to_cut_is_cut_anywhere() -> None:
    assert table([("abcdefghijklmnop",)], 8) == [["abcdefgh", "ijklmnop"]]


@pytest.mark.parametrize("width", [30, 60, 90])
def test_no_line_is_wider_than_the_limit(width: int) -> None:
    rows = table([("name", "a long text with words in it " * 3, "another_long_one_" * 4)], width)
    assert max(len(line) for row in rows for line in row) <= width


def test_a_text_is_cut_at_either_end() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut_start("abcdef", 4) == "…def"
    assert cut_middle("abcdefgh", 5) == "ab…gh"
    assert cut("abc", 3) == cut_start("abc", 3) == cut_middle("abc", 3) == "abc"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("cpu", "gpu", ("cpu", "gpu")),
        ("/networks/hub/subnets/cpu", "/networks/hub/subnets/gpu", ("…cpu", "…gpu")),
        ("/networks/hub/subnets/cpu", "/networks/spoke/subnets/cpu", ("…hub/subn…", "…spoke/su…")),
        ("aaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaac", ("…aaaaab", "…aaaaac")),
        ("aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaac", ("…aaaaa", "…aaaaac")),
    ],
)
def test_two_texts_are_cut_so_that_they_differ(before: str, after: str, shown: tuple[str, str]) -> None:
    assert cut_apart(before, after, 10) == shown
