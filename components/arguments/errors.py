"""The error for arguments that a component refuses: every mistake at once, one line each, without a traceback."""

from collections.abc import Iterable

import pulumi

from .mistakes import Mistake


class ArgumentsError(pulumi.RunError):
    """A component's arguments cannot be used; nothing of it was registered."""

    def __init__(self, component: str, mistakes: Iterable[Mistake]) -> None:
        """Lists all mistakes.

        Args:
            component: name of the component.
            mistakes: what is wrong, at least one.
        """
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join([f"{component}: invalid arguments:", *map(str, self.mistakes)]))


def refuse(component: str, mistakes: Iterable[Mistake]) -> None:
    """Raises an error for arguments with mistakes.

    Raises:
        ArgumentsError: there is at least one.
    """
    if listed := tuple(mistakes):
        raise ArgumentsError(component, listed)
