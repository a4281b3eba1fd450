"""`kubeflow-aks cost`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import IS_CHECKOUT, project_root


@click.command(
    "cost",
    cls=Command,
    example="cost prod --against main",
    extra="cost",
    exit_codes={
        0: "the bill is within the stack's budget, or there is none",
        1: "the bill is over the budget, or the settings are not allowed",
        3: "the bill can't be made: the program fails, or a price, a plan, a file or the other commit can't be read",
    },
)
@options.stack()
@options.form("text", "markdown", "json", "svg")
@click.option("--offline", is_flag=True, help="Use the prices that are stored here, without the network.")
@click.option("--advise", is_flag=True, help="Show what would lower the bill, line by line.")
@click.option("--against", metavar="REF", help="Show the difference to this branch, tag or commit.")
@click.option(
    "--observed", type=options.FILE, metavar="FILE", help="Use what `ckf-spot where -o json` wrote."
)
@click.option("--measured", type=options.FILE, metavar="FILE", help="Use the times that a drill measured.")
@click.option(
    "--actual",
    type=options.FILE,
    multiple=True,
    metavar="FILE",
    help="Compare with charges: a CSV export of Azure, OpenCost's allocation, a record of nodes; may be repeated.",
)
@click.option("--write", is_flag=True, help="Write what the record of --actual shows into the stack file.")
@click.option(
    "--plan", type=options.FILE, metavar="FILE", help="Bill this plan.json instead of STACK's file."
)
@options.build
@options.root
def command(
    stack: str,
    *,
    form: str,
    offline: bool,
    advise: bool,
    against: str | None,
    observed: Path | None,
    measured: Path | None,
    actual: tuple[Path, ...],
    write: bool,
    plan: Path | None,
    build: Path | None,
    root: Path | None,
) -> int:
    """Show what STACK is expected to cost a month, evictions included."""
    if advise and (plan or form == "svg"):
        raise click.UsageError(
            "--advise needs a stack's file, and no pictures: leave out --plan and --format svg"
        )
    if against is not None and (plan or observed or measured or actual or advise or form == "svg"):
        raise click.UsageError(
            "--against is not allowed with --plan, --observed, --measured, --actual, --advise or --format svg"
        )
    if write and (not actual or plan):
        raise click.UsageError("--write needs --actual and a stack's file: leave out --plan")
    if actual and form == "svg":
        raise click.UsageError("--actual is not allowed with --format svg")
    # The other commit's plan is made by that commit's own commands.
    if against is not None and not IS_CHECKOUT:
        raise click.UsageError("--against works in a checkout of kubeflow-aks only")
    from kubeflow_aks.cost.command import Options, cost

    return cost(
        Options(
            stack=stack,
            root=None if plan else project_root(root),
            plan=plan,
            form=form,
            offline=offline,
            observed=observed,
            measured=measured,
            actual=actual,
            write=write,
            advise=advise,
            against=against,
            build=build or project_root(root) / "build",
        )
    )
