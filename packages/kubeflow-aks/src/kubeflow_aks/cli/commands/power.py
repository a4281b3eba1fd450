"""`kubeflow-aks start` and `kubeflow-aks stop`."""

from collections.abc import Callable
from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


def _command(name: str, done: str) -> Callable[[Callable[..., int]], click.Command]:
    codes = {
        0: done,
        1: "it may not be changed now, or did not change",
        3: "the stack's state or its cluster can't be read",
    }
    return click.command(name, cls=Command, example=f"{name} dev", takes_minutes=True, exit_codes=codes)


@_command("start", "the cluster runs")
@options.stack()
@options.root
def start(stack: str, root: Path | None) -> int:
    """Start STACK's stopped cluster on Azure, and wait until it runs."""
    return _switch(stack, root, run=True)


@_command("stop", "the cluster is stopped")
@options.stack()
@click.option("--force", is_flag=True, help="Stop a production cluster, too.")
@options.root
def stop(stack: str, *, force: bool, root: Path | None) -> int:
    """Stop STACK's cluster on Azure, and wait: its objects stay, its nodes cost nothing."""
    return _switch(stack, root, run=False, force=force)


def _switch(stack: str, root: Path | None, *, run: bool, force: bool = False) -> int:
    from kubeflow_aks.ci.power import switch
    from kubeflow_aks.interrupts import interruptible

    with interruptible("Azure goes on with what it has begun"):
        return switch(stack, project_root(root), run=run, force=force)
