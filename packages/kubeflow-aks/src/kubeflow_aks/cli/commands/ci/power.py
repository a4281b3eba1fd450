"""`kubeflow-aks ci power`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "power",
    cls=Command,
    example="ci power state dev",
    needs_checkout=True,
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
def command(what: str, stack: str, *, force: bool, poll: float, rest: float, root: Path | None) -> int:
    """Print the state of STACK's cluster as one word (running, stopped, absent), or start or stop it."""
    from datetime import timedelta

    from kubeflow_aks.ci import power
    from kubeflow_aks.interrupts import interruptible

    project = project_root(root)
    if what == "state":
        return power.show_state(stack, project)
    with interruptible("Azure goes on with what it has begun"):
        if what == "start":
            return power.start(stack, project, rest=timedelta(minutes=rest), poll=poll)
        return power.stop(stack, project, force=force, poll=poll)
