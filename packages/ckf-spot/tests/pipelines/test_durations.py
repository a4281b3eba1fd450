"""Durations as data scientists write them."""

from __future__ import annotations

import pytest

from ckf_spot import durations


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0s", 0), ("30s", 30), ("5m", 300), ("2h", 7_200), ("7d", 604_800), ("3650d", 315_360_000)],
)
def test_a_duration_is_a_number_of_seconds(text: str, seconds: int) -> None:
    assert durations.seconds("backoff", text) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (90, "90s"), (1_500, "25m"), (7_200, "2h"), (604_800, "7d")]
)
def test_seconds_are_written_in_the_largest_whole_unit(seconds: int, text: str) -> None:
    assert durations.text(seconds) == text
    assert durations.seconds("backoff", text) == seconds
