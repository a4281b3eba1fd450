"""What the commands return, and the errors that end a command with each of these codes."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class ExitCode(IntEnum):
    """The exit codes of every command."""

    GOOD = 0
    FINDING = 1
    USAGE = 2
    INCONCLUSIVE = 3
    WILL_BREAK = 4
    INTERRUPTED = 130


class CommandError(Exception):
    """A command can't do its work; the text is all that the user needs."""

    exit_code: ExitCode = ExitCode.FINDING


class UsageError(CommandError):
    """The command line is wrong."""

    exit_code = ExitCode.USAGE


class InconclusiveError(CommandError):
    """Something that the command needs to judge can't be had: it found nothing, good or bad."""

    exit_code = ExitCode.INCONCLUSIVE


class InterruptedCommandError(CommandError):
    """A signal ended the command."""

    exit_code = ExitCode.INTERRUPTED

    def __init__(self, note: str = "") -> None:
        """`note` is what the user should know beside that."""
        super().__init__(f"interrupted{f'; {note}' if note else ''}")


_PROGRAMS: Final = {"az": "the Azure CLI", "git": "git", "pulumi": "the Pulumi CLI"}


class MissingProgramError(InconclusiveError):
    """A program that the command calls is not installed."""

    def __init__(self, program: str, instead: str = "") -> None:
        """Names what to install, or what does without it, such as `pass --outputs FILE`."""
        name = _PROGRAMS.get(program.rpartition("/")[2], program)
        super().__init__(f"`{program}` is missing; install {name}{f', or {instead}' if instead else ''}")
