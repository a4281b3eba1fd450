"""The clock of the simulation: seconds that can run faster than the wall clock's."""

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Simulated seconds, counted from the clock's start."""

    def now(self) -> float:
        """Simulated seconds since the clock started."""
        ...

    def wait(self, stop: threading.Event) -> None:
        """Let a little time pass between two steps of the simulation, or less when `stop` is set."""
        ...


class WallClock:
    """Simulated time that runs `speed` times as fast as the wall clock.

    Only what this simulator does follows it. The real controllers keep wall time: the garbage collector's
    40 s quarantine of a vanished node's pods, for example, does not shrink (gc_controller.go).
    """

    def __init__(self, speed: float = 1.0, *, tick_seconds: float = 0.2) -> None:
        """Start at 0 simulated seconds; `tick_seconds` is the pause between steps, in wall seconds."""
        if speed <= 0:
            raise ValueError(f"the clock's speed must be above 0, not {speed}")
        self.speed = speed
        self._tick_seconds = tick_seconds
        self._started = time.monotonic()

    def now(self) -> float:
        """Simulated seconds since the clock started."""
        return (time.monotonic() - self._started) * self.speed

    def wait(self, stop: threading.Event) -> None:
        """Sleep for one tick of wall time, or until `stop` is set."""
        stop.wait(self._tick_seconds)
