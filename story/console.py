"""The terminal: lines with the seconds since the command began, and Ctrl-C."""

import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from types import FrameType


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


def handle_interrupts() -> None:
    """Makes signals to stop end the main thread by KeyboardInterrupt, and keeps all other threads quiet then.

    The Automation API's threads trip over the pipes of the engine that goes away under them; nobody needs to read it.
    """
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # `nohup` ignores it
        signal.signal(signal.SIGHUP, _interrupt)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    threading.excepthook = _ignore
    warnings.simplefilter("ignore")
    raise KeyboardInterrupt


def _ignore(_: threading.ExceptHookArgs) -> None:
    pass
