"""The stack's outputs, as `pulumi preview` lists them."""

import json
from collections.abc import Collection
from typing import Any, cast

from kubeflow_aks.recorder.document import PlanDocument
from kubeflow_aks.text.columns import cut

UNKNOWN = "[known after up]"


def output_lines(document: PlanDocument, width: int) -> list[str]:
    """A line for each output, one more for each entry of a mapping or a list; secrets masked."""
    outputs = document["outputs"]
    longest = max(map(len, outputs), default=0)
    lines: list[str] = []
    for name, value in outputs.items():
        first, *more = _shown(name, value, frozenset(document["unknownOutputs"])) or ["none"]
        lines += [f"{name:{longest}}: {first}", *(f"{'':{longest + 2}}{line}" for line in more)]
    return [cut(line, width) for line in lines]


def _shown(path: str, value: Any, unknown: Collection[str]) -> list[str]:
    if isinstance(value, dict):
        entries = cast(dict[str, Any], value).items()
        return [f"{key}: {_text(f'{path}.{key}', item, unknown)}" for key, item in entries]
    if isinstance(value, list):
        items = enumerate(cast(list[Any], value))
        return [_text(f"{path}[{number}]", item, unknown) for number, item in items]
    return _text(path, value, unknown).splitlines() or [""]


def _text(path: str, value: Any, unknown: Collection[str]) -> str:
    if value is None:
        return UNKNOWN if path in unknown else "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
