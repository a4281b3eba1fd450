"""The program `ckf-spot`; each command is a module of its own."""

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from ckf_spot import install
from ckf_spot.commands import doctor, generate, output, place, where
from ckf_spot.errors import PlacementError

_COMMANDS: Final = (place, generate, where, doctor)
_WRONG: Final = 2
"""Exit code where the request can't be carried out; nothing is written then."""
_INTERRUPTED: Final = 130
"""Exit code after Ctrl-C: what a shell gives a program that SIGINT ended."""

_LONE_DASHES: Final = re.compile(r"(--[^=]+|-[a-zA-Z])=?--")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: without the program's name; None: those of the command line.

    Returns:
        The exit code: 0, or 2 where the request can't be carried out.
    """
    parser = _Parser(prog="ckf-spot", description="Places Kubeflow's batch work on spot nodes.")
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="show the version and where it was installed from"
    )
    commands: Any = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_to(commands)
    arguments = sys.argv[1:] if arguments is None else arguments
    parser.refuse_lone_dashes(arguments)
    try:
        options = parser.parse_args(arguments)
        return options.run(options)
    except PlacementError as error:
        sys.stderr.writelines(f"ckf-spot: {_line(mistake)}\n" for mistake in error.mistakes)
        return _WRONG
    except KeyboardInterrupt:
        return _INTERRUPTED


class _Parser(argparse.ArgumentParser):
    """Reports in one line what is wrong with the arguments, without the usage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("action", None, _Once)

    def error(self, message: str) -> NoReturn:
        self.exit(_WRONG, f"{self.prog}: {_line(message)}\n")

    def refuse_lone_dashes(self, arguments: Sequence[str]) -> None:
        """Refuses `--pool=--`: argparse made an empty list of it until Python 3.11.8 (python/cpython#109475)."""
        for argument in filter(None, map(_LONE_DASHES.fullmatch, arguments)):
            self.error(f"argument {argument[1]}: expected one argument")


class _Once(argparse.Action):
    """Keeps a value, of which argparse itself would take the last one."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: object
    ) -> None:
        if getattr(namespace, self.dest, self.default) is not self.default:
            parser.error(f"argument {'/'.join(self.option_strings)}: expected once")
        setattr(namespace, self.dest, values)


def _line(text: object) -> str:
    """A text on one line, even where a name in it has several."""
    return " ".join(str(text).splitlines())


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        output.write(f"ckf-spot {install.description()}\n", output.STANDARD)
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
