"""A property before and after, as the lines of a diff."""

import json
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any

from kubeflow_aks.text.escape import shortened

_MOST_LINES = 400
"""Lines of one value that are compared."""
_MOST_SHOWN = 60
"""Lines of one property's diff that are shown."""


def difference_lines(path: str, before: Any, after: Any) -> list[str]:
    """The lines of one property, each after `+ `, `- ` or two blanks; None is a side without the property."""
    old, new = _lines(before), _lines(after)
    if len(old) <= 1 and len(new) <= 1:
        return [f"{sign} {shortened(f'{path}: {line}')}" for sign, line in _signed(old, new)]
    if max(len(old), len(new)) > _MOST_LINES:
        return [f"  {shortened(path)}: {len(old)} → {len(new)} lines, too many to compare"]
    lines = list(_diff(old, new))
    shown = [f"  {shortened(path)}:", *(f"{line[0]}   {shortened(line[1:])}" for line in lines[:_MOST_SHOWN])]
    return shown if len(lines) <= _MOST_SHOWN else [*shown, f"  … {len(lines) - _MOST_SHOWN} more lines"]


def _diff(old: list[str], new: list[str]) -> Iterator[str]:
    """Each changed line and its neighbours; an empty line separates blocks."""
    for number, line in enumerate(unified_diff(old, new, n=1, lineterm="")):
        if number > 2:  # noqa: PLR2004 - two lines name the files, one the first block
            yield " " if line.startswith("@@") else line


def _signed(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    yield from (("-", line) for line in old)
    yield from (("+", line) for line in new)


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return value.split("\n") or [""]
    if isinstance(value, Mapping | list | tuple):
        try:
            return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, default=str).split("\n")
        except (RecursionError, ValueError):
            return ["(nested too deeply to show)"]
    return [json.dumps(value, default=str)]
