"""Mistakes in the settings: how one reads, and the error that carries all of them."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One mistake: where it is, what stands there, what may stand there."""

    key: str
    """Path of the setting as a stack file has it, e.g. `pools.cpuspot.maxPrice`."""
    value: object
    allowed: str
    """What is allowed, and where it helps what to change."""

    def __str__(self) -> str:  # always one line, even where a name holds a line break
        line = f"{self.key}: {_shown(self.value)}: {self.allowed}"
        return "".join(char if char.isprintable() else repr(char)[1:-1] for char in line)


class SettingsError(ValueError):
    """The settings cannot be used; the text holds one line per mistake."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def _shown(value: object) -> str:
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 80 else text[:77] + "…"  # noqa: PLR2004 - one line stays one line
