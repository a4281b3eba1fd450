"""`kubeflow-aks ci stacks`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "stacks",
    cls=Command,
    example="ci stacks --only 'dev prod'",
    needs_checkout=True,
    exit_codes={0: "the list is printed", 1: "the list cannot be made"},
)
@click.option(
    "--base", default="", metavar="COMMIT", help="List the stacks of this commit, too; its full hash."
)
@click.option("--only", default="", metavar="NAMES", help="Only these, with spaces between them.")
@options.root
def command(base: str, only: str, root: Path | None) -> int:
    """Print the stacks of the project as one line of JSON."""
    from kubeflow_aks.ci.stacks import show

    return show(project_root(root), base, only)
