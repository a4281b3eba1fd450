"""Exponential back-off of node groups after failed scale-ups (cluster-autoscaler utils/backoff)."""

from dataclasses import dataclass
from typing import Final

INITIAL_SECONDS: Final = 300.0
MAXIMUM_SECONDS: Final = 1800.0
RESET_SECONDS: Final = 10_800.0


@dataclass(frozen=True)
class _Entry:
    seconds: float
    until: float
    failed_at: float


class Backoff:
    """5 min after a first failure, doubling to 30 min; forgotten 3 h after the last, or after a success."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def fail(self, group: str, now: float) -> float:
        """Register a failed scale-up and return the back-off in seconds.

        Failures of several VMs at once count as one: the time doubles only when the last back-off is over.
        """
        entry = self._entries.get(group)
        seconds = INITIAL_SECONDS
        if entry is not None and entry.until < now:
            seconds = min(2 * entry.seconds, MAXIMUM_SECONDS)
        self._entries[group] = _Entry(seconds, now + seconds, now)
        return seconds

    def succeed(self, group: str) -> None:
        """Forget the group's failures."""
        self._entries.pop(group, None)

    def active(self, group: str, now: float) -> bool:
        """Whether the group must be left alone now."""
        entry = self._entries.get(group)
        return entry is not None and entry.until > now

    def ends(self) -> list[float]:
        """Simulated seconds at which the groups may be scaled up again."""
        return [entry.until for entry in self._entries.values()]

    def forget_stale(self, now: float) -> None:
        """Drop groups whose last failure is long ago."""
        self._entries = {
            group: entry for group, entry in self._entries.items() if entry.failed_at + RESET_SECONDS >= now
        }
