"""`kubeflow-aks quota`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "quota",
    cls=Command,
    example="quota prod",
    exit_codes={
        0: "the subscription has the quota",
        1: "quota is missing, subnets of others do not suffice, or the settings are not allowed",
        3: "the subscription's quota can't be read, so that only what is needed is printed, or the program fails",
    },
)
@options.stack()
@click.option(
    "--usage", metavar="FILE", help="Read the answer of `az vm list-usage` from this file, - for stdin."
)
@options.root
def command(stack: str, usage: str | None, root: Path | None) -> int:
    """Compare the vCPU quota that STACK needs with what the subscription has, as `az` shows it.

    So are the addresses that its nodes need in subnets of others (`network.subnetIds`).
    """
    from kubeflow_aks.interrupts import interruptible
    from kubeflow_aks.preview.quota import quota

    with interruptible():
        return quota(stack, project_root(root), usage)
