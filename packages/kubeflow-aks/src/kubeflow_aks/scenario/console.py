"""The terminal: lines with the seconds since the command began."""

import sys
import time
from collections.abc import Callable, Iterable

from kubeflow_aks.text.colour import has_colour, painted


class Console:
    """Prints each line immediately, also to a pipe."""

    def __init__(self, write: Callable[[str], object] | None = None) -> None:
        """`write` takes a line without its end; standard output by default."""
        self._write = write or _print
        self._began = time.monotonic()

    @property
    def elapsed(self) -> float:
        """Wall seconds since the command began."""
        return time.monotonic() - self._began

    def heading(self, text: str) -> None:
        """The title of a part, with space before it."""
        self._write(f"\n{text}")

    def line(self, text: str) -> None:
        """A line with the elapsed seconds."""
        self._write(f"{self.elapsed:5.1f} s  {text}")

    def block(self, lines: Iterable[str]) -> None:
        """Lines without the elapsed seconds."""
        for line in lines:
            self._write(line)


def _print(line: str) -> None:
    print(painted(line) if has_colour(sys.stdout) else line, flush=True)
