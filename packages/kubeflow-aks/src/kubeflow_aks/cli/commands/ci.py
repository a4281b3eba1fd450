"""`kubeflow-aks ci`: what the workflows call."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.group("ci")
def command() -> None:
    """Do what the workflows in .github need."""


def _command(name: str, **described: Any) -> Callable[[Callable[..., int]], click.Command]:
    return command.command(name, cls=Command, needs_checkout=True, **described)


@_command(
    "comment",
    example="ci comment",
    exit_codes={
        0: "the comments are written, or there is nothing to write",
        1: "a preview is not as it should be, a fork's job ran on a runner of yours, or GitHub refuses",
    },
)
def comment() -> int:
    """Write a comment for each stack on the pull request of the preview run RUN_ID (environment)."""
    from kubeflow_aks.ci.comment import run

    return run()


@_command(
    "currency",
    example="ci currency --all",
    exit_codes={
        0: "nothing is old; with --issue, the issue is as it should be",
        1: "something is old or ends soon; the table names it",
        3: "nothing is, and something was not checked; the table has the reason",
    },
)
@click.option("--all", "every", is_flag=True, help="Show what is as it should be, too.")
@click.option("--issue", "to_issue", is_flag=True, help="Open, update or close the issue with the table.")
@click.option(
    "--day", type=click.DateTime(["%Y-%m-%d"]), help="The day to judge by, such as 2026-11-24; default today."
)
@options.root
def currency(*, every: bool, to_issue: bool, day: datetime | None, root: Path | None) -> int:
    """Find pinned versions, prices, support windows and images that have become old."""
    from kubeflow_aks.ci.currency import run

    return run(project_root(root), (day or datetime.now(UTC)).date(), every=every, to_issue=to_issue)


@_command(
    "demo",
    example="ci demo trial --hours 4",
    exit_codes={0: "the stack file is written", 1: "there is such a file already, or it cannot be written"},
)
@click.argument("name")
@click.option("--hours", required=True, help="How long the demo lasts, 1 to 72.")
@click.option(
    "--budget", help="The most that a month of it may cost, in cost.currency; above it `cost` exits with 1."
)
@options.root
def demo(name: str, hours: str, budget: str | None, root: Path | None) -> int:
    """Write the stack file of a demo NAME (at most 15 lower-case letters, digits and hyphens) that ends by itself."""
    from kubeflow_aks.ci.demo import run

    return run(name, hours, project_root(root), budget=budget)


@_command(
    "drift",
    example="ci drift dev --preview preview.json --messages preview.txt",
    exit_codes={
        0: "the issue is as it should be, whether there is drift or not",
        1: "GitHub refuses",
        3: "the preview failed, so drift is not known",
    },
)
@click.argument("stack", shell_complete=options.stacks)
@click.option(
    "--preview", type=options.FILE, required=True, help="Output of `pulumi preview --refresh --json`."
)
@click.option("--messages", type=options.FILE, required=True, help="What that wrote on stderr.")
@click.option("--dry-run", is_flag=True, help="Print the issue instead of writing it.")
def drift(stack: str, preview: Path, messages: Path, *, dry_run: bool) -> int:
    """Open, update or close the issue on the drift of STACK."""
    from kubeflow_aks.ci.drift import run

    return run(stack, preview, messages, dry_run=dry_run)


@_command(
    "losses",
    example="ci losses preview.json",
    exit_codes={
        0: "nothing is lost that was not approved; without --approved, the losses are printed",
        1: "more is deleted or replaced than was approved",
        3: "a file is not what it should be, as after a preview that failed",
    },
)
@click.argument("preview", type=options.FILE)
@click.option(
    "--approved", type=options.FILE, metavar="FILE", help="What this command printed of the approved preview."
)
def losses(preview: Path, *, approved: Path | None) -> int:
    """Print what PREVIEW deletes and replaces, or compare it with what was approved."""
    from kubeflow_aks.ci.losses import run

    return run(preview, approved)


@_command(
    "office-hours",
    example="ci office-hours dev --dry-run",
    exit_codes={
        0: "the cluster is as its hours say, or is left for a reason",
        1: "it did not stop or start, or GitHub refuses",
        3: "the stack's state or its cluster can't be read",
    },
)
@click.argument("stack", shell_complete=options.stacks)
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
@click.option("--poll", type=float, default=15.0, show_default=True, help="Seconds between two requests.")
@options.root
def office_hours(stack: str, *, dry_run: bool, poll: float, root: Path | None) -> int:
    """Stop or start STACK's cluster by its setting officeHours."""
    from kubeflow_aks.ci.office_hours import run
    from kubeflow_aks.interrupts import interruptible

    with interruptible("Azure goes on with what it has begun"):
        return run(stack, project_root(root), dry_run=dry_run, poll=poll)


@_command(
    "power",
    example="ci power state dev",
    exit_codes={
        0: "the cluster is in that state, or its state is printed",
        1: "it may not be changed now, or did not change",
        3: "the stack's state or its cluster can't be read",
    },
)
@click.argument("what", type=options.Choice(["state", "start", "stop"]))
@click.argument("stack", shell_complete=options.stacks)
@click.option("--force", is_flag=True, help="Stop a production cluster, too.")
@click.option("--poll", type=float, default=15.0, show_default=True, help="Seconds between two requests.")
@click.option("--rest", type=float, default=15.0, show_default=True, help="Minutes from a stop to a start.")
@options.root
def power(what: str, stack: str, *, force: bool, poll: float, rest: float, root: Path | None) -> int:
    """Print the state of STACK's cluster as one word (running, stopped, absent), or start or stop it."""
    from datetime import timedelta

    from kubeflow_aks.ci import power
    from kubeflow_aks.interrupts import interruptible

    project = project_root(root)
    if what == "state":
        return power.show_state(stack, project)
    with interruptible("Azure goes on with what it has begun"):
        pause = timedelta(minutes=rest)
        return power.switch(stack, project, run=what == "start", force=force, rest=pause, poll=poll)


@_command(
    "proof",
    example="ci proof demo-proof --commit 0a1b2c3 --results build/demo-proof",
    exit_codes={
        0: "the line is printed; a part whose file is missing is null",
        3: "a file is not what its command writes",
    },
)
@click.argument("stack")
@click.option("--commit", required=True, help="The commit that ran.")
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Has verify.json, drill.json and measured.json.",
)
def proof(stack: str, *, commit: str, results: Path) -> int:
    """Print one line of history about what a run of STACK on Azure proved."""
    from kubeflow_aks.ci.proof import run

    return run(stack, commit, results)


@_command(
    "reaper",
    example="ci reaper --destroy",
    exit_codes={
        0: "no expired demo is left",
        1: "a stack could not be destroyed as a whole",
        3: "the stacks can't be listed",
    },
)
@click.option(
    "--destroy", is_flag=True, help="Destroy expired demos; otherwise only print what would be done."
)
@options.root
def reaper(*, destroy: bool, root: Path | None) -> int:
    """End the demo stacks whose time is over, and nothing else."""
    from kubeflow_aks.ci.reaper import run
    from kubeflow_aks.interrupts import interruptible

    with interruptible("Pulumi ends what it has begun; run it again"):
        return run(project_root(root), destroy=destroy)


@_command(
    "stacks",
    example="ci stacks --only 'dev prod'",
    exit_codes={0: "the list is printed", 1: "the list cannot be made"},
)
@click.option(
    "--base", default="", metavar="COMMIT", help="List the stacks of this commit, too; its full hash."
)
@click.option("--only", default="", metavar="NAMES", help="Only these, with spaces between them.")
@options.root
def stacks(base: str, only: str, root: Path | None) -> int:
    """Print the stacks of the project as one line of JSON."""
    from kubeflow_aks.ci.stacks import show

    return show(project_root(root), base, only)
