"""The Automation API with as few calls of the engine as possible, for each call is a process.

Unchanged, `Stack.up` reads the outputs twice and for the history, which takes longer than an `up` that changes
nothing, and nothing here reads the answers.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from pulumi import automation
from pulumi.automation._stack import StackInitMode  # pyright: ignore[reportPrivateUsage] - its only home
from pulumi.automation._stack_settings import (
    StackSettingsSecureConfigValue as _Encrypted,  # pyright: ignore[reportPrivateUsage] - its only home
)
from pulumi.automation.errors import create_command_error
from semver import VersionInfo

from kubeflow_aks.local_aks.run import files
from kubeflow_aks.tools.manifest import PULUMI_VERSION

_NOT_ASKED: Final = automation.UpdateSummary("", datetime.min, "", {}, {}, "")


class Workspace(automation.LocalWorkspace):
    """A workspace without a selected stack, for every command names its stack.

    Attributes:
        language_host: address of the host that serves the program, while one does.
    """

    language_host: str = ""

    def serialize_args_for_op(self, stack_name: str) -> list[str]:  # noqa: ARG002 - as declared
        """Arguments for every operation."""
        return [f"--client={self.language_host}"] if self.language_host else []

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

    def unprotect(self, stack_name: str) -> None:
        """Takes the protection off every resource in a stack's state.

        Raises:
            CommandError: the state can't be read or written.
        """
        self._run_pulumi_cmd_sync(["state", "unprotect", "--all", "--yes", "--stack", stack_name])

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
    """A stack whose operations are reported by the event stream; its outputs are the workspace's to give."""

    workspace: Workspace

    def __init__(self, name: str, workspace: Workspace, state: Path) -> None:
        """Makes the stack unless the file backend in the folder `state` has it."""
        project = workspace.project_settings().name
        self._checkpoint = state / ".pulumi" / "stacks" / project / f"{name}.json"
        known = self._checkpoint.exists()
        super().__init__(name, workspace, StackInitMode.SELECT if known else StackInitMode.CREATE)

    def deployment(self) -> dict[str, Any]:
        """The last deployment as `pulumi stack export` gives it, secrets encrypted; empty before the first.

        Raises:
            FileNotFoundError: there is no state.
            DamagedFileError: it is not complete.
        """
        return files.read(self._checkpoint, deployment)

    def outputs(self) -> automation.OutputMap:
        """Nothing."""
        return {}

    def info(self, show_secrets: bool = True) -> automation.UpdateSummary:  # noqa: ARG002, FBT001, FBT002 - as declared
        """Nothing."""
        return _NOT_ASKED


def checkpoints(state: Path) -> list[Path]:
    """The files of a file backend that have a stack's state each."""
    return sorted(state.glob(".pulumi/stacks/*/*.json"))


def deployment(text: str) -> dict[str, Any]:
    """The last deployment in a stack's state; empty before the first.

    Raises:
        LookupError, TypeError, ValueError or AttributeError: the text is no state.
    """
    return json.loads(text)["checkpoint"].get("latest") or {}


class Command(automation.PulumiCommand):
    """The engine's program; its command line names the folder it works in, by which its process is known again."""

    def __init__(self, pulumi: Path) -> None:  # pyright: ignore[reportMissingSuperCall]
        """The pinned version, which `tools` has checked; `pulumi version` would write a log to `~/.pulumi`."""
        self.command = str(pulumi)
        self.version = VersionInfo.parse(PULUMI_VERSION)

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
