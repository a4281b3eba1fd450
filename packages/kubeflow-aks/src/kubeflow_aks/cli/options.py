"""Arguments and options that several commands have."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.project import project_root

FILE: Final = click.Path(path_type=Path, exists=True, dir_okay=False)
"""An existing file."""
FOLDER: Final = click.Path(path_type=Path)
_DIGITS: Final = 6
_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Choice(click.Choice[str]):
    """One of some words."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002 - as declared
        """The message, in the form of all others."""
        return f"{value} is not allowed; expected one of {', '.join(self.choices)}"


class Whole(click.ParamType[int, str]):
    """A whole number between two limits, both included."""

    name = "number"

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of a text."""
        if isinstance(value, int):  # the default
            return value
        number = int(value) if value.isascii() and value.isdecimal() and len(value) <= _DIGITS else None
        if number is None or not self._least <= number <= self._most:
            limits = f"from {self._least} to {self._most}"
            self.fail(f"{value} is not allowed; expected a whole number {limits}", param, ctx)
        return number


class Number(click.ParamType[float, str]):
    """A number between two limits, both included."""

    name = "number"

    def __init__(self, least: float, most: float, expected: str = "") -> None:
        self._least, self._most = least, most
        self._expected = expected or f"a number from {least:g} to {most:g}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of a text."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan  # outside of all limits
        if not self._least <= number <= self._most:
            self.fail(f"{value} is not allowed; expected {self._expected}", param, ctx)
        return number


SECONDS: Final = Number(sys.float_info.min, sys.float_info.max, "a number of seconds above 0")
"""A time above 0."""


def stacks(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of stacks that a shell completes."""
    from kubeflow_aks.recorder.stack_files import stack_names

    try:
        names = stack_names(project_root(ctx.params.get("root")))
    except (CommandError, OSError):
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def locations(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Regions of Azure that a shell completes."""
    from aks_facts import regions

    return [CompletionItem(name) for name in regions() if name.startswith(incomplete)]


def stack(default: str | None = "dev") -> _Decorator:
    """The argument STACK."""
    return click.argument("stack", required=False, default=default, shell_complete=stacks)


root = click.option(
    "--root",
    type=FOLDER,
    metavar="DIR",
    help="Folder of Pulumi.yaml; by default the nearest one from here upwards.",
)
build = click.option(
    "--build",
    type=FOLDER,
    metavar="DIR",
    help="Folder for what is written; by default `build` in the project.",
)
outputs = click.option(
    "--outputs",
    type=FILE,
    metavar="FILE",
    help="Read the stack's outputs from this file, written by `pulumi stack output --json --show-secrets`.",
)

speed = click.option(
    "--speed",
    type=Number(1, 120),
    default=60.0,
    show_default=True,
    help="Simulated seconds in one second.",  # beyond 120 an eviction notice is too short for the real controllers
)


def form(*forms: str) -> _Decorator:
    """The option --format; the first is the default."""
    return click.option(
        "--format", "form", type=Choice(forms), default=forms[0], help="How the result is written."
    )
