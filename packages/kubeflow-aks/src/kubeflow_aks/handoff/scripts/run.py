"""Runs one program for the scripts: shows and keeps its output, ends it in time, and lets it clean up when interrupted.

It runs beside the scripts wherever they are copied to, on Linux and macOS, so it needs nothing but Python 3.9.
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO

TIMED_OUT = 124
"""Exit code of a program that did not end in time, as `timeout` of GNU coreutils has it."""
INTERRUPTED = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_ONE_SIGNAL_SECONDS = 1.0
"""Signals that come so close to one another are one: a terminal's Ctrl-C comes here and by the script too."""
_GRACE_SECONDS = 10.0
"""How long a program may clean up that did not end in time."""
_PROGRESS_SECONDS = 15.0
_POLL_SECONDS = 0.05


class Runner:
    """Runs one program.

    It gets a session of its own, so that a signal reaches it from here only, and only once: a second one means to
    Terraform that its state may be lost. The first one is always Ctrl-C's, which both clean up after. The second one
    ends Juju too, which ignores Ctrl-C while it waits for the controller's pod (tests/local/handoff).
    """

    def __init__(self, log: Path) -> None:
        self._interrupted = 0.0
        self._next = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
        self._process: subprocess.Popen[bytes] | None = None
        self._log = log.open("wb")
        self._shown = True
        for number in _SIGNALS:
            signal.signal(number, self._interrupt)

    def run(self, name: str, command: list[str], *, limit: float | None, quiet: bool) -> int:
        """Waits for its end, at most `limit` seconds; returns its exit code, `TIMED_OUT` or `INTERRUPTED`.

        Args:
            name: what the progress line calls it.
            command: the program and its arguments.
            limit: none, and it runs as long as it likes.
            quiet: what it prints is an answer for the caller; what it complains about is only kept.
        """
        process = self._process = subprocess.Popen(  # noqa: S603 - what the scripts run
            command,
            stdout=None if quiet else subprocess.PIPE,
            stderr=self._log if quiet else subprocess.STDOUT,
            start_new_session=True,
            close_fds=False,  # the scripts' lock: a program that outlives them still keeps others out
        )
        if self._interrupted:
            self._send(self._next.pop())
        begun = time.monotonic()
        due, end = begun + _PROGRESS_SECONDS, begun + limit if limit else float("inf")
        timed_out = False
        while process.poll() is None:
            self._copy(process.stdout, _POLL_SECONDS)
            now = time.monotonic()
            if limit and now >= due:
                due += _PROGRESS_SECONDS
                _say(f"{name}: no answer yet, {now - begun:.0f} of {limit:.0f} s")
            if now >= end:
                self._send(signal.SIGKILL if timed_out else signal.SIGINT)
                timed_out, end = True, now + _GRACE_SECONDS
        self._copy(process.stdout, 0)
        if self._interrupted:
            return INTERRUPTED
        if timed_out:
            return TIMED_OUT
        return process.returncode if process.returncode >= 0 else 128 - process.returncode

    def _copy(self, pipe: IO[bytes] | None, seconds: float) -> None:
        """Shows and keeps what was printed, waiting for it at most so long."""
        if pipe is None or pipe.closed:
            time.sleep(seconds)
            return
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while selector.select(seconds):
                text = os.read(pipe.fileno(), 65_536)
                if not text:
                    pipe.close()
                    return
                self._log.write(text)
                self._log.flush()
                self._show(text)

    def _show(self, text: bytes) -> None:
        """A reader that went away, such as a closed terminal, must not end the program."""
        try:
            while text and self._shown:
                text = text[os.write(1, text) :]
        except OSError:
            self._shown = False

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        last = self._interrupted
        if now - last < _ONE_SIGNAL_SECONDS:
            return
        self._interrupted = now  # before anything else: the script's own signal may come in between
        if not last:
            _say("interrupted: it gets time to clean up; interrupt again to end it at once")
        if self._process is not None and self._next:
            self._send(self._next.pop())

    def _send(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)


def _say(text: str) -> None:
    """Prints a line, where somebody still reads."""
    with suppress(OSError):
        os.write(2, f"{text}\n".encode())


def main() -> int:
    """Parses the command line; the program's own begins after `--`."""
    parser = argparse.ArgumentParser(prog="run.py")
    parser.add_argument("--log", required=True, type=Path)
    parser.add_argument("--limit", type=float, help="seconds after which it is ended")
    parser.add_argument(
        "--quiet", action="store_true", help="leave its output to the caller, keep its errors only"
    )
    parser.add_argument("name")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command: list[str] = options.command[1:] if options.command[:1] == ["--"] else options.command
    try:
        return Runner(options.log).run(options.name, command, limit=options.limit, quiet=options.quiet)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # a signal that comes while Python ends itself would be the exit code
