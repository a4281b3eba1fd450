"""`kubeflow-aks local down`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "down",
    cls=Command,
    example="local down",
    needs_checkout=True,
    needs_unix=True,
    exit_codes={
        0: "every local AKS is removed",
        1: "one is in use, or can't be removed",
    },
)
@options.build
@options.root
def command(build: Path | None, root: Path | None) -> int:
    """Remove every local AKS of the project, also one that was left half-started."""
    from kubeflow_aks.demo.down import down
    from kubeflow_aks.demo.place import Place
    from kubeflow_aks.interrupts import interruptible

    project = project_root(root)
    with interruptible("run it again to remove what is left"):
        return down(Place(project, build or project / "build"))
