"""`python -m policy.reference --write | --check`: the page of rules, from the rules."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from policy.benchmark import RULES as BENCHMARK
from policy.rule import Rule
from policy.rules import RULES as OWN

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = Path("docs/reference/policy.md")

_HEAD: Final = """\
# Policy

<!-- Generated from policy/ by `make docs`. -->

What each stack is judged by: [how to check it](../how-to/check-policy.md), and
[why](../decisions/0012-policy-of-our-own-and-of-others.md) there are rules beside the program's own checks. A mandatory
rule fails a preview and stops an `up`; the others are told. The column Source names a document of
[the list of sources](../facts/sources.md) or a page of this repository.
"""
_COLUMNS: Final = ("Rule", "Severity", "Mandatory", "What must be so", "Names elsewhere", "Source")


def page() -> str:
    """The whole page."""
    own, public = _table(OWN), _table(BENCHMARK)
    return f"{_HEAD}\n## Promises of this product\n\n{own}\n## Rules of public benchmarks\n\n{public}"


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Writes the page, or reports that it is stale.

    Returns:
        0; 1 when `--check` finds it stale.
    """
    parser = argparse.ArgumentParser(prog="policy.reference", description=__doc__)
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--write", action="store_true", help="write the page")
    todo.add_argument("--check", action="store_true", help="exit with 1 when the page is stale")
    options = parser.parse_args(arguments)
    path, text = root / PAGE, page()
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return 0
    if options.write:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{PAGE}: {'written' if options.write else 'stale; run make docs'}")
    return 1 if options.check else 0


def _table(rules: Iterable[Rule]) -> str:
    rows = [_COLUMNS, ("---",) * len(_COLUMNS), *map(_row, rules)]
    return "".join(f"| {' | '.join(_escaped(cell) for cell in row)} |\n" for row in rows)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def _row(rule: Rule) -> tuple[str, ...]:
    mandatory = "yes" if rule.mandatory else "no"
    return f"`{rule.name}`", rule.severity, mandatory, rule.says, ", ".join(rule.ids), rule.source


if __name__ == "__main__":
    sys.exit(main())
