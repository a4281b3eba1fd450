"""Stack files of both trees: what a preview cannot know of encrypted values, and what is renamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.stack_files import StackConfig, read_stack


def notes(stack: str, base: Path | None, head: Path | None) -> Iterator[str]:
    """Notes for the report, one sentence each; None stands for the folder of a tree that has no such stack."""
    configs = [config for root in (head, base) if root and (config := _config(root, stack))]
    yield from dict.fromkeys(note for config in configs for note in config.notes)


def former_project(stack: str, base: Path | None, head: Path | None) -> str:
    """The project's name in the base if the head has another one; else empty."""
    before, after = (_config(root, stack) if root else None for root in (base, head))
    return before.project if before and after and before.project != after.project else ""


def renamed(base: Path, head: Path, removed: Sequence[str], added: Sequence[str]) -> Mapping[str, str]:
    """Stacks that seem to be renamed, of those that only one tree has: each one's name in the other tree."""
    pairs: dict[str, str] = {}
    for before in removed:
        settings = _settings(base, before)
        for after in added:
            others = _settings(head, after)
            alike = len(settings & others) * 2 > max(len(settings), len(others))  # more than half of them
            if after not in pairs and settings and alike:
                pairs |= {before: after, after: before}
                break
    return pairs


def _settings(root: Path, stack: str) -> frozenset[str]:
    """What a stack file sets, without the project's name."""
    config = _config(root, stack)
    written = config.written if config else ()
    return frozenset(f"{key.partition(':')[2]}={config.values.get(key)!r}" for key in written if config)


def _config(root: Path, stack: str) -> StackConfig | None:
    """A stack's configuration; None if it cannot be read, which its run reports."""
    try:
        return read_stack(root, stack)
    except StackFileError:
        return None
