"""The configuration that the CLI would pass to the program: defaults of Pulumi.yaml, and one stack file.

Held to the CLI by `tests/local/test_stack_files.py`; its rules are in `sdk/go/common/workspace/loaders.go`,
`sdk/go/common/resource/config/object.go` and `pkg/workspace/config.go`.
"""

import difflib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from kubeflow_aks.exit_codes import UsageError
from kubeflow_aks.recorder.project_file import (
    ProjectFile,
    StackFileError,
    in_words,
    read_mapping,
    read_project,
    refused,
)

ENCRYPTED = "\0encrypted"
"""In place of a value that only the stack's key can decrypt (`program.settings.problems.ENCRYPTED`)."""
_KEYS = ("config", "encryptedkey", "encryptionsalt", "environment", "secretsprovider")
"""What a stack file may hold (`ProjectStack` in `sdk/go/common/workspace/project.go`)."""
_DECLARATION = ("type", "description", "default", "value", "items", "secret")


class NoSuchStackError(UsageError, StackFileError):
    """No stack of this name has a file."""


@dataclass(frozen=True)
class StackConfig:
    """Configuration of one stack as the engine passes it to the program."""

    project: str
    stack: str
    values: Mapping[str, str]
    """Full key (`project:key`) to text; everything but text is JSON."""
    secret_keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What a preview can't see or the CLI doesn't read, one sentence each."""
    written: frozenset[str] = frozenset()
    """Full keys that the stack's own file has."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the stack's file and `extra` hold, by full key: text, numbers, lists and mappings; no defaults."""


def stack_names(root: Path) -> list[str]:
    """Every stack that has a file, in the project folder or where Pulumi.yaml says."""
    return sorted(
        path.name.removeprefix("Pulumi.").removesuffix(".yaml")
        for path in stack_folder(root).glob("Pulumi.*.yaml")
    )


def stack_folder(root: Path) -> Path:
    """The folder of a project's stack files; the project folder where Pulumi.yaml cannot be read."""
    try:
        return read_project(root).stack_folder
    except StackFileError:
        return root


def read_stack(
    root: Path, stack: str, extra: Mapping[str, Any] | None = None, *, draft: Mapping[str, Any] | None = None
) -> StackConfig:
    """Reads Pulumi.yaml and Pulumi.<stack>.yaml.

    Encrypted values cannot be read without the stack's key; `ENCRYPTED` stands in their place and stays secret.

    Args:
        root: the project folder.
        stack: name of the stack.
        extra: further values, as if they were in the stack file; keys without a project get this one's.
        draft: what the stack file will hold, where it is not written yet.

    Raises:
        StackFileError: a file is missing or is not YAML of the expected form.
    """
    project = read_project(root)
    name, folder = project.name, project.stack_folder
    if draft is None and stack not in stack_names(root):  # not a path: `../other` would be read, too
        stacks = ", ".join(stack_names(root)) or "none"
        raise NoSuchStackError(
            f"stack {stack!r}: no file Pulumi.{repr(stack)[1:-1]}.yaml; stacks here: {stacks}"
        )
    file = f"Pulumi.{stack}.yaml"
    content = read_mapping(folder / file) if draft is None else draft
    written_config: Any = content.get("config")
    if written_config is not None and not isinstance(written_config, dict):
        raise refused(f"{file}: config", written_config, "a mapping")
    values_by_key = {
        project.full_key(key, file): value
        for key, value in cast(dict[str, Any], written_config or {}).items()
    }
    _no_text_for_a_mapping(file, project, values_by_key)
    written = frozenset(values_by_key)
    settings = values_by_key | {project.full_key(key, file): value for key, value in (extra or {}).items()}
    values_by_key = {**_defaults(project), **settings}
    hidden = [place for key, value in values_by_key.items() for place in _encrypted(key, value)]
    secret = tuple(key for key, value in values_by_key.items() if any(_encrypted(key, value)))
    values = {key: _text(file, key, value) for key, value in values_by_key.items()}
    return StackConfig(
        name,
        stack,
        values,
        secret,
        tuple(_notes(file, content, hidden)),
        written,
        {key: _plain(file, key, value) for key, value in settings.items()},
    )


def _notes(file: str, content: Mapping[str, Any], hidden: list[str]) -> Iterator[str]:
    for key in content.keys() - {*_KEYS}:
        if close := difflib.get_close_matches(key.lower(), _KEYS, n=1, cutoff=0.7):
            raise refused(file, key, close[0])
        if not key.startswith("x-"):  # the usual place of what is used by `*alias` further down
            yield f"{file}: unknown key {in_words(key)}; Pulumi ignores it (known keys: {', '.join(_KEYS)})"
    if content.get("environment"):
        yield f"{file}: environment: its values come from Pulumi ESC, where a preview without an account reads none"
    if hidden:
        yield f"{file}: encrypted values, so rules that need them were not checked: {', '.join(sorted(hidden))}"


def _encrypted(path: str, value: Any) -> Iterator[str]:
    """Paths of encrypted values: mappings of one key `secure` with a text."""
    if _is_encrypted(value):
        yield path
    elif isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield from _encrypted(f"{path}.{key}", item)
    elif isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from _encrypted(f"{path}[{number}]", item)


def _is_encrypted(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and list(cast(dict[str, Any], value)) == ["secure"]
        and isinstance(value["secure"], str)
    )


def _text(file: str, key: str, value: Any) -> str:
    """A value as the engine passes it; no value at all is an empty text."""
    plain = _plain(file, key, value)
    if plain is None or isinstance(plain, str):
        return plain or ""
    if isinstance(plain, int | float) and not isinstance(plain, bool):
        return json.dumps(plain)
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False, sort_keys=True)


def _plain(file: str, key: str, value: Any) -> Any:
    if _is_encrypted(value):
        return ENCRYPTED
    if isinstance(value, dict):
        return {k: _plain(file, key, item) for k, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list | tuple):
        return [_plain(file, key, item) for item in cast(list[Any], value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise StackFileError(f"{file}: {key}: {value} is not allowed; expected a finite number")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _no_text_for_a_mapping(file: str, project: ProjectFile, settings: Mapping[str, Any]) -> None:
    """The CLI refuses text where Pulumi.yaml declares a mapping, also text that is JSON or is decrypted to it.

    Other values of a wrong type are left to the program, which reports all of them at once.
    """
    name = project.name
    for key, declaration in project.declared.items():
        if not isinstance(declaration, dict) or cast(dict[str, Any], declaration).get("type") != "object":
            continue
        value = settings.get(project.full_key(key))
        what = f"{file}: {name}:{key}"
        if _is_encrypted(value):
            raise StackFileError(
                f"{what}: [secret] is not allowed; expected a mapping with encrypted values, because the CLI "
                "takes what is encrypted as a whole for text"
            )
        if isinstance(value, str) and value.lstrip().startswith("{"):
            raise refused(what, value, "a mapping without quotes")


def _defaults(project: ProjectFile) -> dict[str, Any]:
    """What Pulumi.yaml gives to every stack."""
    defaults: dict[str, Any] = {}
    for key, declaration in project.declared.items():
        full = project.full_key(key)
        if isinstance(declaration, str | bool | int | list):  # the short form
            defaults[full] = declaration
        elif not isinstance(declaration, dict) or declaration.keys() - {*_DECLARATION}:
            keys = ", ".join(_DECLARATION)
            raise refused(f"Pulumi.yaml: config.{key}", declaration, f"a mapping of {keys}")
        else:
            entry = cast(dict[str, Any], declaration)
            value = entry.get("default") if entry.get("default") is not None else entry.get("value")
            if value is not None:
                defaults[full] = value
    return defaults
