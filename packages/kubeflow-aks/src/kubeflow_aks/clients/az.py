"""The Azure CLI, `az`, signed in as the caller."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.clients import programs
from kubeflow_aks.clients.programs import ProgramError

_CODE: Final = re.compile(r"\((?P<code>[A-Za-z0-9_.]+)\)")
"""Azure's error code at the beginning of a message: `(ResourceNotFound) The Resource …`."""


class AzError(ProgramError):
    """`az` is missing, not signed in, took too long, was refused, or printed something unexpected.

    Attributes:
        code: Azure's error code, such as `ResourceNotFound`; empty if there is none.
    """

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Az:
    """The command, by name or path, and the time limit of one call."""

    command: str = "az"
    seconds: float = 60.0

    @property
    def installed(self) -> bool:
        """Whether the program is on the PATH."""
        return programs.is_installed(self.command)

    def run(self, *words: str) -> str:
        """What a command prints.

        Raises:
            AzError: it fails; what it printed to standard output is in no message.
        """
        code, out, err = programs.run([self.command, *words], error=AzError, seconds=self.seconds)
        if code:
            errors = [line for line in err.splitlines() if line.startswith("ERROR:")]
            reason = (errors or [programs.reason_of(code, err)])[0].removeprefix("ERROR:").strip()
            match = _CODE.match(reason)
            raise AzError(f"{self._called(words)} failed: {reason}", match["code"] if match else "")
        return out

    def json(self, *words: str) -> Any:
        """What a command prints, as JSON.

        Raises:
            AzError: it fails, or prints something else.
        """
        text = self.run(*words, "--output", "json")
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise self.unexpected(*words) from None

    def unexpected(self, *words: str) -> AzError:
        """The error for a command that printed something unexpected."""
        return AzError(
            f"{self._called(words)} printed something unexpected; expected its JSON, run it by hand"
        )

    def _called(self, words: tuple[str, ...]) -> str:
        return programs.called(["az", *words])
