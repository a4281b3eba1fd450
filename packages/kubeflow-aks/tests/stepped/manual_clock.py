"""A clock that stands still until a test moves it."""

import threading


class ManualClock:
    """A clock that a test moves by hand: exact and without waiting."""

    def __init__(self, *, tick_seconds: float = 1.0) -> None:
        """Start at 0 simulated seconds; `wait` moves the clock by `tick_seconds`."""
        self._now = 0.0
        self._tick_seconds = tick_seconds

    def now(self) -> float:
        """Simulated seconds since the clock started."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the clock on."""
        self._now += seconds

    def wait(self, stop: threading.Event) -> None:
        """Move the clock by one tick unless `stop` is set."""
        if not stop.is_set():
            self.advance(self._tick_seconds)
