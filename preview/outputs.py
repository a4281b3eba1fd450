"""The stack's outputs, as `pulumi preview` lists them."""

import json
from collections.abc import Iterator
from typing import Any, cast

from preview.columns import cut
from recorder.document import PlanDocument

UNKNOWN = "[known after up]"


def output_lines(document: PlanDocument, width: int) -> list[str]:
    """A line for each output, one more for each entry of a mapping or a list; secrets masked."""
    outputs = document["outputs"]
    longest = max(map(len, outputs), default=0)
    lines: list[str] = []
    for name, value in outputs.items():
        first, *more = _shown(value) or ["none"]
        lines += [f"{name:{longest}}: {first}", *(f"{'':{longest + 2}}{line}" for line in more)]
    return [cut(line, width) for line in lines]


def _shown(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{key}: {_text(item)}" for key, item in cast(dict[str, Any], value).items()]
    if isinstance(value, list):
        return [_text(item) for item in cast(list[Any], value)]
    return list(_lines(value))


def _lines(value: Any) -> Iterator[str]:
    yield from _text(value).splitlines() or [""]


def _text(value: Any) -> str:
    if value is None:
        return UNKNOWN
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
