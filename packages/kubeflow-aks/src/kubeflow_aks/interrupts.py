"""Signals to stop: SIGINT, SIGTERM and SIGHUP are handled alike by every command."""

import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final

from kubeflow_aks.exit_codes import ExitCode, InterruptedCommandError

SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_Handler = Callable[[int, FrameType | None], Any]


def exit_at_once() -> None:
    """A signal ends the process with one line: while modules are imported nothing is open yet."""
    _handle(_exit)


@contextmanager
def interruptible(note: str = "", *, once: bool = False) -> Generator[None]:
    """A signal raises KeyboardInterrupt in the main thread, so that the command cleans up and then ends.

    Args:
        note: what the user reads beside "interrupted".
        once: later signals are ignored, so that nothing interrupts the clean-up.

    Raises:
        InterruptedCommandError: there was a signal.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if once:
            _handle(signal.SIG_IGN)
        _quiet_threads()
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in SIGNALS}
    _handle(interrupt)
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedCommandError(note) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _handle(handler: _Handler | signal.Handlers) -> None:
    for number in SIGNALS:
        # `nohup` ignores SIGHUP. A shell ignores SIGINT for a command in its background, which may be interrupted.
        if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"error: {InterruptedCommandError()}\n")
        sys.stderr.flush()
    os._exit(ExitCode.INTERRUPTED)


def _quiet_threads() -> None:
    """Keeps other threads from reporting that the pipes of an ended program are gone."""
    import logging  # noqa: PLC0415 - not needed unless a signal comes
    import threading  # noqa: PLC0415
    import warnings  # noqa: PLC0415

    threading.excepthook = lambda _: None
    warnings.simplefilter("ignore")
    logging.disable()
