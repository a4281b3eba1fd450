"""The page of meanings, generated from their table."""

import re
from importlib import import_module
from pathlib import Path
from typing import Final

from kubeflow_aks.pull_request.report.impacts.meanings import Meaning, table

PAGE: Final = Path("docs/reference/what-a-change-means.md")

_HEAD: Final = """\
# What a change means

<!-- Generated from packages/kubeflow-aks/src/kubeflow_aks/pull_request/report/impacts/meanings.csv by `make docs`. -->

What [the preview of a pull request](../how-to/preview-a-pull-request.md) says of each change of a resource: what it
means for running work, access, data or money. The first row that is about a change counts. A change that no row is
about is reported as not judged. Every change in [the change matrix](../change-matrix.md) has a row; a test keeps it so.

"""
_COLUMNS: Final = ("Resource", "Property", "Change", "Concerns", "Meaning", "Source")
_PATH: Final = re.compile(r"`?docs/([\w./#-]+)`?")


def generated(_root: Path) -> dict[Path, str]:
    """The page, by its path in the project."""
    rows = [_COLUMNS, ("---",) * len(_COLUMNS), *map(_row, table())]
    return {PAGE: _HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)}


def _row(row: Meaning) -> tuple[str, ...]:
    name = "" if row.name == "*" else f" `{row.name}`"
    resource = "any" if row.kind == "*" else f"{row.kind}{name}"
    values = [f"{word} `{value}`" for word, value in (("from", row.before), ("to", row.after)) if value]
    change = ", ".join([*sorted(row.actions), *values])
    if row.condition:
        change += f", while there are {row.condition}"
    return (
        resource,
        f"`{row.path}`" if row.path else "",
        change,
        row.concerns,
        _meaning(row),
        _linked(row.source),
    )


def _meaning(row: Meaning) -> str:
    if not row.worded_by:
        return _linked(row.text) or "nothing"
    module = import_module(f"{__package__}.{row.worded_by}")
    return f"depends on the rest of the stack: {(module.__doc__ or '').splitlines()[0].rstrip('.')}"


def _linked(text: str) -> str:
    return _PATH.sub(r"[\1](../\1)", text)
