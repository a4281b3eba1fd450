"""`kubeflow-aks ci images`."""

from datetime import UTC, datetime

import click

from kubeflow_aks.cli.groups import Command


@click.command(
    "images",
    cls=Command,
    example="ci images",
    needs_checkout=True,
    exit_codes={
        0: "every image was compared with its source within 90 days",
        1: "one was not; the output names it",
    },
)
@click.option(
    "--day", type=click.DateTime(["%Y-%m-%d"]), help="The day to judge by, such as 2026-11-24; default today."
)
def command(day: datetime | None) -> int:
    """Find images that nobody has compared with their sources for too long."""
    from kubeflow_aks.ci.images import run

    return run((day or datetime.now(UTC)).date())
