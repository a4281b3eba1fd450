"""`kubeflow-aks ci office-hours`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "office-hours",
    cls=Command,
    example="ci office-hours dev --dry-run",
    needs_checkout=True,
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
def command(stack: str, *, dry_run: bool, poll: float, root: Path | None) -> int:
    """Stop or start STACK's cluster by its setting officeHours."""
    from kubeflow_aks.ci.office_hours import run
    from kubeflow_aks.interrupts import interruptible

    with interruptible("Azure goes on with what it has begun"):
        return run(stack, project_root(root), dry_run=dry_run, poll=poll)
