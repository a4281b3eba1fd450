"""The `pulumi` command, as far as what ends demo stacks needs it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_LOCKED: Final = "the stack is currently locked"
"""How a lock of a state kept in a bucket is told: pkg/backend/diy/lock.go."""
_LAST_LINES: Final = 5


class PulumiError(Exception):
    """The command failed; the text is its last lines."""


class LockedError(PulumiError):
    """Somebody else is at work on the stack."""


@dataclass(frozen=True)
class Pulumi:
    """The command in the folder of one project; where the state is, its environment says."""

    project: Path
    command: str = "pulumi"

    def stacks(self) -> list[str]:
        """Names of the project's stacks in the backend.

        Raises:
            PulumiError: they can't be listed.
        """
        try:
            listed = json.loads(self._run("stack", "ls", "--json"))
            return [stack["name"].rpartition("/")[2] for stack in listed]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise PulumiError("`pulumi stack ls --json` gave another form than expected") from error

    def state(self, stack: str) -> dict[str, Any]:
        """A stack's deployment, secrets encrypted.

        Raises:
            PulumiError: it can't be read.
        """
        try:
            exported = json.loads(self._run("stack", "export", "--stack", stack))
            return exported.get("deployment") or {}
        except (ValueError, AttributeError) as error:
            raise PulumiError("the state is no JSON") from error

    def destroy(self, stack: str) -> None:
        """Destroys every resource of a stack.

        Raises:
            LockedError: somebody else is at work on it.
            PulumiError: something is left.
        """
        self._run("destroy", "--yes", "--stack", stack)

    def remove(self, stack: str) -> None:
        """Forgets a stack that has no resources.

        Raises:
            PulumiError: it has some.
        """
        self._run("stack", "rm", "--yes", "--preserve-config", "--stack", stack)

    def _run(self, *words: str) -> str:
        command: Sequence[str] = [self.command, *words, "--non-interactive", "--color", "never"]
        done = subprocess.run(  # noqa: S603 - the engine's command, and names that were looked at
            command, cwd=self.project, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        if done.returncode:
            said = [line for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
            told = "\n".join(said[-_LAST_LINES:])
            raise (LockedError if _LOCKED in done.stdout + done.stderr else PulumiError)(told)
        return done.stdout
