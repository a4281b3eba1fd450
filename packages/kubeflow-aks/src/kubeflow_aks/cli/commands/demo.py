"""`kubeflow-aks demo`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "demo",
    cls=Command,
    example="demo",
    needs_checkout=True,
    needs_unix=True,
    takes_minutes=True,
    exit_codes={0: "every promise is kept", 1: "a promise is not kept, or something failed"},
)
@options.stack("demo")
@options.speed
@click.option("--keep/--no-keep", default=True, help="Leave the local AKS running, or remove it at the end.")
@options.build
@options.root
def command(stack: str, *, speed: float, keep: bool, build: Path | None, root: Path | None) -> int:
    """Play the promises of this product on a local AKS of STACK, without Azure, and judge them."""
    from kubeflow_aks.demo.demo import demo
    from kubeflow_aks.demo.place import Place
    from kubeflow_aks.interrupts import interruptible

    project = project_root(root)
    with interruptible("`./kubeflow-aks local down` removes what was started"):
        return demo(Place(project, build or project / "build"), stack, speed, keep=keep)
