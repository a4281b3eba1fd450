"""A command as a process, and as a function that returns its exit code."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

import click

from kubeflow_aks.cli.commands import PROGRAM, kubeflow_aks
from kubeflow_aks.exit_codes import CommandError, ExitCode, InterruptedCommandError
from kubeflow_aks.text import output


def run() -> NoReturn:
    """Runs the command line of this process and ends it."""
    gc.disable()  # the SDKs make a million objects, none of them garbage; `Command.takes_minutes` enables it
    os._exit(output.run(main))  # Python would take a second to free the SDKs' classes one by one


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line, by default that of this process, and returns its exit code."""
    words = None if arguments is None else list(arguments)
    return ended(lambda: kubeflow_aks.main(words, prog_name=PROGRAM, standalone_mode=False))


def ended(work: Callable[[], int | None]) -> int:
    """The exit code of a command's work; whatever goes wrong is reported on stderr without a traceback."""
    try:
        return work() or ExitCode.GOOD
    except click.UsageError as error:
        _error(_usage(error))
        return ExitCode.USAGE
    except CommandError as error:
        _error("\n".join([str(error), *getattr(error, "__notes__", ())]))
        return error.exit_code
    except BrokenPipeError:
        raise
    except OSError as error:
        _error(f"{reason(error)}: {error.filename}" if error.filename else reason(error))
        return ExitCode.FINDING
    except click.Abort:
        _error(str(InterruptedCommandError()))
        return ExitCode.INTERRUPTED


def reason(error: OSError) -> str:
    """Why the system refuses, in words."""
    return "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)


def _usage(error: click.UsageError) -> str:
    """A mistake on the command line, as all other mistakes are reported."""
    text = error.format_message()
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter):
        parameter = error.param
        name = error.param_hint or (
            parameter
            and (
                parameter.opts[-1] if parameter.param_type_name == "option" else parameter.human_readable_name
            )
        )
        text = f"{name}: {error.message}"
    where = f"; see `{error.ctx.command_path} --help`" if error.ctx else ""
    return f"{text.rstrip('.')}{where}"


def _error(text: str) -> None:
    print(f"error: {text}", file=sys.stderr, flush=True)
