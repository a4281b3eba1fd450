"""Errors in what a data scientist asks for."""

from collections.abc import Callable, Iterable
from typing import TypeVar

_T = TypeVar("_T")


class PlacementError(ValueError):
    """A request that can't be carried out: one line with the name, the value and what is expected."""


class ContractError(PlacementError):
    """The pools could not be read."""


class EvictionWarning(UserWarning):
    """Warning: the work is placed as asked, but an eviction would lose it."""


def one_of(what: str, value: object, allowed: Iterable[object]) -> PlacementError:
    """The error for a value that is not allowed."""
    return PlacementError(
        f"{what}: {value!r} is not allowed; expected {', '.join(map(str, allowed)) or 'none'}"
    )


class Mistakes:
    """Collects mistakes, so that all are reported at once."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def of(self, step: Callable[[], _T]) -> _T | None:
        """The result of the step, or None where it fails with a `PlacementError`."""
        try:
            return step()
        except PlacementError as error:
            self._lines.append(str(error))
            return None

    def tell(self) -> None:
        """Raises what was collected.

        Raises:
            PlacementError: with every mistake, one a line.
        """
        if self._lines:
            raise PlacementError("\n".join(dict.fromkeys(self._lines)))
