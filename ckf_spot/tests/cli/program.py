"""What running the program gives."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

POOLS: Final = Path(__file__).parents[1] / "demo_pools.json"
"""The demo stack's contract."""


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
