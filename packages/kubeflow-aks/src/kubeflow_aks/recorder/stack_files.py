"""The configuration that the CLI would pass to the program: defaults of Pulumi.yaml, and one stack file.

Held to the CLI by `tests/local/test_stack_files.py`; its rules are in `sdk/go/common/workspace/loaders.go`,
`sdk/go/common/resource/config/object.go` and `pkg/workspace/config.go`.
"""

import difflib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from kubeflow_aks.exit_codes import CommandError, UsageError
from kubeflow_aks.recorder.yaml_text import YamlError, load
from kubeflow_aks.text.escape import shortened

ENCRYPTED = "\0encrypted"
"""In place of a value that only the stack's key can decrypt (`program.settings.problems.ENCRYPTED`)."""
_KEYS = ("config", "encryptedkey", "encryptionsalt", "environment", "secretsprovider")
"""What a stack file may hold (`ProjectStack` in `sdk/go/common/workspace/project.go`)."""
_DECLARATION = ("type", "description", "default", "value", "items", "secret")
_NO_MAPPING = "expected a mapping with `config:`"


class StackFileError(CommandError, ValueError):
    """A stack cannot be read; the text is one line for the user."""


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


def stack_names(root: Path) -> list[str]:
    """Every stack that has a file in the project folder."""
    return sorted(
        path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in root.glob("Pulumi.*.yaml")
    )


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
    project = _file(root / "Pulumi.yaml")
    name = project.get("name")
    if not isinstance(name, str) or not name:
        raise StackFileError(
            f"Pulumi.yaml: name: {_shown(name)} is not allowed; expected the name of the project"
        )
    if draft is None and stack not in stack_names(root):  # not a path: `../other` would be read, too
        names = ", ".join(stack_names(root)) or "none"
        raise NoSuchStackError(
            f"stack {stack!r}: no file Pulumi.{repr(stack)[1:-1]}.yaml; stacks here: {names}"
        )
    file = f"Pulumi.{stack}.yaml"
    content = _file(root / file) if draft is None else draft
    config: Any = content.get("config")
    if config is not None and not isinstance(config, dict):
        raise StackFileError(f"{file}: config: {_shown(config)} is not allowed; expected a mapping")
    settings = {
        _full_key(file, name, key): value for key, value in cast(dict[str, Any], config or {}).items()
    }
    _no_text_for_a_mapping(file, project, name, settings)
    written = frozenset(settings)
    settings = {**_defaults(project, name), **settings}
    settings |= {_full_key(file, name, key): value for key, value in (extra or {}).items()}
    hidden = [place for key, value in settings.items() for place in _encrypted(key, value)]
    secret = tuple(key for key, value in settings.items() if any(_encrypted(key, value)))
    values = {key: _text(file, key, value) for key, value in settings.items()}
    return StackConfig(name, stack, values, secret, tuple(_notes(file, content, hidden)), written)


def _full_key(file: str, project: str, key: str) -> str:
    """A key with its namespace (`sdk/go/common/resource/config/key.go`)."""
    parts = key.split(":")
    if len(parts) > 3 or (len(parts) == 3 and parts[1] != "config"):  # noqa: PLR2004
        raise StackFileError(
            f"{file}: config: {_shown(key)} is not allowed; expected keys like {project}:protect"
        )
    return f"{parts[0]}:{parts[-1]}" if len(parts) > 1 else f"{project}:{key}"


def _notes(file: str, content: Mapping[str, Any], hidden: list[str]) -> Iterator[str]:
    for key in content.keys() - {*_KEYS}:
        if close := difflib.get_close_matches(key.lower(), _KEYS, n=1, cutoff=0.7):
            raise StackFileError(f"{file}: {_shown(key)} is not allowed; expected {close[0]}")
        if not key.startswith("x-"):  # the usual place of what is used by `*alias` further down
            yield f"{file}: unknown key {_shown(key)}; Pulumi ignores it (known keys: {', '.join(_KEYS)})"
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


def _no_text_for_a_mapping(
    file: str, project: Mapping[str, Any], name: str, settings: Mapping[str, Any]
) -> None:
    """The CLI refuses text where Pulumi.yaml declares a mapping, also text that is JSON or is decrypted to it.

    Other values of a wrong type are left to the program, which reports all of them at once.
    """
    declared: Any = project.get("config")
    for key, declaration in cast(dict[str, Any], declared).items() if isinstance(declared, dict) else ():
        if not isinstance(declaration, dict) or cast(dict[str, Any], declaration).get("type") != "object":
            continue
        value = settings.get(_full_key("Pulumi.yaml", name, key))
        what = f"{file}: {name}:{key}"
        if _is_encrypted(value):
            raise StackFileError(
                f"{what}: [secret] is not allowed; expected a mapping with encrypted values, because the CLI "
                "takes what is encrypted as a whole for text"
            )
        if isinstance(value, str) and value.lstrip().startswith("{"):
            raise StackFileError(f"{what}: {_shown(value)} is not allowed; expected a mapping without quotes")


def _defaults(project: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What Pulumi.yaml gives to every stack; text in place of `config:` is an old way to name a folder."""
    declared: Any = project.get("config") or {}
    if isinstance(declared, str):
        return {}
    if not isinstance(declared, dict):
        raise StackFileError(f"Pulumi.yaml: config: {_shown(declared)} is not allowed; expected a mapping")
    defaults: dict[str, Any] = {}
    for key, declaration in cast(dict[str, Any], declared).items():
        full = _full_key("Pulumi.yaml", name, key)
        if isinstance(declaration, str | bool | int | list):  # the short form
            defaults[full] = declaration
        elif not isinstance(declaration, dict) or declaration.keys() - {*_DECLARATION}:
            keys = ", ".join(_DECLARATION)
            raise StackFileError(
                f"Pulumi.yaml: config.{key}: {_shown(declaration)} is not allowed; expected a mapping of {keys}"
            )
        else:
            whole = cast(dict[str, Any], declaration)
            value = whole.get("default") if whole.get("default") is not None else whole.get("value")
            if value is not None:
                defaults[full] = value
    return defaults


def _file(path: Path) -> dict[str, Any]:
    """The mapping a file holds; an empty file is an empty one."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise StackFileError(f"{path.name}: no such file in {path.parent.name}/") from None
    except OSError as error:
        raise StackFileError(f"{path.name}: {error.strerror}") from None
    try:
        # A file in UTF-16, as PowerShell writes it, starts with one of these marks.
        encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        loaded = load(content.decode(encoding))
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


def _shown(value: Any) -> str:
    return "null" if value is None else shortened(repr(value))
