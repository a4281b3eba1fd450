"""Pulumi.yaml as the CLI reads it: which program runs, where the stack files are, and the defaults of settings.

Sources: `sdk/go/common/workspace/project.go`, `sdk/go/common/workspace/paths.go` and `pkg/engine/project.go` of pulumi
3.274.1. The engine checks all that is written there (`kubeflow_aks.local_aks.engine`); here is what is needed without
one.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.recorder.yaml_text import YamlError, load
from kubeflow_aks.text.escape import shortened
from kubeflow_aks.text.files import encoding

NAME = "Pulumi.yaml"
_IN_ITS_PLACE = "Pulumi.json"
"""A name that the CLI tries first (`encoding.Exts`)."""
_PROGRAM = "__main__.py"
_NO_MAPPING = "expected a mapping with `config:`"


class StackFileError(CommandError, ValueError):
    """A stack cannot be read; the text is one line for the user."""


@dataclass(frozen=True)
class ProjectFile:
    """A project's file; its properties raise `StackFileError` where it has mistakes.

    Attributes:
        root: the folder that it is in.
        content: all that it holds.
    """

    root: Path
    content: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The project's name."""
        name = self.content.get("name")
        if not isinstance(name, str) or not name:
            raise refused(f"{NAME}: name", name, "the name of the project")
        return name

    @property
    def entry(self) -> Path:
        """The folder of the program's `__main__.py`, or the file that `main` names."""
        return self._place("main", self.content.get("main"))

    @property
    def program(self) -> Path:
        """The file that runs; it may be missing."""
        return self.entry / _PROGRAM if self.entry.is_dir() else self.entry

    @property
    def stack_folder(self) -> Path:
        """The folder of the stack files; text in place of `config:` is an old way to name it."""
        old, named = self.content.get("config"), self.content.get("stackConfigDir")
        if not isinstance(old, str):
            return self._place("stackConfigDir", named)
        if "stackConfigDir" in self.content:
            raise StackFileError(
                f"{NAME}: config: {in_words(old)} is not allowed beside stackConfigDir; expected a mapping"
            )
        return self._place("config", old)

    @property
    def declared(self) -> Mapping[str, Any]:
        """What is declared under `config:`, by key."""
        declared: Any = self.content.get("config") or {}
        if isinstance(declared, str):
            return {}
        if not isinstance(declared, dict):
            raise refused(f"{NAME}: config", declared, "a mapping")
        return cast(dict[str, Any], declared)

    def full_key(self, key: str, file: str = NAME) -> str:
        """A setting's key with its namespace (`sdk/go/common/resource/config/key.go`).

        Args:
            key: as it is written.
            file: where, for the message.

        Raises:
            StackFileError: it is none.
        """
        parts = key.split(":")
        if len(parts) > 3 or (len(parts) == 3 and parts[1] != "config"):  # noqa: PLR2004
            raise refused(f"{file}: config", key, f"keys like {self.name}:protect")
        return f"{parts[0]}:{parts[-1]}" if len(parts) > 1 else f"{self.name}:{key}"

    def _place(self, key: str, value: object) -> Path:
        """A path that is relative to the project's folder; that folder where there is none."""
        if not isinstance(value, str | None):
            raise refused(f"{NAME}: {key}", value, "a path")
        return Path(os.path.normpath(self.root / (value or "")))


def read_project(root: Path) -> ProjectFile:
    """Reads the project's file in a folder.

    Raises:
        StackFileError: it is missing, is not YAML of the expected form, or the CLI reads another one in its place.
    """
    if (root / _IN_ITS_PLACE).is_file():
        raise StackFileError(
            f"{_IN_ITS_PLACE}: is not allowed; expected {NAME} only, which the CLI would not read"
        )
    return ProjectFile(root, read_mapping(root / NAME))


def read_mapping(path: Path) -> dict[str, Any]:
    """The mapping that a file of a project holds; an empty file is an empty one.

    Raises:
        StackFileError: the file is missing, or is not YAML of the expected form.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise StackFileError(f"{path.name}: no such file in {path.parent.name}/") from None
    except OSError as error:
        raise StackFileError(f"{path.name}: {error.strerror}") from None
    try:
        loaded = load(content.decode(encoding(content)))
    except UnicodeDecodeError:
        raise StackFileError(f"{path.name}: not YAML: not UTF-8 text") from None
    except YamlError as error:
        where = f" line {error.line}" if error.line else ""
        raise StackFileError(f"{path.name}{where}: {error}") from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise StackFileError(f"{path.name}: {_NO_MAPPING}")
    return cast(dict[str, Any], loaded)


def refused(place: str, value: Any, expected: str) -> StackFileError:
    """The error of a value that is not allowed in a place."""
    return StackFileError(f"{place}: {in_words(value)} is not allowed; expected {expected}")


def in_words(value: Any) -> str:
    """A value in a message."""
    return "null" if value is None else shortened(repr(value))
