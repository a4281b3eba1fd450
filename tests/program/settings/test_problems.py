"""The line that describes a mistake: key, value and what is expected instead."""

import pytest

from components.arguments.mistakes import Mistake
from program.settings import SettingsError


@pytest.mark.parametrize(
    ("value", "shown"),
    [(True, "true"), (False, "false"), (3, "3"), (0.5, "0.5"), ("x", "'x'"), (["x"], "['x']")],
)
def test_a_value_reads_as_a_stack_file_has_it(value: object, shown: str) -> None:
    assert str(Mistake("a.b", value, "c")) == f"a.b: {shown} is not allowed; expected c"


def test_without_a_value_the_setting_is_missing() -> None:
    assert str(Mistake("a.b", None, "c")) == "a.b: missing; expected c"


def test_a_long_value_is_cut_in_its_middle_so_that_the_end_of_an_arm_id_is_seen() -> None:
    shown = f"'{'x' * 25}…{'y' * 52}'"
    assert str(Mistake("a", "x" * 80 + "y" * 80, "c")) == f"a: {shown} is not allowed; expected c"


def test_a_long_key_is_cut_and_the_longest_of_our_own_is_not() -> None:
    key = f"data.store.profiles.{'n' * 63}.serviceAccounts[0]"
    assert str(Mistake(key, 1, "c")) == f"{key}: 1 is not allowed; expected c"
    assert (
        str(Mistake(f"tags.{'x' * 600}", 1, "c"))
        == f"tags.{'x' * 35}…{'x' * 79}: 1 is not allowed; expected c"
    )


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\u2028b", "a\x1b[31mb"])
def test_a_problem_stays_one_line_whatever_it_holds(text: str) -> None:
    line = str(Mistake(text, text, text))
    assert line.isprintable()
    assert len(line.splitlines()) == 1


def test_an_error_holds_one_line_for_each_problem() -> None:
    error = SettingsError([Mistake("a", 1, "x"), Mistake("b", 2, "y")])
    assert str(error) == "a: 1 is not allowed; expected x\nb: 2 is not allowed; expected y"
