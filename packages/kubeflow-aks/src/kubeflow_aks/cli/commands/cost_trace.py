"""`kubeflow-aks cost-trace`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command


@click.command(
    "cost-trace",
    cls=Command,
    example="cost-trace spot trace.json",
    exit_codes={0: "the lines are printed", 3: "the file is no supply trace"},
)
@click.argument("pool")
@click.argument("file", type=options.FILE)
def command(pool: str, file: Path) -> int:
    """Print a supply trace, `{"metadata": {"gap_seconds": 300}, "data": [1, 0, …]}`, as settings of the spot POOL."""
    from kubeflow_aks.cost.trace import show

    return show(pool, file)
