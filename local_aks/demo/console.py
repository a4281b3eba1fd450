"""Lines for the terminal, each with the seconds since the command began."""

import time
from collections.abc import Callable, Iterable


class Console:
    """Prints as things happen; a pipe gets every line at once too."""

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
        """Something that has just happened."""
        self._write(f"{self.elapsed:5.1f} s  {text}")

    def block(self, lines: Iterable[str]) -> None:
        """Lines that stand by themselves."""
        for line in lines:
            self._write(line)


def _print(line: str) -> None:
    print(line, flush=True)
