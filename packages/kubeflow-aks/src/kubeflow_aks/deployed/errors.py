"""The error of everything that works on a deployed stack."""

from typing import Final

from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.text.sentences import one_line

_LONGEST: Final = 600


class StackError(InconclusiveError):
    """The stack cannot be used; the text is one line for the user, with what to do.

    It is one line whatever it quotes: a server's page, the output of a program, a value of a file.
    """

    def __init__(self, text: str) -> None:
        super().__init__(one_line(text, _LONGEST))
