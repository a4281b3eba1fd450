"""`python -m preview.readme --write | --check`: the README's picture, preview and bill, generated from the plan."""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from cost.billing import bill
from cost.prices import market_of
from cost.reading import from_plan
from cost.report.page import headline
from cost.report.page import lines as lines_of_bill
from preview.mermaid import mermaid
from preview.report import report
from recorder.document import PlanDocument, plan_document
from recorder.run import PROJECT_ROOT, record
from writing.blocks import Page
from writing.terminal import terminal

README = Path("README.md")
_STACK = "dev"
DAY = "2026-11-21"
"""Day for which the README's plan is made, so that its text changes only with the program."""
_WIDTH = 110
_SHOWN = 12
"""Lines of the resource tree and of the outputs that the README shows."""
_BLOCK = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_generated(text: str, blocks: dict[str, str]) -> str:
    """A page with its generated blocks replaced.

    Args:
        text: the page; a block stands between `<!-- generated: <name> -->` and `<!-- end -->`.
        blocks: text of each block by name.

    Raises:
        KeyError: the page asks for a block that nobody generates.
    """
    return _BLOCK.sub(lambda found: f"{found[1]}{blocks[found['name']]}{found[3]}", text)


def readme_blocks() -> dict[str, str]:
    """The README's blocks, each a fenced block of markdown."""
    recorded = record(_STACK, preview=True, extra={"asOf": DAY})
    document = plan_document(recorded)
    own_day = "asOf"  # the page's day is not the stack's
    warnings = tuple(told for told in recorded.messages if not told.startswith(own_day))
    shown = _trimmed(report(document, warnings, _WIDTH))
    return {
        "picture": f"```mermaid\n{mermaid(document)}```\n",
        "preview": _text(shown),
        "cost": _text(_bill(document)),
    }


def main(arguments: Sequence[str] | None = None, root: Path = PROJECT_ROOT) -> int:
    """Writes the README's generated blocks, or reports whether they are stale.

    Returns:
        0; 1 when `--check` finds a stale block.
    """
    parser = argparse.ArgumentParser(prog="preview.readme", description=__doc__)
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--write", action="store_true", help="write the blocks")
    todo.add_argument("--check", action="store_true", help="exit with 1 when a block is stale")
    options = parser.parse_args(arguments)
    before = (root / README).read_text(encoding="utf-8")
    after = with_generated(before, readme_blocks())
    if before == after:
        return 0
    if options.write:
        (root / README).write_text(after, encoding="utf-8")
    print(f"{README}: {'written' if options.write else 'stale; run make docs'}")
    return 1 if options.check else 0


def _bill(document: PlanDocument) -> Iterator[str]:
    """The top of the bill, at the repository's prices, which do not change from day to day."""
    stack = from_plan(document)
    found = bill(stack, market_of(stack, offline=True, report=lambda _: None))
    yield from terminal(Page(headline(found), (), ()), _WIDTH)
    yield ""
    yield from terminal(Page("", (lines_of_bill(found),), ()), _WIDTH)


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


if __name__ == "__main__":
    sys.exit(main())
