"""The whole preview as text: tree, pools, quota, outputs, warnings, policy."""

import json
from collections.abc import Collection, Sequence
from datetime import date
from textwrap import wrap
from typing import Any, cast

from kubeflow_aks.policy.report import line as violation_line
from kubeflow_aks.policy.rule import Violation
from kubeflow_aks.preview.control_plane import control_plane
from kubeflow_aks.preview.pools import pool_table
from kubeflow_aks.preview.quota import quota_table
from kubeflow_aks.preview.tree import resource_tree, title
from kubeflow_aks.project import COMMAND
from kubeflow_aks.recorder.document import PlanDocument
from kubeflow_aks.text.columns import cut, table

UNKNOWN = "[known after up]"


def report(
    document: PlanDocument,
    warnings: tuple[str, ...],
    width: int,
    day: date,
    violations: Sequence[Violation] = (),
) -> list[str]:
    """The preview on a day, as lines of at most `width` columns; parts without lines are left out."""
    pools, quota = document["pools"], document["outputs"].get("vcpuQuota")
    parts = [
        ("", resource_tree(document, width)),
        ("Agent pools:", pool_table(pools, width) if pools else []),
        ("vCPU quota with every pool full, upgrades included:", quota_table(quota, width) if quota else []),
        ("", [line for text in control_plane(document, day) for line in wrap(text, width)]),
        ("Outputs:", output_lines(document, width)),
        ("", [text for row in table([("warning:", text) for text in warnings], width) for text in row]),
        ("Policy:", _policy(violations, document["stack"], width)),
    ]
    count = len(document["resources"]) + 1  # the stack is a resource too, as in `pulumi preview`
    return [
        cut(f"Plan of {title(document)}: recorded from the program, nothing created", width),
        "",
        *(line for head, lines in parts if lines for line in (*([head] if head else []), *lines, "")),
        f"Resources: + {count} to create",
    ]


def _policy(violations: Sequence[Violation], stack: str, width: int) -> list[str]:
    """Mandatory violations in full; of the others the names of the rules."""
    rows = [
        ("undecided" if it.undecided else "mandatory", it.rule.name, violation_line(it))
        for it in violations
        if it.rule.mandatory
    ]
    if advisory := list(dict.fromkeys(it.rule.name for it in violations if not it.rule.mandatory)):
        what = f"{', '.join(advisory)}; details: {COMMAND} policy {stack}"
        rows.append(("advisory", "1 rule" if len(advisory) == 1 else f"{len(advisory)} rules", what))
    return [text for row in table(rows, width) for text in row]


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
