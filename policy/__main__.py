"""`python -m policy [STACK] [--root DIR] [--plan FILE] [--format text|json]`: what became of each rule for a stack."""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pulumi

from policy import RULES
from policy.exceptions import ExceptionsError, load, stale
from policy.plan import PlanError, everything, read
from policy.report import as_json, as_text
from policy.verdict import fails, verdicts
from recorder.document import plan_document
from recorder.run import PROJECT_ROOT, record
from recorder.stack_files import StackFileError
from writing import output


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the verdict of each rule.

    Returns:
        0; 1 when a mandatory rule is violated, an exception is stale, or the stack, a plan or the exceptions can't be
        read; 2 when the command line is wrong.
    """
    parser = argparse.ArgumentParser(prog="policy", description="What became of each rule for a stack.")
    parser.add_argument("stack", nargs="?", default="dev", help="a stack with a file Pulumi.<stack>.yaml")
    parser.add_argument("--root", type=Path, default=PROJECT_ROOT, help="the project folder")
    parser.add_argument("--plan", type=Path, help="judge this plan.json instead of a stack's file")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    try:
        rows = load(rules={rule.name for rule in RULES})
        plan = read(options.plan) if options.plan else _planned(options.stack, options.root.resolve())
        stack: str = plan["stack"]
        found = verdicts(stack, everything(plan), rows)
    except (ExceptionsError, PlanError, StackFileError, pulumi.RunError, OSError) as error:
        print(error, *getattr(error, "__notes__", ()), sep="\n", file=sys.stderr)
        return 1
    left = list(stale(rows, stack, [it for verdict in found for it in verdict.all]))
    if options.format == "json":
        print(json.dumps(as_json(stack, found, left), indent=2, ensure_ascii=False))
    else:
        print(*as_text(stack, found, left), sep="\n")
    return 1 if left or fails(found) else 0


def _planned(stack: str, root: Path) -> Any:
    return plan_document(record(stack, root=root, preview=True))


if __name__ == "__main__":
    gc.disable()  # as in `preview`
    os._exit(output.run(main))
