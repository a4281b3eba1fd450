"""Figures as a reader sees them."""

import math

import pytest

from kubeflow_aks.cost.figures import Range
from kubeflow_aks.cost.formatting import duration, hours, money, price, saving, share, spread

INF = math.inf


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (0, "$0.00"),
        (17.5, "$17.50"),
        (99.994, "$99.99"),
        (99.996, "$100"),
        (1261.84, "$1,262"),
        (1e6, "$1,000,000"),
        (-3.2, "−$3.20"),
        (-0.001, "$0.00"),
        (INF, "never done"),
    ],
)
def test_money(amount: float, expected: str) -> None:
    assert money(amount, "USD") == expected


def test_other_currencies() -> None:
    assert money(1261.84, "GBP") == "£1,262"
    assert money(1261.84, "CHF") == "1,262 CHF"
    assert price(0.0487, "CHF") == "0.0487 CHF"
    assert price(0.0487, "USD") == "$0.0487"


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (Range(640, 639, 651), "$639 to $651"),
        (Range(640, 639.9, 640.1), "$640"),
        (Range(640, 639, INF), "more than $639"),
        (Range(INF, INF, INF), "never done"),
    ],
)
def test_ranges(amount: Range, expected: str) -> None:
    assert spread(amount, "USD") == expected


@pytest.mark.parametrize(
    ("amount", "beside", "expected"),
    [
        (51.3, 100, "−48.7 %"),
        (112, 100, "+12.0 %"),
        (99.99, 100, "0.0 %"),
        (1, 0, ""),
        (INF, 100, "never done"),
    ],
)
def test_savings(amount: float, beside: float, expected: str) -> None:
    assert saving(amount, beside) == expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (0, "0 %"),
        (0.05, "5 %"),
        (0.00153, "0.15 %"),
        (0.00001, "less than 0.01 %"),
        (0.071, "7.1 %"),
        (1, "100 %"),
    ],
)
def test_shares(part: float, expected: str) -> None:
    assert share(part) == expected


def test_hours_and_durations() -> None:
    assert [hours(it) for it in (3570.4, 1.887, 2.0, 8e37, INF)] == [
        "3,570",
        "1.9",
        "2",
        "more than 1,000,000,000,000,000",
        "never done",
    ]
    assert [duration(it) for it in (1.118, 20.0, 50.5, INF)] == ["67 min", "20 h", "50 h", "any length"]
