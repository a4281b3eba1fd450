"""`kubeflow-aks policy`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import nearest_project, project_root


@click.command(
    "policy",
    cls=Command,
    example="policy prod --format json",
    exit_codes={
        0: "no mandatory rule is violated",
        1: "a mandatory rule is violated, an exception is stale or past its last day, or the settings are not allowed",
        3: "the program fails, or the plan or the list of exceptions can't be read",
    },
)
@options.stack()
@click.option(
    "--plan", type=options.FILE, metavar="FILE", help="Judge this plan.json instead of STACK's file."
)
@options.form("text", "json")
@options.root
def command(stack: str, plan: Path | None, form: str, root: Path | None) -> int:
    """Show the verdict of each policy rule for STACK, and which violations are accepted for which reason."""
    from kubeflow_aks.policy.command import of_plan, of_stack

    if plan:
        return of_plan(plan, root or nearest_project(), form)
    return of_stack(stack, project_root(root), form)
