"""`kubeflow-aks ci drift STACK --preview FILE --messages FILE`: one issue per stack that differs from its program.

The issue is opened or updated while there is drift, and closed when there is none any more.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final

from kubeflow_aks.ci import issue
from kubeflow_aks.ci.drifts import Drift, PreviewError, drifts
from kubeflow_aks.ci.issue import Matter
from kubeflow_aks.clients.github import GitHub, GitHubError
from kubeflow_aks.exit_codes import ExitCode, UsageError
from kubeflow_aks.project import is_stack_name
from kubeflow_aks.text.escape import code
from kubeflow_aks.text.sentences import first_of

_LABEL: Final = ("drift", "Differs from the program")
_PAGE: Final = "docs/how-to/keep-or-undo-hand-edits.md"
_MOST_CHARACTERS: Final = 50_000
"""Characters of the rows; GitHub takes 65,536 in an issue."""
_MOST_PATHS: Final = 10
_DOES: Final = {"create": "is missing", "delete": "is no longer in the program", "update": "differs"}


def marker(stack: str) -> str:
    """The first line of the issue of a stack, which GitHub does not show."""
    return f"<!-- kubeflow-aks drift: {stack} -->"


def body(stack: str, differing: Sequence[Drift], environment: Mapping[str, str]) -> str:
    """The issue's text."""
    server, repository = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    page = f"{server}/{repository}/blob/{environment.get('GITHUB_SHA', 'main')}/{_PAGE}"
    run = f"{server}/{repository}/actions/runs/{environment.get('GITHUB_RUN_ID', '')}"
    lines = [
        marker(stack),
        f"Stack {code(stack)} differs from the program on the default branch: somebody changed it by hand,",
        "or a change of the program was not deployed yet.",
        "",
        "| resource | | properties |",
        "|---|---|---|",
    ]
    rows = [_row(drift) for drift in differing]
    sizes = accumulate(map(len, rows))
    shown = [row for row, size in zip(rows, sizes, strict=True) if size <= _MOST_CHARACTERS]
    lines += shown
    if len(shown) < len(rows):
        lines.append(f"\n… and {len(rows) - len(shown)} more.")
    lines += [
        "",
        *_way_back(stack, differing),
        "",
        f"[Keep or undo a hand edit]({page}) · [newest run]({run})",
    ]
    return "\n".join(lines) + "\n"


def _row(drift: Drift) -> str:
    name = f"{code(drift.name)}<br>{code(drift.type)}"
    does = _DOES.get(drift.operation, "would be replaced")
    paths = first_of([*map(code, drift.paths)], _MOST_PATHS)
    if drift.owners:
        does = f"was changed by {', '.join(map(code, drift.owners))}, which now owns the fields"
    return f"| {name} | {does} | {paths} |"


def _way_back(stack: str, differing: Sequence[Drift]) -> Iterator[str]:
    """What to do, by who holds the fields: the page has the reasons, and tests that play it."""
    owners = {owner for drift in differing for owner in drift.owners}
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


def settle(github: GitHub, stack: str, differing: Sequence[Drift], environment: Mapping[str, str]) -> str:
    """Opens, updates or closes the issue of a stack, and returns a line about it.

    Raises:
        GitHubError: GitHub refuses.
    """
    matter = Matter(marker(stack), f"Drift of stack {stack}", _LABEL, "There is no drift any more.")
    done = issue.settle(github, matter, body(stack, differing, environment) if differing else "", environment)
    if differing:
        return f"{stack}: {len(differing)} with drift; {done}"
    return f"{stack}: no drift any more; {done}" if done else f"{stack}: no drift"


def run(stack: str, preview: Path, messages: Path, *, dry_run: bool = False) -> ExitCode:
    """Reports the drift of one stack, by files with stdout and stderr of `pulumi preview --refresh --json`.

    Returns:
        GOOD whether there is drift or not.

    Raises:
        PreviewError: the preview failed for another reason.
        GitHubError: GitHub refuses.
    """
    if not is_stack_name(stack):
        raise UsageError(f"stack: {stack!a} is not allowed; expected the name of a stack")
    try:
        differing = drifts(preview.read_text(encoding="utf-8"), messages.read_text(encoding="utf-8"))
        if dry_run:
            print(body(stack, differing, os.environ) if differing else f"{stack}: no drift")
        else:
            print(settle(GitHub.from_environment(), stack, differing, os.environ))
    except UnicodeDecodeError as error:
        raise PreviewError(f"{stack}: {error}") from None
    except (PreviewError, GitHubError) as error:
        raise type(error)(f"{stack}: {error}") from error
    return ExitCode.GOOD
