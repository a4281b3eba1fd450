"""The Pulumi CLI in the folder of one project, with the backend that the environment names."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients import programs
from kubeflow_aks.clients.programs import ProgramError

_LOCKED: Final = "the stack is currently locked"
"""The CLI's message on a lock of a state that is kept in a bucket: pkg/backend/diy/lock.go."""
_LAST_LINES: Final = 5
_READ_SECONDS: Final = 300.0
"""Limit for commands that only read: our choice, many times what a state in a far bucket takes."""


class PulumiError(ProgramError):
    """`pulumi` is missing, took too long, failed, or printed something unexpected."""


class LockedError(PulumiError):
    """Another operation holds the stack's lock."""


@dataclass(frozen=True)
class Pulumi:
    """The command, by name or path, in the folder of the program."""

    project: Path
    command: str = "pulumi"

    @property
    def installed(self) -> bool:
        """Whether the program is on the PATH."""
        return programs.is_installed(self.command)

    def stacks(self) -> list[str]:
        """Names of the project's stacks in the backend.

        Raises:
            PulumiError: they cannot be listed.
        """
        text = self._run("stack", "ls", "--json", seconds=_READ_SECONDS)
        try:
            return [stack["name"].rpartition("/")[2] for stack in json.loads(text)]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise _unexpected("stack", "ls") from None

    def outputs(self, stack: str) -> str:
        """A stack's outputs as JSON text, with its secrets.

        Raises:
            PulumiError: they cannot be read.
        """
        words = ("stack", "output", "--json", "--show-secrets", "--stack", stack)
        return self._run(*words, seconds=_READ_SECONDS)

    def state(self, stack: str) -> Mapping[str, Any]:
        """A stack's deployment; its secrets stay encrypted.

        Raises:
            PulumiError: it cannot be read.
        """
        text = self._run("stack", "export", "--stack", stack, seconds=_READ_SECONDS)
        try:
            return deployment(text)
        except ValueError:
            raise _unexpected("stack", "export") from None

    def destroy(self, stack: str) -> None:
        """Destroys every resource of a stack.

        Raises:
            LockedError: another operation holds its lock.
            PulumiError: some resources are left.
        """
        self._run("destroy", "--yes", "--stack", stack)

    def remove(self, stack: str) -> None:
        """Removes a stack without resources from the backend; its file stays.

        Raises:
            PulumiError: it has resources.
        """
        self._run("stack", "rm", "--yes", "--preserve-config", "--stack", stack)

    def _run(self, *words: str, seconds: float | None = None) -> str:
        command = [self.command, *words, "--non-interactive", "--color", "never"]
        code, out, err = programs.run(command, error=PulumiError, cwd=self.project, seconds=seconds)
        if code:
            # Standard output may hold outputs that are secret; `destroy` reports its errors there.
            text = err if "--show-secrets" in words else f"{out}\n{err}"
            error = LockedError if _LOCKED in text else PulumiError
            reason = programs.reason_of(code, text, _LAST_LINES)
            raise error(f"{programs.called(['pulumi', *words])} failed: {reason}")
        return out


def deployment(text: str | bytes) -> Mapping[str, Any]:
    """The deployment in what `pulumi stack export` prints; empty before the first `up`.

    Raises:
        ValueError: the text is something else.
    """
    try:
        return json.loads(text).get("deployment") or {}
    except (AttributeError, RecursionError):
        raise ValueError("no state") from None


def _unexpected(*words: str) -> PulumiError:
    return PulumiError(
        f"{programs.called(['pulumi', *words])} printed something unexpected; expected its JSON"
    )
