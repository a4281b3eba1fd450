"""Edits that can be tried at once: none of them hides or changes what another one does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from program.settings import SettingsError, parse
from tests.local.engine.edits import BASE, Edit

_APART: Final = (
    ("production", "systemPool.minCount"),  # production needs two nodes
    ("kubeflow.inotify.enabled", "gpu.plugin"),  # without either, pods of the namespace get fewer rights
    ("registry.attach", "monitoring."),  # another's registry sends its logs elsewhere
    ("registry.attach", "registry."),  # it has its tier
    ("registry.attach", "names.registry"),  # and its name
    ("pools.cpuspot.priority", ""),  # a size, a price and a fallback count for a spot pool only
    ("pools.cpuspot.upgrade.undrainableNodeBehavior", "pools.cpuspot.upgrade."),  # Cordon needs a surge
    ("vmSizes.Standard_D8ds_v5.ephemeralGib", "pools.cpuspot."),  # of the pools of that size with such a disk
    ("workload.training.pool", "workload.training."),
)
"""Settings of which one changes what an edit of the other does."""


def together(edits: Iterable[Edit], apart: Callable[[Edit, Edit], bool]) -> list[list[Edit]]:
    """Edits in few lists, no two of a list about parts of a stack file that have to do with each other or `apart`."""
    lists: list[list[Edit]] = []
    for edit in edits:
        free = (
            group
            for group in lists
            if not any(_related(edit, other) or apart(edit, other) for other in group)
        )
        if (target := next(free, None)) is None:
            lists.append([edit])
        else:
            target.append(edit)
    return lists


def merged(edits: Iterable[Edit]) -> Edit:
    """One edit with the values of all."""
    return Edit({path: value for edit in edits for path, value in edit.values.items()})


def _related(one: Edit, other: Edit) -> bool:
    """Whether the effect of one can depend on the other, or the program refuses one before it comes to the other."""
    return (
        any(_overlap(left, right) for left in one.values for right in other.values)
        or any(_about(one, pair[0]) and _about(other, pair[1]) for it in _APART for pair in (it, it[::-1]))
        or _has_form(one) != _has_form(other)
    )


def _about(edit: Edit, prefix: str) -> bool:
    return any(path.startswith(prefix) for path in edit.values)


def _overlap(left: str, right: str) -> bool:
    """Whether one path is the other or leads to it."""
    return f"{left}.".startswith(f"{right}.") or f"{right}.".startswith(f"{left}.")


@cache
def _has_form(edit: Edit) -> bool:
    """Whether the program gets as far as its rules, which it applies once the form of all settings is right."""
    try:
        parse({**BASE, **edit.config()})
    except SettingsError:
        return False
    return True
