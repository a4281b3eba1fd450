"""Ctrl-C and SIGTERM at any point: one clear line for the user, whatever other threads make of it."""

import signal
import threading
import warnings
from types import FrameType


def prepare() -> None:
    """Makes SIGINT and SIGTERM end the main thread by KeyboardInterrupt, and keeps all other threads quiet then.

    The Automation API's threads trip over the pipes of the engine that goes away under them; nobody needs to read it.
    """
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    threading.excepthook = _say_nothing
    warnings.simplefilter("ignore")
    raise KeyboardInterrupt


def _say_nothing(_: threading.ExceptHookArgs) -> None:
    pass
