"""`kubeflow-aks stop`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "stop",
    cls=Command,
    example="stop dev",
    takes_minutes=True,
    exit_codes={
        0: "the cluster is stopped",
        1: "it may not be changed now, or did not change",
        3: "the stack's state or its cluster can't be read",
    },
)
@options.stack()
@click.option("--force", is_flag=True, help="Stop a production cluster, too.")
@options.root
def command(stack: str, *, force: bool, root: Path | None) -> int:
    """Stop STACK's cluster on Azure, and wait: its objects stay, its nodes cost nothing."""
    from kubeflow_aks.ci.power import stop
    from kubeflow_aks.interrupts import interruptible

    with interruptible("Azure goes on with what it has begun"):
        return stop(stack, project_root(root), force=force)
