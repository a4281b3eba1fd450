"""The page of commands, generated from the commands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from kubeflow_aks.cli.commands import PROGRAM, kubeflow_aks
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.exit_codes import ExitCode

PAGE: Final = Path("docs/reference/commands.md")
_WIDTH: Final = 100
_HEAD: Final = f"""\
# Commands

<!-- Generated from packages/kubeflow-aks/src/kubeflow_aks/cli/ by `make docs`. -->

`./kubeflow-aks COMMAND --help` shows the same. A shell completes commands, options and names of stacks after
`eval "$(_KUBEFLOW_AKS_COMPLETE=bash_source ./{PROGRAM})"` (also `zsh_source` and `fish_source`).

## Exit codes

Every command returns {ExitCode.USAGE:d} where the command line is wrong and {ExitCode.INTERRUPTED:d} after SIGINT,
SIGTERM or SIGHUP. 1 is a finding or a failure; 3 means that something which the command needs for its result cannot be
read, so that there is no finding, good or bad. `make` returns 2 whatever the command returns: scripts call
`./kubeflow-aks`.
"""
_COLUMNS: Final = ("Command", "0", "1", "3")


def commands() -> Iterator[tuple[str, Command, click.Context]]:
    """Every command by its words, in the order of the help, with its context."""
    settings: dict[str, Any] = {**kubeflow_aks.context_settings, "terminal_width": _WIDTH}
    yield from _commands(kubeflow_aks, click.Context(kubeflow_aks, info_name=PROGRAM, **settings), ())


def _commands(
    group: click.Group, parent: click.Context, words: tuple[str, ...]
) -> Iterator[tuple[str, Command, click.Context]]:
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        context = click.Context(command or group, info_name=name, parent=parent, terminal_width=_WIDTH)
        if isinstance(command, click.Group):
            yield from _commands(command, context, (*words, name))
        elif isinstance(command, Command):
            yield " ".join((*words, name)), command, context


def page() -> str:
    """The page."""
    rows = [_COLUMNS, ("---",) * len(_COLUMNS)]
    rows += [
        (f"`{words}`", *(command.exit_codes.get(code, "–") for code in (0, 1, 3)))
        for words, command, _ in commands()
    ]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    helps = "".join(
        f"\n## {words}\n\n```text\n{command.get_help(context)}\n```\n"
        for words, command, context in commands()
    )
    return f"{_HEAD}\n{table}{helps}"


def generated(_root: Path) -> dict[Path, str]:
    """The page, by its path in the project."""
    return {PAGE: page()}
