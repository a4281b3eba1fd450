"""Lengths, patterns and ranges that azure-native's own Check enforces, taken over from the ARM specifications.

The provider reports these before anything is created (`validateProperty` in `provider.go`). Every other rule of
Azure is only reported by Azure, when the resource is put: see `rules`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.text.files import rows


@dataclass(frozen=True)
class Constraint:
    """What one property must satisfy. `[]` in a path stands for every element of a list."""

    type: str
    """Pulumi type token, or `*` for every type."""
    path: str
    pattern: str | None = None
    length: tuple[int, int] | None = None
    """Shortest and longest string."""
    range: tuple[int, int] | None = None
    """Lowest and highest number."""


def _constraint(row: Mapping[str, str]) -> Constraint:
    return Constraint(
        row["type"],
        row["path"],
        row["pattern"] or None,
        _bounds(row["shortest"], row["longest"]),
        _bounds(row["lowest"], row["highest"]),
    )


def _bounds(least: str, most: str) -> tuple[int, int] | None:
    return (int(least), int(most)) if least else None


CONSTRAINTS: Final = tuple(map(_constraint, rows(Path(__file__).with_name("constraints.csv"))))


def violations(token: str, inputs: Json) -> list[str]:
    """Check's messages about inputs, one sentence each; unknown values pass."""
    return [
        sentence
        for constraint in CONSTRAINTS
        if constraint.type in ("*", token)
        for path, value in _values(inputs, constraint.path.split("."), "")
        for sentence in _broken(constraint, path, value)
    ]


def _values(value: Any, steps: list[str], path: str) -> Iterator[tuple[str, Any]]:
    """Every value at a path, with the path as it is spelt in a message."""
    if not steps:
        yield path, value
        return
    name = steps[0].removesuffix("[]")
    if not isinstance(value, dict) or name not in value:
        return
    here = f"{path}.{name}" if path else name
    if steps[0] == name:
        yield from _values(value[name], steps[1:], here)
    elif isinstance(value[name], list):
        for index, item in enumerate(arm.listed(value, name)):  # pyright: ignore[reportUnknownArgumentType]
            yield from _values(item, steps[1:], f"{here}[{index}]")


def _broken(constraint: Constraint, path: str, value: object) -> Iterator[str]:
    if isinstance(value, str):
        shortest, longest = constraint.length or (0, len(value))
        if len(value) < shortest:
            yield f"'{path}' is too short ({len(value)}): at least {shortest} characters required"
        if len(value) > longest:
            yield f"'{path}' is too long ({len(value)}): at most {longest} characters allowed"
        if constraint.pattern and not re.search(constraint.pattern, value):
            yield f"'{path}' does not match expression '{constraint.pattern}'"
    elif isinstance(value, int | float) and constraint.range:
        lowest, highest = constraint.range
        if value < lowest:
            yield f"'{path}' is too low ({value:f} < {lowest:f})"
        if value > highest:
            yield f"'{path}' is too high ({value:f} > {highest:f})"
