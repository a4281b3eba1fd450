"""What a stack says of its days, against the day on which the program runs."""

from datetime import date

import pytest

from program.planning.rules.days import day_problems, day_warnings
from tests.program.planning.small_stack import TODAY, planned, refused, settings


@pytest.mark.parametrize(("created", "keys"), [("2026-11-20", []), ("2026-11-21", ["created"])])
def test_a_cluster_was_made_today_or_before(created: str, keys: list[str]) -> None:
    assert refused(day_problems(settings(created=created), TODAY)) == keys


def test_being_judged_as_of_an_earlier_day_is_reported() -> None:
    [warning] = day_warnings(settings(asOf="2026-11-01"), TODAY)
    assert warning.startswith("asOf is 2026-11-01, a day in the past")


@pytest.mark.parametrize("day", ["2026-11-20", "2027-03-01"])
def test_being_judged_as_of_today_or_later_is_not(day: str) -> None:
    assert list(day_warnings(settings(asOf=day), TODAY)) == []


def test_the_past_is_judged_by_the_calendar_and_not_by_the_stack() -> None:
    assert [w for w in planned(asOf="2026-11-01").warnings if w.startswith("asOf")]
    assert settings(created="2026-11-20").created == date(2026, 11, 20)
