"""`python -m cost [STACK] [--format text|markdown|json] [--offline]`: what a stack is expected to cost a month."""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pulumi

from cost import basis, reading
from cost.bill import Bill
from cost.billing import bill
from cost.figures import CostError
from cost.prices import ahead_of, open_market
from cost.report.document import document
from cost.report.page import page
from cost.stack import Stack
from preview import terminal
from preview.report import NARROWEST
from recorder.document import plan_document
from recorder.run import PROJECT_ROOT, record
from recorder.stack_files import StackFileError
from writing.blocks import Page
from writing.markdown import markdown
from writing.terminal import terminal as lines_of

OVER_BUDGET = 2
"""What the command returns where more is expected than the stack's budget."""
_MARKER = "<!-- cost -->"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the expected bill.

    Returns:
        0; 1 where it can't be made, and each reason is one line on stderr; 2 where it is over the budget, or the
        command line is wrong.
    """
    parser = argparse.ArgumentParser(prog="cost", description="What a stack is expected to cost a month.")
    parser.add_argument("stack", nargs="?", default="dev", help="a stack with a file Pulumi.<stack>.yaml")
    parser.add_argument("--root", type=Path, default=PROJECT_ROOT, help="the project folder")
    parser.add_argument("--plan", type=Path, help="bill this plan.json instead of a stack's file")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument("--offline", action="store_true", help="ask nobody for prices")
    options = parser.parse_args(arguments)
    try:
        stack = (
            reading.from_file(options.plan)
            if options.plan
            else planned(options.stack, options.root.resolve())
        )
        found = billed(stack, offline=options.offline)
    except (CostError, StackFileError, pulumi.RunError, OSError) as error:
        print(error, *getattr(error, "__notes__", ()), sep="\n", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    print(*_written(found, options.format), sep="\n")
    return OVER_BUDGET if found.over_budget else 0


def planned(name: str, root: Path) -> Stack:
    """What the program of a tree registers for a stack.

    Raises:
        StackFileError: there is no such stack.
        pulumi.RunError: its settings are wrong.
    """
    return reading.from_plan(plan_document(record(name, root=root, preview=True)))


def billed(stack: Stack, *, offline: bool) -> Bill:
    """The bill at the prices that the market has now.

    Raises:
        CostError: it can't be made.
    """
    read = basis.read(stack.outputs).basis
    told: list[str] = []
    market = open_market(
        read.cost.model_dump(by_alias=True),
        offline=offline,
        report=told.append,
        ahead=ahead_of(stack, read.location) if read.location else (),
    )
    found = bill(stack, market)
    return replace(found, warnings=(*found.warnings, *told))


def _written(found: Bill, form: str) -> Iterable[str]:
    if form == "json":
        return [json.dumps(document(found), indent=2, ensure_ascii=False, allow_nan=False)]
    shown = page(found)
    if form == "markdown":
        return [markdown(shown, _MARKER)]
    width = max(shutil.get_terminal_size((110, 24)).columns, NARROWEST)
    parts = [Page(shown.headline, (), ()), *(Page("", [block], ()) for block in shown.top)]
    parts += [Page(section.title, tuple(section.blocks), ()) for section in shown.sections]
    return [line for part in parts for line in (*lines_of(part, width), "")][:-1]


if __name__ == "__main__":
    gc.disable()  # as in `preview`
    os._exit(terminal.run(main))
