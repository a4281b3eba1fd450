"""Groups of commands, each of whose commands is imported when it is called, and a command's help."""

import gc
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from kubeflow_aks.exit_codes import InconclusiveError, UsageError
from kubeflow_aks.project import IS_CHECKOUT

ALWAYS: Final = {2: "the command line is wrong", 130: "interrupted by a signal"}
"""What two exit codes mean for every command."""


class Command(click.Command):
    """A command with an example and the meaning of its exit codes.

    Attributes:
        example: words after the program's name.
        exit_codes: what 0, 1 and 3 mean here; 1 and 3 may be missing.
        takes_minutes: whether its process lives so long that it needs Python's garbage collector.
        needs_checkout: whether it works in a checkout of this repository only, not where the package is installed.
        needs_unix: whether it works on Linux and macOS only.
        extra: of the installed package, with what the command imports; empty for none.
    """

    def __init__(
        self,
        *args: Any,
        example: str,
        exit_codes: Mapping[int, str],
        takes_minutes: bool = False,
        needs_checkout: bool = False,
        needs_unix: bool = False,
        extra: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.exit_codes = {**exit_codes, **ALWAYS}
        self.takes_minutes = takes_minutes
        self.needs_checkout = needs_checkout
        self.needs_unix = needs_unix
        self.extra = extra

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command, with the garbage collector if it takes minutes.

        Raises:
            UsageError: it does not work in this place or on this system.
            InconclusiveError: a package of its extra is missing.
        """
        if self.needs_checkout and not IS_CHECKOUT:
            raise UsageError(f"`{ctx.command_path}` works in a checkout of kubeflow-aks only")
        if self.needs_unix and sys.platform == "win32":
            raise UsageError(f"`{ctx.command_path}` works on Linux and macOS only")
        if self.takes_minutes:
            gc.enable()
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            raise InconclusiveError(
                f"the package {error.name} is missing; install kubeflow-aks[{self.extra}]"
            ) from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the example and the exit codes."""
        with formatter.section("Example"):
            formatter.write_text(f"{ctx.find_root().info_name} {self.example}")
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), text) for code, text in sorted(self.exit_codes.items())])


class OrderedGroup(click.Group):
    """A group whose help lists its commands as they are written."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as declared
        """The names, in the order of the help."""
        return list(self.commands)


class LazyGroup(click.Group):
    """A group that knows the modules of its commands; a module of several has each under its name."""

    def __init__(self, *args: Any, modules: Mapping[str, str], **kwargs: Any) -> None:
        """Takes the module of each command, by the command's name, in the order of the help."""
        super().__init__(*args, **kwargs)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as declared
        """The names, in the order of the help."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as declared
        """Imports a command."""
        if cmd_name not in self._modules:
            return None
        module = import_module(self._modules[cmd_name])
        return getattr(module, "command", None) or getattr(module, cmd_name)
