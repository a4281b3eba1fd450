"""`kubeflow-aks diff`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "diff",
    cls=Command,
    example="diff origin/main --stack prod",
    needs_checkout=True,
    needs_unix=True,
    takes_minutes=True,
    exit_codes={
        0: "the change can be deployed, whatever it changes",
        1: "the changed program does not run, violates a mandatory rule, or would replace or delete what is protected, "
        "or Azure refuses a part of it",
        3: "nothing can be compared: no git repository, no built engine, no environment of a tree's packages, or "
        "policy exceptions that can't be read",
    },
)
@click.argument("base", default="origin/main")
@click.option(
    "--stack",
    "stacks",
    multiple=True,
    shell_complete=options.stacks,
    help="Only this stack; may be repeated. All by default.",
)
@click.option("--control-plane", is_flag=True, help="Also ask a real API server, where it is built.")
@click.option(
    "--time-limit",
    type=options.SECONDS,
    default=300.0,
    metavar="SECONDS",
    help="Limit for each program; 300 by default.",
)
@options.root
def command(
    base: str, *, stacks: tuple[str, ...], control_plane: bool, time_limit: float, root: Path | None
) -> int:
    """Show what the change since BASE (a branch, tag or commit) would do to each stack; needs no account."""
    from kubeflow_aks.pull_request.command import preview

    return preview(base, project_root(root), stacks=stacks, control_plane=control_plane, limit=time_limit)
