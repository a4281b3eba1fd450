"""What running the program gives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ckf_spot import sources

POOLS: Final = sources.SAMPLE
"""The pools that a stack with the program's defaults has."""


@dataclass(frozen=True)
class Ran:
    """How the program ended.

    Attributes:
        code: the exit code.
        output: standard output.
        errors: lines of standard error.
    """

    code: int
    output: str
    errors: list[str]


Run = Callable[..., Ran]
