"""The whole preview as text: tree, pools, quota, outputs, warnings, policy."""

from collections.abc import Sequence

from policy.report import line
from policy.rule import Violation
from preview.outputs import output_lines
from preview.pools import pool_table
from preview.quota import quota_table
from preview.tree import project_and_stack, resource_tree
from recorder.document import PlanDocument
from writing.columns import cut, table

NARROWEST = 60
"""Fewest columns a report can be made for."""


def report(
    document: PlanDocument, warnings: tuple[str, ...], width: int, violations: Sequence[Violation] = ()
) -> list[str]:
    """What the terminal shows, no line wider than `width`, which is at least `NARROWEST`."""
    count = len(document["resources"]) + 1  # the stack is a resource too, as in `pulumi preview`
    title = f"Plan of {'-'.join(project_and_stack(document))}: recorded from the program, nothing created"
    return [
        cut(title, width),
        "",
        *resource_tree(document, width),
        "",
        "Agent pools:",
        *pool_table(document["pools"], width),
        "",
        "vCPU quota with every pool full, upgrades included:",
        *quota_table(document["outputs"]["vcpuQuota"], width),
        "",
        "Outputs:",
        *output_lines(document, width),
        "",
        *([*_warnings(warnings, width), ""] if warnings else []),
        *(["Policy:", *_policy(violations, document["stack"], width), ""] if violations else []),
        f"Resources: + {count} to create",
    ]


def _warnings(warnings: tuple[str, ...], width: int) -> list[str]:
    return [text for row in table([("warning:", text) for text in warnings], width) for text in row]


def _policy(violations: Sequence[Violation], stack: str, width: int) -> list[str]:
    """What is mandatory in full; of the rest the names of the rules."""
    rows = [
        ("undecided" if it.undecided else "mandatory", it.rule.name, line(it))
        for it in violations
        if it.rule.mandatory
    ]
    if advisory := list(dict.fromkeys(it.rule.name for it in violations if not it.rule.mandatory)):
        what = f"{', '.join(advisory)}; make policy STACK={stack} says what and why"
        rows.append(("advisory", "1 rule" if len(advisory) == 1 else f"{len(advisory)} rules", what))
    return [text for row in table(rows, width) for text in row]
