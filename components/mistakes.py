"""Arguments that a component refuses: every mistake at once, one line each, without a traceback."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import pulumi


@dataclass(frozen=True)
class Mistake:
    """One argument that cannot be used."""

    key: str
    """Path of the argument as Pulumi's schema names it, for instance `pools[1].maxPrice`."""
    value: object
    """What was given; None where it was left out."""
    expected: str
    """What is allowed."""

    @property
    def reason(self) -> str:
        """The mistake without its key."""
        shown = "nothing" if self.value is None else json.dumps(self.value, default=repr)
        return f"{shown} is not allowed; expected {self.expected}"

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}"


class ArgumentsError(pulumi.RunError):
    """A component's arguments cannot be used; nothing of it was registered."""

    def __init__(self, component: str, mistakes: Iterable[Mistake]) -> None:
        """Tells all mistakes.

        Args:
            component: name of the component.
            mistakes: what is wrong, at least one.
        """
        self.mistakes = tuple(mistakes)
        super().__init__(
            "\n".join([f"{component}: arguments that cannot be used:", *map(str, self.mistakes)])
        )


def refuse(component: str, mistakes: Iterable[Mistake]) -> None:
    """Refuses arguments with mistakes.

    Raises:
        ArgumentsError: there is at least one.
    """
    if found := tuple(mistakes):
        raise ArgumentsError(component, found)
