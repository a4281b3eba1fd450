"""`kubeflow-aks ci proof`."""

from pathlib import Path

import click

from kubeflow_aks.cli.groups import Command


@click.command(
    "proof",
    cls=Command,
    example="ci proof demo-proof --commit 0a1b2c3 --results build/demo-proof",
    needs_checkout=True,
    exit_codes={
        0: "the line is printed; a part whose file is missing is null",
        3: "a file is not what its command writes",
    },
)
@click.argument("stack")
@click.option("--commit", required=True, help="The commit that ran.")
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Has verify.json, drill.json and measured.json.",
)
def command(stack: str, *, commit: str, results: Path) -> int:
    """Print one line of history about what a run of STACK on Azure proved."""
    from kubeflow_aks.ci.proof import run

    return run(stack, commit, results)
