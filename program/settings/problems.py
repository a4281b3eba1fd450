"""Mistakes in the settings: the line that describes one, and the error that carries all of them."""

from collections.abc import Iterable
from dataclasses import dataclass

ENCRYPTED = "\0encrypted"
"""In place of a value that a preview cannot decrypt (`kubeflow_aks.recorder.stack_files.ENCRYPTED`)."""


@dataclass(frozen=True)
class Problem:
    """One mistake: the setting, its value, and what is expected instead."""

    key: str
    """Path of the setting as a stack file has it, e.g. `pools.cpuspot.maxPrice`."""
    value: object
    """The value as the stack file has it; None where it is missing."""
    allowed: str
    """What is expected, in words that follow "expected"; where it helps, with the reason or what to change."""
    default: bool = False
    """Whether the value is a default that the stack file does not have."""

    def __str__(self) -> str:  # always one line, even where a name holds a line break
        value = f"{_shown(self.value)} (the default)" if self.default else _shown(self.value)
        what = "missing" if self.value is None else f"{value} is not allowed"
        line = f"{self.key}: {what}; expected {self.allowed}"
        return "".join(char if char.isprintable() else repr(char)[1:-1] for char in line)


class SettingsError(ValueError):
    """The settings cannot be used; the text holds one line per mistake."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def _shown(value: object) -> str:
    if isinstance(value, float) and value.is_integer():  # written without a fraction, or with one of zeros
        value = int(value)
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    text = text.replace(repr(ENCRYPTED), "[secret]")
    return text if len(text) <= 80 else text[:77] + "…"  # noqa: PLR2004 - one line stays one line
