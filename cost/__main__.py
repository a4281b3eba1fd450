"""`python -m cost [STACK]`: what a stack is expected to cost a month, told, as data or as pictures."""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pulumi

from cost import measured, observed, reading
from cost.advice import Advised, advise, telling
from cost.against import Earlier, named, stack_at
from cost.basis import Work
from cost.bill import Bill
from cost.billing import batch, bill
from cost.comparing import difference
from cost.figures import CostError, EvictionRate, Restart
from cost.prices import Market, market_of
from cost.report import against, measurement, observation, pictures
from cost.report.document import document
from cost.report.page import page
from cost.report.what_if import what_if
from cost.stack import Stack
from cost.terms import Terms
from preview.report import NARROWEST
from recorder.document import plan_document
from recorder.run import PROJECT_ROOT, record
from recorder.stack_files import StackFileError
from revisions import processes
from revisions.git import GitError
from revisions.repository import RevisionError
from writing import output
from writing.blocks import Page, Section
from writing.markdown import markdown
from writing.terminal import terminal as lines_of

OVER_BUDGET = 2
"""What the command returns where more is expected than the stack's budget."""
_MARKER = "<!-- cost -->"


@dataclass(frozen=True)
class _Known:
    """What a bill is made with: the market, and what goes before it, by pool."""

    market: Market
    rates: Mapping[str, EvictionRate] = field(default_factory=dict[str, EvictionRate])
    restarts: Mapping[str, Restart] = field(default_factory=dict[str, Restart])

    def bill(self, stack: Stack) -> Bill:
        return bill(stack, self.market, observed=self.rates, measured=self.restarts)

    def batch(self, stack: Stack) -> tuple[tuple[Work, Terms], ...]:
        return batch(stack, self.market, observed=self.rates, measured=self.restarts)

    def what_if(self, stack: Stack) -> Section:
        return what_if(stack, self.market, self.rates, self.restarts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the expected bill.

    Returns:
        0; 1 where it can't be made, and each reason is one line on stderr; 2 where it is over the budget, or the
        command line is wrong.
    """
    options = _arguments(arguments)
    try:
        revision = None if options.against is None else named(options.against, options.root.resolve())
        stack = (
            reading.from_file(options.plan)
            if options.plan
            else planned(options.stack, options.root.resolve())
        )
        told: list[str] = []
        market = market_of(stack, offline=options.offline, report=told.append)
        known, more = _known(options, stack, market)
        found = known.bill(stack)
        if revision:
            earlier = stack_at(revision, stack.name, options.root.resolve(), _say)
            written = _beside(earlier, stack, market, told, options.format)
        elif options.format == "svg":
            drawn = pictures.pictures(found, known.batch(stack))
            written = [str(path) for path in pictures.write(options.build, stack.name, drawn)]
        else:
            root = options.root.resolve()
            advised = advise(options.stack, root, known.bill) if options.advise else None
            found = replace(found, warnings=(*found.warnings, *told))
            written = _written(stack, known, found, more, advised=advised, form=options.format)
    except (CostError, StackFileError, RevisionError, GitError, pulumi.RunError, OSError) as error:
        print(error, *getattr(error, "__notes__", ()), sep="\n", file=sys.stderr)
        return 1
    print(*written, sep="\n")
    return OVER_BUDGET if found.over_budget else 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cost", description="What a stack is expected to cost a month.")
    parser.add_argument("stack", nargs="?", default="dev", help="a stack with a file Pulumi.<stack>.yaml")
    parser.add_argument("--root", type=Path, default=PROJECT_ROOT, help="the project folder")
    parser.add_argument("--plan", type=Path, help="bill this plan.json instead of a stack's file")
    parser.add_argument("--format", choices=("text", "markdown", "json", "svg"), default="text")
    parser.add_argument("--offline", action="store_true", help="ask nobody for prices")
    parser.add_argument("--observed", type=Path, help="what `ckf-spot where -o json` wrote of this stack")
    parser.add_argument("--measured", type=Path, help="what a drill wrote: times of this stack's pools")
    parser.add_argument("--advise", action="store_true", help="tell what would lower the bill, line by line")
    parser.add_argument("--against", metavar="REF", help="show the difference to this branch, tag or commit")
    parser.add_argument("--build", type=Path, default=PROJECT_ROOT / "build", help="folder for the pictures")
    options = parser.parse_args(arguments)
    if options.advise and (options.plan or options.format == "svg"):
        parser.error("--advise needs a stack's file, and no pictures: leave out --plan and --format svg")
    given = (options.plan, options.observed, options.measured, options.advise, options.format == "svg")
    if options.against is not None and any(given):
        parser.error(
            "--against goes with none of --plan, --observed, --measured, --advise, and with no pictures"
        )
    return options


def command() -> int:
    """`main` as a process of its own: whatever stops it, nothing that it started or keeps for a moment stays."""
    try:
        with processes.ended_with_this_one():
            return main()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def planned(name: str, root: Path) -> Stack:
    """What the program of a tree registers for a stack.

    Raises:
        StackFileError: there is no such stack.
        pulumi.RunError: its settings are wrong.
    """
    return reading.from_plan(plan_document(record(name, root=root, preview=True)))


def _known(options: argparse.Namespace, stack: Stack, market: Market) -> tuple[_Known, list[Section]]:
    """What the files say that the user named, and a section on each, with the bill before and after it."""
    known, more, pools = _Known(market), list[Section](), reading.cluster(stack).pools
    if options.observed:
        seen = observed.read(options.observed, {name: pool.spot for name, pool in pools.items()})
        before, known = known, replace(known, rates=observation.telling(seen))
        more.append(observation.section(seen, before.bill(stack), known.bill(stack)))
    if options.measured:
        sizes = {name: pool.size for name, pool in pools.items()}
        times = measured.read(options.measured, sizes)
        before, known = known, replace(known, restarts=measured.restarts(times, sizes))
        bills = before.bill(stack), known.bill(stack)
        more.append(measurement.section(times, sizes, *bills, datetime.now(UTC).date()))
    return known, more


def _written(
    stack: Stack, known: _Known, found: Bill, more: Sequence[Section], *, advised: Advised | None, form: str
) -> list[str]:
    if form == "json":
        return [_json(document(found) | ({"advice": telling.document(advised)} if advised else {}))]
    advice = [telling.section(advised)] if advised else []
    return _text(page(found, *advice, *more, *([known.what_if(stack)] if found.rates else [])), form)


def _beside(before: Earlier, stack: Stack, market: Market, told: Sequence[str], form: str) -> list[str]:
    """The bill beside that of another commit, at the same prices."""
    found = difference(before.stack, stack, market)
    found = replace(found, why_not=found.why_not or before.why_not, notes=(*found.notes, *told))
    if form == "json":
        return [_json(against.as_json(found, before.revision))]
    return _text(against.page(found, before.revision), form)


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def _text(shown: Page, form: str) -> list[str]:
    if form == "markdown":
        return [markdown(shown, _MARKER)]
    width = max(shutil.get_terminal_size((110, 24)).columns, NARROWEST)
    parts = [Page(shown.headline, (), ()), *(Page("", [block], ()) for block in shown.top)]
    for section in shown.sections:
        first, *others = section.blocks
        parts += [Page(section.title, (first,), ()), *(Page("", (block,), ()) for block in others)]
    return [line for part in parts for line in (*lines_of(part, width), "")][:-1]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    gc.disable()  # as in `preview`
    os._exit(output.run(command))
