"""`kubeflow-aks handoff`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "handoff",
    cls=Command,
    example="handoff prod",
    needs_checkout=True,
    exit_codes={
        0: "the files are written",
        1: "they can't be written",
        3: "the stack's outputs can't be read, or are not of this version of the program",
    },
)
@options.stack()
@click.option(
    "--stdout",
    is_flag=True,
    help="Write no file, but print all of them as JSON, secrets included, for a secret store.",
)
@click.option(
    "--default-pool",
    "default_pools",
    multiple=True,
    metavar="NAMESPACE=POOL",
    help="Default pool of a profile's pods, for the charm namespace-node-affinity; may be given several times.",
)
@options.outputs
@options.build
@options.root
def command(
    stack: str,
    *,
    stdout: bool,
    default_pools: tuple[str, ...],
    outputs: Path | None,
    build: Path | None,
    root: Path | None,
) -> int:
    """Write what Juju and Terraform need to deploy Charmed Kubeflow into STACK's cluster."""
    from kubeflow_aks.deployed.outputs import read
    from kubeflow_aks.handoff.command import show, write
    from kubeflow_aks.interrupts import interruptible

    with interruptible("what was there before is as it was"):
        deployed = read(stack, outputs, root)
        if stdout:
            return show(deployed, default_pools)
        return write(deployed, build or project_root(root) / "build", default_pools)
