"""The table of stack files, and a folder with one of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

PROJECT = "name: project\nruntime: python\nconfig: {location: {type: string, default: westeurope}}\n"
PASSPHRASE = "passphrase"  # noqa: S105 - of nothing but the table
"""That of the encrypted values in the table, which all say `SECRET`."""
SECRET = "hush"  # noqa: S105 - the same
_TABLE: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("stack_file_table.yaml").read_text(encoding="utf-8")
)
ALIKE: dict[str, str] = _TABLE["alike"]
"""Scalars without quotes that PyYAML and the CLI read alike, with what the program gets."""
DIFFERENT: dict[str, str] = _TABLE["different"]
"""The same of those that they read differently, with what the program gets of the CLI."""


@dataclass(frozen=True, kw_only=True)
class StackFile:
    """One row of the table."""

    name: str
    file: str
    gives: Mapping[str, str] | None = None
    """Texts by full key, the default aside; None where the CLI refuses the file."""
    secret: tuple[str, ...] = ()
    refused: bool = False
    stricter: bool = False


def stack_files() -> list[StackFile]:
    """Every row of the table; the scalars are one file of each kind."""
    rows = [StackFile(**(row | {"secret": tuple(row.get("secret", ()))})) for row in _TABLE["files"]]
    return [
        scalars("scalars read alike", ALIKE),
        scalars("scalars read differently", DIFFERENT, stricter=True),
        *rows,
    ]


def scalars(name: str, texts: Mapping[str, str], *, stricter: bool = False) -> StackFile:
    """A file of scalars without quotes, each a setting of its own."""
    lines = [f"  k{number}: {scalar}\n" for number, scalar in enumerate(texts)]
    gives = {f"project:k{number}": text for number, text in enumerate(texts.values())}
    return StackFile(name=name, file="".join(["config:\n", *lines]), gives=gives, stricter=stricter)


def write(folder: Path, row: StackFile, name: str = "Pulumi.dev.yaml") -> None:
    """Makes the folder a project with this stack file."""
    if not (folder / "Pulumi.yaml").exists():
        (folder / "Pulumi.yaml").write_text(PROJECT, encoding="utf-8")
    (folder / name).write_bytes(row.file.encode())


def comparable(values: Mapping[str, str]) -> dict[str, Any]:
    """Values without the default; lists and mappings as such, because JSON has more than one text for them."""
    written = {key: text for key, text in values.items() if (key, text) != ("project:location", "westeurope")}
    return {key: json.loads(text) if text[:1] in ("[", "{") else text for key, text in written.items()}


def decrypted(value: Any, encrypted: str) -> Any:
    """A value in which what stands for encrypted ones has the text that they have."""
    if isinstance(value, dict):
        return {key: decrypted(item, encrypted) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [decrypted(item, encrypted) for item in cast(list[Any], value)]
    return SECRET if value == encrypted else value
