"""The table of bad configurations, and how one is made from the valid stack at its top."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from program.settings import UserPool

_TABLE: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))

_POOL_KEYS = ", ".join(field.alias or name for name, field in UserPool.model_fields.items())
"""What `{keys of a pool}` of a row stands for: a new setting of pools changes no row."""


@dataclass(frozen=True, kw_only=True)
class BadConfiguration:
    """One row of the table."""

    name: str
    values: Mapping[str, Any]
    project: str
    stack: str
    today: date
    lines: tuple[str, ...]
    """The lines a user sees, in order."""


def valid() -> dict[str, Any]:
    """The stack that every row changes."""
    return copy.deepcopy(_TABLE["valid"])


def bad_configurations() -> list[BadConfiguration]:
    """Every row of the table."""
    return [
        BadConfiguration(
            name=row["name"],
            values=_changed(row.get("set", {}), row.get("unset", [])),
            project=row.get("project", "kubeflow-aks"),
            stack=row.get("stack", "dev"),
            today=row.get("today", _TABLE["today"]),
            lines=tuple(line.replace("{keys of a pool}", _POOL_KEYS) for line in row["lines"]),
        )
        for row in _TABLE["mistakes"]
    ]


def _changed(new: Mapping[str, Any], gone: list[str]) -> dict[str, Any]:
    values = valid()
    for path, value in new.items():
        part, key = _place(values, path)
        part[key] = value
    for path in gone:
        part, key = _place(values, path)
        del part[key]
    return values


def _place(values: dict[str, Any], path: str) -> tuple[dict[str, Any], str]:
    *steps, last = path.split(".")
    for step in steps:
        values = values.setdefault(step, {})
    return values, last
