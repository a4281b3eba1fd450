"""The files that a command reads: as kubectl takes them, several, folders, and standard input."""

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ckf_spot import yaml_text
from ckf_spot.commands import output
from ckf_spot.errors import ABSENT, Mistake, Mistakes, refuse
from ckf_spot.files import readable_errors
from ckf_spot.yaml_text import Stream

STANDARD_INPUT: Final = "standard input"
"""Origin of what was read there."""
_ENDINGS: Final = (".json", ".yaml", ".yml")
"""Endings of those files of a folder that are read (`staging/src/k8s.io/cli-runtime/pkg/resource/builder.go`)."""
_SEPARATED: Final = re.compile(r"\ufeff?(?:[ \t]*(?:#[^\n]*)?\r?\n)*---(?:\s|$)")
"""A text that begins with the mark of a document."""


@dataclass(frozen=True)
class Input:
    """What was read.

    Attributes:
        origin: name for messages.
        stream: the documents.
    """

    origin: str
    stream: Stream


def add_to(command: argparse.ArgumentParser, *, required: bool) -> None:
    """Adds the option to a command's parser."""
    command.add_argument(
        "-f",
        "--file",
        action="append",
        default=[],
        required=required,
        metavar="FILE",
        help="YAML or JSON, one document or many; a folder's files, without those of its folders; - is standard "
        "input; may be given several times",
    )


def read(names: Sequence[str]) -> list[Input]:
    """What was named, in this order.

    Raises:
        PlacementError: with every file that can't be read or is malformed.
    """
    refuse(
        Mistake("-f", name, "name it once", "is given several times")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    )
    mistakes = Mistakes()
    paths = [path for name in names for path in mistakes.catch(lambda name=name: list(_paths(name))) or ()]
    inputs = [mistakes.catch(lambda path=path: _input(path)) for path in paths]
    mistakes.raise_all()
    return [source for source in inputs if source]


def joined(texts: Sequence[str]) -> str:
    """The texts of several files as one stream of documents."""
    made = texts[0]
    for text in texts[1:]:
        ended = made if made.endswith("\n") or not made else f"{made}\n"
        mark = "...\n" if text.lstrip().startswith("%") else "" if _SEPARATED.match(text) else "---\n"
        made = ended + mark + text.removeprefix("\ufeff")
    return made


def _paths(name: str) -> Iterator[str]:
    """The files that a name stands for; PlacementError where a folder can't be read, or has none."""
    if name == output.STANDARD or not Path(name).is_dir():
        yield name
        return
    with readable_errors(name, "read"):
        files = sorted(file for file in Path(name).iterdir() if file.suffix in _ENDINGS and file.is_file())
    if not files:
        refuse(
            [Mistake(name, ABSENT, f"expected files that end with {', '.join(_ENDINGS)}", "has none to read")]
        )
    yield from map(str, files)


def _input(name: str) -> Input:
    origin = STANDARD_INPUT if name == output.STANDARD else name
    return Input(origin, yaml_text.load(output.read(name), origin))
