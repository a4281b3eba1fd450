"""`kubeflow-aks ci demo`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "demo",
    cls=Command,
    example="ci demo trial --hours 4",
    needs_checkout=True,
    exit_codes={0: "the stack file is written", 1: "there is such a file already, or it cannot be written"},
)
@click.argument("name")
@click.option("--hours", required=True, help="How long the demo lasts, 1 to 72.")
@click.option(
    "--budget", help="The most that a month of it may cost, in cost.currency; above it `cost` exits with 1."
)
@options.root
def command(name: str, hours: str, budget: str | None, root: Path | None) -> int:
    """Write the stack file of a demo NAME (at most 15 lower-case letters, digits and hyphens) that ends by itself."""
    from kubeflow_aks.ci.demo import run

    return run(name, hours, project_root(root), budget=budget)
