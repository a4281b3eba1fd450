"""`kubeflow-aks ci losses`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command


@click.command(
    "losses",
    cls=Command,
    example="ci losses preview.json",
    needs_checkout=True,
    exit_codes={
        0: "nothing is lost that was not approved; without --approved, the losses are printed",
        1: "more is deleted or replaced than was approved",
        3: "a file is not what it should be, as after a preview that failed",
    },
)
@click.argument("preview", type=options.FILE)
@click.option(
    "--approved", type=options.FILE, metavar="FILE", help="What this command printed of the approved preview."
)
def command(preview: Path, *, approved: Path | None) -> int:
    """Print what PREVIEW deletes and replaces, or compare it with what was approved."""
    from kubeflow_aks.ci.losses import run

    return run(preview, approved)
