"""Mistakes in what a data scientist asks for, and the errors that carry them."""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

ABSENT: Final = object()
"""Value of a mistake that is about something left out, or about a name and not its value."""


@dataclass(frozen=True)
class Mistake:
    """One mistake; its text is one line, `{path}: {value} is not allowed; expected {allowed}`.

    Attributes:
        path: where: an argument (`retries`), or a field (`spec.template.spec.nodeSelector`); empty where it is about no
            argument and no field.
        value: what was found there, shown shortened; ABSENT where the problem says it all.
        problem: what is wrong with it.
        expected: what to do instead, as in `expected 1 to 4` or `leave it out`; empty where that is plain.
        certain: False: a newer release, or what is installed on the nodes, may make it right, so it is reported and not
            refused.
    """

    path: str
    value: object
    expected: str
    problem: str = "is not allowed"
    certain: bool = True

    def under(self, *prefixes: str) -> Mistake:
        """The same mistake with a file's and an object's name before its path."""
        return dataclasses.replace(self, path=": ".join(filter(None, (*prefixes, self.path))))

    def __str__(self) -> str:
        text = self.problem if self.value is ABSENT else f"{reprlib.repr(self.value)} {self.problem}"
        if self.path:
            text = f"{self.path}{' ' if text == MISSING else ': '}{text}"
        return f"{text}; {self.expected}" if self.expected else text


MISSING: Final = "is missing"


def missing(path: str, expected: str = "") -> Mistake:
    """The mistake of leaving a field out."""
    return Mistake(path, ABSENT, expected, MISSING)


def not_one_of(path: str, value: object, allowed: Iterable[object]) -> Mistake:
    """The mistake of a value that is none of those allowed, or is left out."""
    expected = f"expected {', '.join(map(str, allowed)) or 'none'}"
    return missing(path, expected) if value is None else Mistake(path, value, expected)


def refusal(path: str, value: object, expected: str, problem: str = "is not allowed") -> PlacementError:
    """The error for one mistake."""
    return PlacementError(Mistake(path, value, expected, problem))


class PlacementError(ValueError):
    """A request that can't be carried out; nothing was changed. Its text is one line for each mistake.

    Attributes:
        mistakes: all of them, in the order in which they were found, each once.
    """

    def __init__(self, *mistakes: Mistake | str) -> None:
        """Takes the mistakes; a text is one that is about no argument and no field."""
        made = (
            mistake if isinstance(mistake, Mistake) else Mistake("", ABSENT, "", mistake)
            for mistake in mistakes
        )
        self.mistakes = tuple({str(mistake): mistake for mistake in made}.values())
        super().__init__(*self.mistakes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.mistakes))


class ContractError(PlacementError):
    """The pools could not be read."""


class EvictionWarning(UserWarning):
    """Warning: the work is placed, but an eviction would lose it, or something in it is not known here."""


class Mistakes:
    """Collects mistakes, so that all are reported at once.

    Attributes:
        doubts: those that are not certain, which `raise_all` leaves out.
    """

    def __init__(self) -> None:
        self._mistakes: list[Mistake] = []
        self.doubts: list[Mistake] = []

    def add(self, mistakes: Iterable[Mistake]) -> bool:
        """Adds what was found; whether one of it is certain."""
        every = [*mistakes]
        certain = [one for one in every if one.certain]
        self._mistakes += certain
        self.doubts += (one for one in every if not one.certain)
        return bool(certain)

    def catch(self, step: Callable[[], _T]) -> _T | None:
        """The result of the step, or None where it fails with a `PlacementError`."""
        try:
            return step()
        except PlacementError as error:
            self._mistakes += error.mistakes
            return None

    def raise_all(self) -> None:
        """Raises the certain ones, if there are any.

        Raises:
            PlacementError: with every mistake.
        """
        refuse(self._mistakes)


def together(*steps: Callable[[], Any]) -> tuple[Any, ...]:
    """The result of each step; where several fail, their mistakes are reported together.

    Raises:
        PlacementError: with every mistake.
    """
    mistakes = Mistakes()
    results = tuple(mistakes.catch(step) for step in steps)
    mistakes.raise_all()
    return results


def refuse(problems: Iterable[Mistake]) -> None:
    """Raises what was found, if anything was.

    Raises:
        PlacementError: with every mistake.
    """
    if mistakes := tuple(problems):
        raise PlacementError(*mistakes)
