"""`python -m delivery.drift STACK --preview FILE --said FILE`: one issue per stack that is not as its program says.

The issue is opened or updated while there is drift, and closed when there is none any more.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from delivery import marked
from delivery.drifts import Drift, PreviewError, drifts
from delivery.github import GitHub, GitHubError
from revisions.repository import is_stack_name
from writing.escape import code

LABEL: Final = "drift"
_PAGE: Final = "docs/how-to/keep-or-undo-hand-edits.md"
_MOST_CHARACTERS: Final = 50_000
"""Of the rows; GitHub takes 65,536 in an issue."""
_MOST_PATHS: Final = 10
_DOES: Final = {"create": "is missing", "delete": "is no longer wanted", "update": "differs"}
_EXISTS_ALREADY: Final = 422


def marker(stack: str) -> str:
    """The first line of the issue of a stack, which GitHub does not show."""
    return f"<!-- kubeflow-aks drift: {stack} -->"


def body(stack: str, found: Sequence[Drift], environment: Mapping[str, str]) -> str:
    """The issue's text."""
    server, repository = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    page = f"{server}/{repository}/blob/{environment.get('GITHUB_SHA', 'main')}/{_PAGE}"
    run = f"{server}/{repository}/actions/runs/{environment.get('GITHUB_RUN_ID', '')}"
    lines = [
        marker(stack),
        f"Stack {code(stack)} is not as the program on the default branch says: somebody changed it by hand,",
        "or a change of the program was not deployed yet.",
        "",
        "| resource | | properties |",
        "|---|---|---|",
    ]
    rows = [_row(drift) for drift in found]
    sizes = accumulate(map(len, rows))
    shown = [row for row, size in zip(rows, sizes, strict=True) if size <= _MOST_CHARACTERS]
    lines += shown
    if len(shown) < len(rows):
        lines.append(f"\n… and {len(rows) - len(shown)} more.")
    lines += ["", *_way_back(stack, found), "", f"[Keep or undo a hand edit]({page}) · [newest run]({run})"]
    return "\n".join(lines) + "\n"


def _row(drift: Drift) -> str:
    name = f"{code(drift.name)}<br>{code(drift.type)}"
    does = _DOES.get(drift.operation, "would be replaced")
    paths = [code(path) for path in drift.paths[:_MOST_PATHS]]
    more = len(drift.paths) - len(paths)
    if drift.owners:
        does = f"was changed by {', '.join(map(code, drift.owners))}, which now owns the fields"
    return f"| {name} | {does} | {', '.join(paths)}{f' and {more} more' if more else ''} |"


def _way_back(stack: str, found: Sequence[Drift]) -> Iterator[str]:
    """What to do, by who holds the fields: the page has the reasons, and tests that play it."""
    owners = {owner for drift in found for owner in drift.owners}
    yield "To keep the change, set the same value in the stack's file. To undo it:"
    yield "\n```sh"
    yield f"pulumi refresh --stack {stack}"
    if owners and all(owner.startswith("kubectl") for owner in owners):
        yield f"pulumi up --stack {stack} --skip-preview"
    elif owners:
        yield f"PULUMI_K8S_ENABLE_PATCH_FORCE=true pulumi up --stack {stack}"
    else:
        yield f"pulumi up --stack {stack}"
    yield "```"
    if owners:
        yield "\nThe preview stopped at the fields that others own, so that there may be more drift than this."


def settle(github: GitHub, stack: str, found: Sequence[Drift], environment: Mapping[str, str]) -> str:
    """Opens, updates or closes the issue of a stack.

    Returns:
        What it did, one line.

    Raises:
        GitHubError: GitHub refuses.
    """
    listed = github.pages("/issues", state="open", labels=LABEL, sort="created", direction="asc")
    issues = [issue for issue in listed if "pull_request" not in issue]
    there = marked.ours(issues, marked.author(environment)).get(marker(stack))
    if not found:
        if there is None:
            return f"{stack}: no drift"
        done = {"body": "There is no drift any more.\n"}
        github.post(f"/issues/{there['number']}/comments", done)
        github.patch(f"/issues/{there['number']}", {"state": "closed", "state_reason": "completed"})
        return f"{stack}: no drift any more; closed #{there['number']}"
    text = body(stack, found, environment)
    if there is not None:
        github.patch(f"/issues/{there['number']}", {"body": text})
        return f"{stack}: {len(found)} with drift; updated #{there['number']}"
    _make_label(github)
    new: dict[str, Any] = github.post(
        "/issues", {"title": f"Drift of stack {stack}", "body": text, "labels": [LABEL]}
    )
    return f"{stack}: {len(found)} with drift; opened #{new['number']}"


def _make_label(github: GitHub) -> None:
    try:
        github.post("/labels", {"name": LABEL, "color": "d93f0b", "description": "Not as the program says"})
    except GitHubError as error:
        if error.status != _EXISTS_ALREADY:
            raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Tells the drift of one stack.

    Returns:
        0 whether there is drift or not; 1 where the preview failed for another reason or GitHub refuses.
    """
    parser = argparse.ArgumentParser(
        prog="python -m delivery.drift", description="One issue per drifted stack."
    )
    parser.add_argument("stack")
    parser.add_argument(
        "--preview", type=Path, required=True, help="output of pulumi preview --refresh --json"
    )
    parser.add_argument("--said", type=Path, required=True, help="what it wrote on stderr")
    parser.add_argument("--dry-run", action="store_true", help="print the issue instead of writing it")
    options = parser.parse_args(arguments)
    if not is_stack_name(options.stack):
        parser.error(f"{options.stack!a} is no stack's name")
    try:
        found = drifts(options.preview.read_text(encoding="utf-8"), options.said.read_text(encoding="utf-8"))
        if options.dry_run:
            print(body(options.stack, found, os.environ) if found else f"{options.stack}: no drift")
            return 0
        print(settle(GitHub.from_environment(), options.stack, found, os.environ))
    except (PreviewError, GitHubError, OSError, UnicodeDecodeError) as error:
        print(f"error: {options.stack}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
