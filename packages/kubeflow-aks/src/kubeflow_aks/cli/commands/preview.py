"""`kubeflow-aks preview`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "preview",
    cls=Command,
    example="preview prod",
    exit_codes={
        0: "the plan is printed and written to build/STACK",
        1: "the settings are not allowed, or the plan violates a mandatory rule of policy",
        3: "the program fails, or the list of policy exceptions can't be read",
    },
)
@options.stack()
@options.root
def command(stack: str, root: Path | None) -> int:
    """Show what `pulumi up` would create for STACK; needs no account and no Pulumi CLI."""
    from kubeflow_aks.preview.command import preview

    return preview(stack, project_root(root))
