"""`kubeflow-aks local build`."""

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command


@click.command(
    "build",
    cls=Command,
    example="local build --check",
    needs_checkout=True,
    needs_unix=True,
    takes_minutes=True,
    exit_codes={
        0: "every tool is built; their folder is printed",
        1: "a tool is missing (--check), or can't be built here",
    },
)
@click.option("--check", is_flag=True, help="Only show what is built and what is missing.")
@click.option(
    "--with",
    "extras",
    multiple=True,
    metavar="GROUP",
    help="Build these, too: argo, training, tofu, juju or sdks.",
)
@click.option("--only", multiple=True, metavar="TOOL", help="Only this tool; may be repeated.")
@click.option(
    "--crds", is_flag=True, help="Download the custom resources that tests check objects against, too."
)
@click.option(
    "--jobs",
    type=options.Whole(1, 8),
    default=2,
    show_default=True,
    help="Builds at once.",
)
def command(*, check: bool, extras: tuple[str, ...], only: tuple[str, ...], crds: bool, jobs: int) -> int:
    """Build the tools of the local AKS that are missing; the first time takes about 20 minutes."""
    from kubeflow_aks.interrupts import interruptible
    from kubeflow_aks.tools.command import build, chosen
    from kubeflow_aks.tools.command import check as look

    selected = chosen(extras, only)
    if check:
        return look(selected, crds=crds)
    with interruptible("what is finished is kept, run it again to go on"):
        return build(selected, crds=crds, jobs=jobs)
