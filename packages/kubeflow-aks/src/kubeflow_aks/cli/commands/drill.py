"""`kubeflow-aks drill`."""

import sys
from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.exit_codes import UsageError
from kubeflow_aks.project import project_root


@click.command(
    "drill",
    cls=Command,
    example="drill dev --nodes 2",
    needs_checkout=True,
    takes_minutes=True,
    exit_codes={
        0: "every promise that was played is kept",
        1: "a promise is not kept, something failed, or nobody agreed to start",
        3: "the stack's outputs, its cluster or Azure can't be read, or no promise could be judged",
    },
)
@options.stack()
@click.option("--yes", is_flag=True, help="Start without a question: agree to what it does and costs.")
@click.option("--any-node", is_flag=True, help="Evict nodes also where pods of others run.")
@click.option(
    "--nodes", type=options.Whole(1, 10), default=3, show_default=True, help="The most nodes at a time."
)
@click.option(
    "--minutes", type=options.Whole(5, 240), default=45, show_default=True, help="When it ends at the latest."
)
@options.outputs
@options.build
@options.root
def command(
    stack: str,
    *,
    yes: bool,
    any_node: bool,
    nodes: int,
    minutes: int,
    outputs: Path | None,
    build: Path | None,
    root: Path | None,
) -> int:
    """Have Azure evict spot nodes of STACK's cluster, and watch what becomes of the work; asks first."""
    from kubeflow_aks.deployed.outputs import read
    from kubeflow_aks.drill.command import Options, drill
    from kubeflow_aks.interrupts import interruptible

    with interruptible():
        deployed = read(stack, outputs, root)
        folder = (build or project_root(root) / "build") / deployed.stack
        return drill(deployed, Options(nodes, minutes, any_node, folder), lambda: yes or confirmed("Start?"))


def confirmed(question: str) -> bool:
    """Whether somebody at a terminal says yes.

    Raises:
        UsageError: stdin is not a terminal.
    """
    if not sys.stdin or not sys.stdin.isatty():
        raise UsageError("cannot ask for confirmation: stdin is not a terminal; pass --yes")
    try:
        return input(f"{question} [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        return False
