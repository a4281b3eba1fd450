"""`python -m preview [STACK] [--root DIR]`: what `pulumi up` would create, without an account and without the CLI."""

import argparse
import gc
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pulumi

from policy import RULES
from policy.exceptions import ExceptionsError, load
from policy.plan import everything
from policy.verdict import fails, told, verdicts
from preview.mermaid import mermaid
from preview.report import NARROWEST, report
from preview.svg import svg
from recorder.document import PlanDocument, plan_document, to_json
from recorder.run import PROJECT_ROOT, record
from recorder.stack_files import StackFileError
from writing import output


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the preview and writes `build/<stack>/`.

    The run is recorded in preview mode: nothing exists yet, so what only Azure can say stays unknown, where an
    up-mode run would show made-up ids and addresses as if they were a promise.

    Returns:
        0; 1 when the stack cannot be read or has mistakes: then they are printed to stderr and nothing is written;
        1 as well when a mandatory rule of `policy` is violated.
    """
    parser = argparse.ArgumentParser(prog="preview", description="What `pulumi up` would create.")
    parser.add_argument("stack", nargs="?", default="dev", help="a stack with a file Pulumi.<stack>.yaml")
    parser.add_argument("--root", type=Path, default=PROJECT_ROOT, help="the project folder")
    options = parser.parse_args(arguments)
    root: Path = options.root.resolve()
    try:
        recorded = record(options.stack, root=root, preview=True)
        document = plan_document(recorded)
        folder = root / "build" / recorded.stack
        rows = load(rules={rule.name for rule in RULES})
        found = verdicts(recorded.stack, everything(document), rows)
        names = write(document, folder)
    except (StackFileError, ExceptionsError, pulumi.RunError, OSError) as error:
        print(error, *getattr(error, "__notes__", ()), sep="\n", file=sys.stderr)
        return 1
    width = max(shutil.get_terminal_size((110, 24)).columns, NARROWEST)
    print(*report(document, recorded.messages, width, told(found)), sep="\n")
    print(f"Written to {folder.relative_to(root)}: {', '.join(names)}")
    return 1 if fails(found) else 0


def write(document: PlanDocument, folder: Path) -> list[str]:
    """Writes the plan and its pictures into a folder, and returns the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"plan.json": to_json(document), "pools.svg": svg(document), "pools.mmd": mermaid(document)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return list(texts)


if __name__ == "__main__":
    gc.disable()  # the SDKs make a million objects, none of them garbage
    os._exit(output.run(main))  # Python would take a second to free the SDKs' classes one by one
