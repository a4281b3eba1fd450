"""`kubeflow-aks ci comment`."""

import click

from kubeflow_aks.cli.groups import Command


@click.command(
    "comment",
    cls=Command,
    example="ci comment",
    needs_checkout=True,
    exit_codes={
        0: "the comments are written, or there is nothing to write",
        1: "a preview is not as it should be, a fork's job ran on a runner of yours, or GitHub refuses",
    },
)
def command() -> int:
    """Write a comment for each stack on the pull request of the preview run RUN_ID (environment)."""
    from kubeflow_aks.ci.comment import run

    return run()
