"""The program `ckf-spot`; each command is a module of its own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from ckf_spot.commands import doctor, generate, place
from ckf_spot.errors import PlacementError
from ckf_spot.where import command as where_command

_COMMANDS: Final = (place, generate, where_command, doctor)
_WRONG: Final = 2
"""Exit code where the request can't be carried out; nothing is written then."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: without the program's name; None: those of the command line.

    Returns:
        The exit code: 0, or 2 where the request can't be carried out.
    """
    parser = _Parser(prog="ckf-spot", description="Places Kubeflow's batch work on spot nodes.")
    commands: Any = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_to(commands)
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except PlacementError as error:
        sys.stderr.writelines(f"ckf-spot: {each}\n" for each in error.mistakes)
        return _WRONG


class _Parser(argparse.ArgumentParser):
    """Reports in one line what is wrong with the arguments, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(_WRONG, f"{self.prog}: {message}\n")


if __name__ == "__main__":
    sys.exit(main())
