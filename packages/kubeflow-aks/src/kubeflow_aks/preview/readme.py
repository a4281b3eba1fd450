"""The blocks of pages that are generated from the plan."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

from kubeflow_aks.cost.bill import Bill, Part
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.formatting import money, saving, spread
from kubeflow_aks.cost.prices import market_of
from kubeflow_aks.cost.reading import from_plan
from kubeflow_aks.cost.report.page import headline
from kubeflow_aks.cost.report.page import lines as lines_of_bill
from kubeflow_aks.preview.mermaid import mermaid
from kubeflow_aks.preview.report import report
from kubeflow_aks.recorder.document import PlanDocument, plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.text.blocks import Page
from kubeflow_aks.text.terminal import terminal

PAGES = (Path("README.md"), Path("docs/what-it-creates.md"))
_STACK = "dev"
DAY = "2026-11-21"
"""Day for which the pages' plan is made, so that their text changes only with the program."""
_WIDTH = 110
_SHOWN = 12
"""Lines of the resource tree and of the outputs that a page shows."""
_PARTS: tuple[tuple[str, tuple[Part, ...]], ...] = (
    ("Batch work, on spot and its fallback", ("batch",)),
    ("Machines that are always there", ("home",)),
    ("Control plane, network, registry", ("fixed",)),
    ("**Whole stack**", ()),
)
"""Rows of the table of savings, each with the parts of the bill that it sums up; none for all of them."""
_BLOCK = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_generated(text: str, blocks: dict[str, str]) -> str:
    """A page whose blocks, between `<!-- generated: <name> -->` and `<!-- end -->`, are replaced.

    Raises:
        KeyError: the page has a block that is not generated.
    """
    return _BLOCK.sub(lambda match: f"{match[1]}{blocks[match['name']]}{match[3]}", text)


def generated_blocks() -> dict[str, str]:
    """The blocks of all pages: `saves` is a table, `picture` mermaid, `preview` and `cost` are output of commands."""
    recorded = record(_STACK, preview=True, extra={"asOf": DAY})
    document = plan_document(recorded)
    own_day = "asOf"  # the page's day is not the stack's
    warnings = tuple(warning for warning in recorded.messages if not warning.startswith(own_day))
    shown = _trimmed(report(document, warnings, _WIDTH, date.fromisoformat(DAY)))
    expected = _bill(document)
    return {
        "saves": "".join(f"{line}\n" for line in _savings(expected)),
        "picture": f"```mermaid\n{mermaid(document)}```\n",
        "preview": _text(shown),
        "cost": _text(_top_of(expected)),
    }


def generated(root: Path) -> dict[Path, str]:
    """The text of each page with its blocks, by its path in the project."""
    blocks = generated_blocks()
    return {page: with_generated((root / page).read_text(encoding="utf-8"), blocks) for page in PAGES}


def _bill(document: PlanDocument) -> Bill:
    """The bill at the repository's prices, which do not change from day to day."""
    stack = from_plan(document)
    return bill(stack, market_of(stack, offline=True, report=lambda _: None))


def _savings(bill: Bill) -> Iterator[str]:
    yield f"| {bill.currency} a month, list prices in {bill.region} | Expected | Range | All on demand | Change |"
    yield "| --- | --: | --: | --: | --: |"
    for name, parts in _PARTS:
        amount, compared = bill.amount(*parts), bill.on_demand(*parts).expected
        cells = (
            name,
            money(amount.expected, bill.currency),
            "" if amount.exact else spread(amount, bill.currency),
            money(compared, bill.currency),
            saving(amount.expected, compared) if amount.expected != compared else "",
        )
        yield f"| {' | '.join(cells)} |"


def _top_of(bill: Bill) -> Iterator[str]:
    yield from terminal(Page(headline(bill), (), ()), _WIDTH)
    yield ""
    yield from terminal(Page("", (lines_of_bill(bill),), ()), _WIDTH)


def _text(lines: Iterable[str]) -> str:
    return "```text\n" + "".join(f"{line}\n" for line in lines) + "```\n"


def _trimmed(lines: Sequence[str]) -> list[str]:
    """The report with its long parts cut short; the table of pools stays whole."""
    parts = "\n".join(lines).split("\n\n")
    return "\n\n".join(part if part.startswith("Agent pools") else _cut(part) for part in parts).split("\n")


def _cut(part: str) -> str:
    lines = part.split("\n")
    more = len(lines) - _SHOWN
    return "\n".join([*lines[:_SHOWN], *([f"    … {more} more lines"] if more > 0 else [])])
