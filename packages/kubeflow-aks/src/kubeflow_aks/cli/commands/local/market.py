"""`kubeflow-aks local market`."""

from pathlib import Path
from typing import Any

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.local_aks.simulation.market import ALL, Reclaim, Supply
from kubeflow_aks.project import project_root


class _Count(options.Whole):
    """A number of nodes, or all of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return ALL if value == "all" else super().convert(value, param, ctx)


@click.command(
    "market",
    cls=Command,
    example="local market evict spot --count 2",
    needs_checkout=True,
    needs_unix=True,
    exit_codes={
        0: "it happened",
        1: "no local AKS runs, or it is not possible there",
    },
)
@click.argument("what", type=options.Choice([way.value for way in (*Reclaim, *Supply)]))
@click.argument("pool")
@click.option(
    "--count", type=_Count(1, 999_999), default=1, show_default=True, help="How many nodes, or all."
)
@click.option("--node", default="", help="The node; by default the market chooses.")
@click.option("--stack", shell_complete=options.stacks, help="Needed where several run.")
@options.build
@options.root
def command(
    what: str, pool: str, *, count: int, node: str, stack: str | None, build: Path | None, root: Path | None
) -> int:
    """Make something happen to POOL on the simulated market; VMs are taken back from spot pools only."""
    from kubeflow_aks.demo.market import market
    from kubeflow_aks.demo.place import Place

    project = project_root(root)
    return market(Place(project, build or project / "build"), stack, what, pool, count=count, node=node)
