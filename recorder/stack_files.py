"""The configuration that the CLI would pass to the program: defaults of Pulumi.yaml, and one stack file."""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml


class _Loader(yaml.SafeLoader):
    """Reads YAML. A date without quotes stays text, as the settings expect; repeated keys are errors, as in the CLI."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own name and form
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002 - PyYAML's own signature
    ) -> dict[Hashable, Any]:
        """A mapping whose keys differ."""
        found: set[str] = set()
        for key, _ in cast(list[tuple[yaml.Node, yaml.Node]], node.value):
            text = str(key.value)
            if text in found:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key {text} occurs twice", problem_mark=key.start_mark
                )
            found.add(text)
        return super().construct_mapping(node, deep)


class StackFileError(ValueError):
    """A stack cannot be read; the text is one line for the user."""


@dataclass(frozen=True)
class StackConfig:
    """Configuration of one stack as the engine passes it to the program."""

    project: str
    stack: str
    values: Mapping[str, str]
    """Full key (`project:key`) to text; everything but text is JSON."""
    secret_keys: tuple[str, ...]


def stack_names(root: Path) -> list[str]:
    """Every stack that has a file in the project folder."""
    return sorted(
        path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in root.glob("Pulumi.*.yaml")
    )


def read_stack(root: Path, stack: str, extra: Mapping[str, Any] | None = None) -> StackConfig:
    """Reads Pulumi.yaml and Pulumi.<stack>.yaml.

    Encrypted values cannot be read without the stack's key and become a placeholder that stays secret.

    Args:
        root: the project folder.
        stack: name of the stack.
        extra: further values, as if they were in the stack file; keys without a project get this one's.

    Raises:
        StackFileError: a file is missing or is not YAML of the expected form.
    """
    project = _mapping(root / "Pulumi.yaml")
    if "name" not in project:
        raise StackFileError("Pulumi.yaml: name: null is not allowed; expected the name of the project")
    if not (root / f"Pulumi.{stack}.yaml").is_file():
        known = ", ".join(stack_names(root)) or "none"
        raise StackFileError(f"stack {stack!r}: no file Pulumi.{stack}.yaml; stacks here: {known}")
    own: Any = _mapping(root / f"Pulumi.{stack}.yaml").get("config") or {}
    if not isinstance(own, dict):
        raise StackFileError(f"Pulumi.{stack}.yaml: config: {own!r} is not allowed; expected a mapping")
    name = str(project["name"])
    found = {**_defaults(project), **cast(dict[str, Any], own), **(extra or {})}
    given = {key if ":" in str(key) else f"{name}:{key}": value for key, value in found.items()}
    secret_keys = tuple(key for key, value in given.items() if _encrypted(value))
    return StackConfig(name, stack, {key: _text(key, value) for key, value in given.items()}, secret_keys)


def _encrypted(value: Any) -> bool:
    return isinstance(value, dict) and list(cast(dict[str, Any], value)) == ["secure"]


def _text(key: str, value: Any) -> str:
    if _encrypted(value):
        return f"decrypted-{key}"
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _defaults(project: Mapping[str, Any]) -> dict[str, Any]:
    name = project["name"]
    declared: dict[str, Any] = project.get("config") or {}
    return {f"{name}:{key}": spec["default"] for key, spec in declared.items() if "default" in spec}


def _mapping(path: Path) -> dict[str, Any]:
    try:
        loaded = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a safe loader
    except FileNotFoundError:
        raise StackFileError(f"{path.name}: no such file in {path.parent.name}/") from None
    except UnicodeDecodeError:
        raise StackFileError(f"{path.name}: not YAML: not UTF-8 text") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" line {mark.line + 1}" if mark else ""
        raise StackFileError(f"{path.name}{where}: not YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(loaded, dict):
        raise StackFileError(f"{path.name}: expected a mapping with `config:`")
    return cast(dict[str, Any], loaded)
