"""`kubeflow-aks ci reaper`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "reaper",
    cls=Command,
    example="ci reaper --destroy",
    needs_checkout=True,
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
def command(*, destroy: bool, root: Path | None) -> int:
    """End the demo stacks whose time is over, and nothing else."""
    from kubeflow_aks.ci.reaper import run
    from kubeflow_aks.interrupts import interruptible

    with interruptible("Pulumi ends what it has begun; run it again"):
        return run(project_root(root), destroy=destroy)
