"""What a preview without the stack's key can't see of its configuration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from recorder.stack_files import StackConfig, StackFileError, read_stack
from recorder.yaml_v3 import YamlError, load


def notes(stack: str, base: Path | None, head: Path | None) -> Iterator[str]:
    """What a reader must know, one sentence each.

    Args:
        stack: its name.
        base: the project folder of the base; None where it has no such stack.
        head: the same of the head.
    """
    configs = [config for root in (head, base) if root and (config := _config(root, stack))]
    yield from dict.fromkeys(note for config in configs for note in config.notes)
    if len({config.project for config in configs}) > 1:
        after, before = (config.project for config in configs)
        yield (
            f"Pulumi.yaml: name: {before} → {after}: Pulumi takes that for another project, "
            "so all is shown as new and nothing as removed"
        )
    if base and head:
        before, after = (_encrypted(root / f"Pulumi.{stack}.yaml") for root in (base, head))
        for key in sorted(key for key in before.keys() & after.keys() if before[key] != after[key]):
            yield f"{key} is encrypted anew: whether its value changes, and what that changes, is not shown"


def _config(root: Path, stack: str) -> StackConfig | None:
    """A stack's configuration; None where it can't be read, which its run tells."""
    try:
        return read_stack(root, stack)
    except StackFileError:
        return None


def _encrypted(file: Path) -> dict[str, str]:
    """Encrypted values as they stand in a file, by path."""
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
