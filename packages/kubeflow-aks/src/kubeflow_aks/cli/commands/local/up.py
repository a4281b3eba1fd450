"""`kubeflow-aks local up`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "up",
    cls=Command,
    example="local up dev",
    needs_checkout=True,
    needs_unix=True,
    takes_minutes=True,
    exit_codes={
        0: "the local AKS runs",
        1: "something failed",
    },
)
@options.stack("demo")
@options.speed
@options.build
@options.root
def command(stack: str, speed: float, build: Path | None, root: Path | None) -> int:
    """Bring STACK up on a local AKS, to play with it."""
    from kubeflow_aks.demo.bring_up import up
    from kubeflow_aks.demo.place import Place
    from kubeflow_aks.interrupts import interruptible

    project = project_root(root)
    with interruptible("`./kubeflow-aks local down` removes what was started"):
        return up(Place(project, build or project / "build"), stack, speed)
