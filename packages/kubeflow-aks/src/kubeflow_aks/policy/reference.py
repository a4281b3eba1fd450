"""The page of rules, generated from the rules."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kubeflow_aks.policy.benchmark import RULES as BENCHMARK
from kubeflow_aks.policy.rule import Rule
from kubeflow_aks.policy.rules import RULES as OWN

PAGE: Final = Path("docs/reference/policy.md")

_HEAD: Final = """\
# Policy

<!-- Generated from packages/kubeflow-aks/src/kubeflow_aks/policy/ by `make docs`. -->

The rules that each stack is checked against: [how to check](../how-to/check-policy.md), and
[why](../decisions/0012-policy-of-our-own-and-of-others.md) there are rules in addition to the program's own checks. A
violated mandatory rule fails a preview and stops an `up`; other violations are only reported. The column Source names a
document of [the list of sources](../facts/sources.md) or a page of this repository.
"""
_COLUMNS: Final = ("Rule", "Severity", "Mandatory", "Requirement", "Names elsewhere", "Source")


def page() -> str:
    """The page."""
    product, public = _table(OWN), _table(BENCHMARK)
    return f"{_HEAD}\n## Rules of this product\n\n{product}\n## Rules of public benchmarks\n\n{public}"


def generated(_root: Path) -> dict[Path, str]:
    """The page, by its path in the project."""
    return {PAGE: page()}


def _table(rules: Iterable[Rule]) -> str:
    rows = [_COLUMNS, ("---",) * len(_COLUMNS), *map(_row, rules)]
    return "".join(f"| {' | '.join(_escaped(cell) for cell in row)} |\n" for row in rows)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def _row(rule: Rule) -> tuple[str, ...]:
    mandatory = "yes" if rule.mandatory else "no"
    return f"`{rule.name}`", rule.severity, mandatory, rule.description, ", ".join(rule.ids), rule.source
