"""`kubeflow-aks local shell`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "shell",
    cls=Command,
    example="local shell",
    needs_checkout=True,
    needs_unix=True,
    takes_minutes=True,
    exit_codes={
        0: "the exit code of the shell otherwise",
        1: "no local AKS runs",
    },
)
@options.stack(None)
@options.build
@options.root
def command(stack: str | None, build: Path | None, root: Path | None) -> int:
    """Open a shell with kubectl, KUBECONFIG, az and pulumi; STACK is needed where several run."""
    from kubeflow_aks.demo.place import Place
    from kubeflow_aks.demo.shell import shell

    project = project_root(root)
    return shell(Place(project, build or project / "build"), stack)
