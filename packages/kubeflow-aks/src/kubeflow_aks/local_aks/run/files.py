"""Files of a run directory: written in one go, and read by one function, which names the one that is damaged."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.text.files import write_whole

T = TypeVar("T")


class DamagedFileError(CommandError):
    """A file of a local AKS is not as it was written; the text names it and the way out."""

    def __init__(self, file: Path, state: str = "is damaged") -> None:
        super().__init__(f"{file} {state}; `./kubeflow-aks local down` removes this local AKS")


def read(file: Path, parse: Callable[[str], T]) -> T:
    """What a file of a run directory holds, as `parse` makes it of the text.

    Raises:
        FileNotFoundError: there is no such file.
        DamagedFileError: the text is not UTF-8, or `parse` raises ValueError, LookupError, TypeError or AttributeError.
    """
    content = file.read_bytes()
    try:
        return parse(content.decode())
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise DamagedFileError(file) from None


def write(file: Path, text: str) -> None:
    """Writes a file for its owner only; a reader finds the text of before or all of this one."""
    write_whole(file, text, mode=0o600)
