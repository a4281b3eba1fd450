"""The error that carries every mistake in the settings."""

from collections.abc import Iterable

from components.arguments.mistakes import HIDDEN, Mistake

ENCRYPTED = HIDDEN
"""Text that replaces a value that a preview cannot decrypt (`kubeflow_aks.recorder.stack_files.ENCRYPTED`)."""


class SettingsError(ValueError):
    """The settings cannot be used; the text holds one line per mistake."""

    def __init__(self, problems: Iterable[Mistake]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))
