"""What a preview cannot know of a stack's configuration without the key of its encrypted values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from kubeflow_aks.recorder.stack_files import StackConfig, StackFileError, read_stack
from kubeflow_aks.recorder.yaml_text import YamlError, load


def notes(stack: str, base: Path | None, head: Path | None) -> Iterator[str]:
    """Notes for the report, one sentence each.

    Args:
        stack: its name.
        base: the project folder of the base; None if it has no such stack.
        head: the project folder of the head; None if it has no such stack.
    """
    configs = [config for root in (head, base) if root and (config := _config(root, stack))]
    yield from dict.fromkeys(note for config in configs for note in config.notes)
    if len({config.project for config in configs}) > 1:
        after, before = (config.project for config in configs)
        yield (
            f"Pulumi.yaml: name: {before} → {after}: for Pulumi this is another project, "
            "so everything is shown as new and nothing as removed"
        )
    if base and head:
        before, after = (_encrypted(root / f"Pulumi.{stack}.yaml") for root in (base, head))
        for key in sorted(key for key in before.keys() & after.keys() if before[key] != after[key]):
            yield f"{key} is encrypted differently: whether its value changes, and with what effect, is not shown"


def _config(root: Path, stack: str) -> StackConfig | None:
    """A stack's configuration; None if it cannot be read, which its run reports."""
    try:
        return read_stack(root, stack)
    except StackFileError:
        return None


def _encrypted(file: Path) -> dict[str, str]:
    """The encrypted values of a file, by path."""
    try:
        content: Any = load(file.read_text(encoding="utf-8"))
        return dict(_secure("", content.get("config")))
    except (OSError, YamlError, UnicodeDecodeError, AttributeError):
        return {}


def _secure(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from _secure(f"{path}[{number}]", item)
    elif isinstance(value, dict):
        items = cast(dict[str, Any], value)
        if list(items) == ["secure"]:
            yield path, str(items["secure"])
        else:
            for key, item in items.items():
                yield from _secure(f"{path}.{key}" if path else key, item)
