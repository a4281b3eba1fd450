"""`kubeflow-aks start`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "start",
    cls=Command,
    example="start dev",
    takes_minutes=True,
    exit_codes={
        0: "the cluster runs",
        1: "it may not be changed now, or did not change",
        3: "the stack's state or its cluster can't be read",
    },
)
@options.stack()
@options.root
def command(stack: str, root: Path | None) -> int:
    """Start STACK's stopped cluster on Azure, and wait until it runs."""
    from kubeflow_aks.ci.power import start
    from kubeflow_aks.interrupts import interruptible

    with interruptible("Azure goes on with what it has begun"):
        return start(stack, project_root(root))
