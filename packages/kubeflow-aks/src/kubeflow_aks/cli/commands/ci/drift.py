"""`kubeflow-aks ci drift`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command


@click.command(
    "drift",
    cls=Command,
    example="ci drift dev --preview preview.json --messages preview.txt",
    needs_checkout=True,
    exit_codes={
        0: "the issue is as it should be, whether there is drift or not",
        1: "GitHub refuses",
        3: "the preview failed, so drift is not known",
    },
)
@click.argument("stack", shell_complete=options.stacks)
@click.option(
    "--preview", type=options.FILE, required=True, help="Output of `pulumi preview --refresh --json`."
)
@click.option("--messages", type=options.FILE, required=True, help="What that wrote on stderr.")
@click.option("--dry-run", is_flag=True, help="Print the issue instead of writing it.")
def command(stack: str, preview: Path, messages: Path, *, dry_run: bool) -> int:
    """Open, update or close the issue on the drift of STACK."""
    from kubeflow_aks.ci.drift import run

    return run(stack, preview, messages, dry_run=dry_run)
