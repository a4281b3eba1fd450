"""`kubeflow-aks verify`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command


@click.command(
    "verify",
    cls=Command,
    example="verify prod",
    exit_codes={
        0: "no promise is broken",
        1: "a promise is broken now",
        3: "the stack's outputs or its cluster can't be read, or the account may read none of its objects",
        4: "nothing is broken now, and something will break",
    },
)
@options.stack()
@options.form("text", "json")
@options.outputs
@click.option(
    "--state",
    type=options.FILE,
    metavar="FILE",
    help="Read the stack's state from this file, written by `pulumi stack export`.",
)
@click.option(
    "--juju-status",
    type=options.FILE,
    metavar="FILE",
    help="Compare the charms in this file with the release's, written by `juju status --format json`.",
)
@options.root
def command(  # noqa: PLR0917 - one for each option
    stack: str,
    form: str,
    outputs: Path | None,
    state: Path | None,
    juju_status: Path | None,
    root: Path | None,
) -> int:
    """Check whether STACK's cluster keeps this product's promises; changes nothing."""
    from kubeflow_aks.deployed.outputs import read
    from kubeflow_aks.deployed.state import objects
    from kubeflow_aks.interrupts import interruptible
    from kubeflow_aks.verify.command import verify

    with interruptible("nothing was changed"):
        deployed = read(stack, outputs, root)
        registered = None if outputs and not state else lambda: objects(deployed.stack, state, root)
        return verify(deployed, registered, form, juju_status)
