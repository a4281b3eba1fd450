"""Simulated time runs at the configured speed."""

import threading
import time

import pytest

from kubeflow_aks.local_aks.simulation.clock import WallClock
from tests.stepped.manual_clock import ManualClock


def test_the_wall_clock_runs_at_its_speed() -> None:
    before = time.monotonic()
    clock = WallClock(1000)
    started = time.monotonic()
    time.sleep(0.02)
    read = time.monotonic()
    now = clock.now()
    assert (read - started) * 1000 <= now <= (time.monotonic() - before) * 1000


def test_waiting_ends_when_stopped() -> None:
    stop = threading.Event()
    stop.set()
    started = time.monotonic()
    WallClock(1, tick_seconds=30).wait(stop)
    assert time.monotonic() - started < 5


def test_a_clock_can_not_stand_still() -> None:
    with pytest.raises(ValueError, match="above 0"):
        WallClock(0)


def test_the_manual_clock_moves_only_by_hand() -> None:
    clock, stop = ManualClock(tick_seconds=2), threading.Event()
    clock.advance(5)
    clock.wait(stop)
    assert clock.now() == 7
    stop.set()
    clock.wait(stop)
    assert clock.now() == 7
