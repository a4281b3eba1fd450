"""Stack files of both trees: what a preview cannot know of encrypted values, and what is renamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    if base and head:
        before, after = (_encrypted(root / f"Pulumi.{stack}.yaml") for root in (base, head))
        for key in sorted(key for key in before.keys() & after.keys() if before[key] != after[key]):
            yield f"{key} is encrypted differently: whether its value changes, and with what effect, is not shown"


def former_project(stack: str, base: Path | None, head: Path | None) -> str:
    """The project's name in the base if the head has another one; else empty."""
    before, after = (_config(root, stack) if root else None for root in (base, head))
    return before.project if before and after and before.project != after.project else ""


def renamed(base: Path, head: Path, removed: Sequence[str], added: Sequence[str]) -> Mapping[str, str]:
    """Stacks that seem to be renamed: each one's name in the other tree.

    Args:
        base: project folder of the base.
        head: project folder of the head.
        removed: stacks that only the base has.
        added: stacks that only the head has.
    """
    names: dict[str, str] = {}
    for before in removed:
        settings = _settings(base, before)
        for after in added:
            if after not in names and settings and _alike(settings, _settings(head, after)):
                names |= {before: after, after: before}
                break
    return names


def _settings(root: Path, stack: str) -> frozenset[str]:
    """What a stack file sets, without the project's name."""
    config = _config(root, stack)
    written = config.written if config else ()
    return frozenset(f"{key.partition(':')[2]}={config.values.get(key)!r}" for key in written if config)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two stacks share more than half of their settings."""
    return len(one & other) * 2 > max(len(one), len(other))


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
