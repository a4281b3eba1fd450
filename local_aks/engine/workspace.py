"""The Automation API with as few calls of the engine as can be: each is a process, and most answers nobody reads.

Left alone, `Stack.up` asks for the outputs twice and for the history, which takes longer than an `up` that changes
nothing.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from pulumi import automation
from pulumi.automation._stack import StackInitMode  # pyright: ignore[reportPrivateUsage] - its only home
from pulumi.automation._stack_settings import (
    StackSettingsSecureConfigValue as _Encrypted,  # pyright: ignore[reportPrivateUsage] - its only home
)
from pulumi.automation.errors import create_command_error

_NOT_ASKED: Final = automation.UpdateSummary("", datetime.min, "", {}, {}, "")


class Workspace(automation.LocalWorkspace):
    """A workspace that need not be told which stack is meant, for every command names it."""

    def select_stack(self, stack_name: str) -> None:
        """Nothing."""

    def configure(self, stack_name: str, values: Mapping[str, str], secrets: Mapping[str, str]) -> None:
        """Gives the stack these values and secrets and no others.

        A secret that is encrypted in the stack's settings already stays as it is: encrypting costs a process.

        Args:
            stack_name: the stack.
            values: full key (`project:key`) to text.
            secrets: the same for values that stay the same as long as the stack exists.

        Raises:
            CommandError: a secret can't be encrypted.
        """
        settings = self.stack_settings(stack_name)
        kept = {
            k: v for k, v in (settings.config or {}).items() if k in secrets and isinstance(v, _Encrypted)
        }
        settings.config = {**values, **kept}
        self.save_stack_settings(stack_name, settings)
        for key in secrets.keys() - kept.keys():
            self._encrypt(stack_name, key, secrets[key])

    def _encrypt(self, stack_name: str, key: str, value: str) -> None:
        """Sets a secret by stdin; the base class's `set_config` shows it to all users in a command line."""
        command = [self.pulumi_command.command, "--cwd", self.work_dir]
        done = subprocess.run(  # noqa: S603 - the engine
            [*command, "config", "set", key, "--secret", "--stack", stack_name, "--non-interactive"],
            input=value,
            env={**os.environ, "PULUMI_HOME": self.pulumi_home or "", **self.env_vars},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise create_command_error(automation.CommandResult(done.stdout, done.stderr, done.returncode))


class Stack(automation.Stack):
    """A stack of whose operations the event stream tells all; for its outputs ask the workspace."""

    def __init__(self, name: str, workspace: Workspace, state: Path) -> None:
        """Makes the stack unless the file backend in the folder `state` has it."""
        project = workspace.project_settings().name
        known = (state / ".pulumi" / "stacks" / project / f"{name}.json").exists()
        super().__init__(name, workspace, StackInitMode.SELECT if known else StackInitMode.CREATE)

    def outputs(self) -> automation.OutputMap:
        """Nothing."""
        return {}

    def info(self, show_secrets: bool = True) -> automation.UpdateSummary:  # noqa: ARG002, FBT001, FBT002 - as declared
        """Nothing."""
        return _NOT_ASKED


class _Command(automation.PulumiCommand):
    """The engine's program; its command line names the folder it works in, by which its process is known again."""

    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: automation.OnOutput | None = None,
        on_error: automation.OnOutput | None = None,
    ) -> automation.CommandResult:
        """Run it; see the base class."""
        return super().run(["--cwd", cwd, *args], cwd, additional_env, on_output, on_error)


@cache
def command(pulumi: Path) -> automation.PulumiCommand:
    """The engine's program, which is asked for its version once."""
    return _Command(str(pulumi.parents[1]) if pulumi.parent.name == "bin" else None)
