"""`kubeflow-aks ci`: what the workflows call."""

from typing import Final

import click

from kubeflow_aks.cli.groups import LazyGroup

_MODULES: Final = {
    name: f"{__name__}.{name.replace('-', '_')}"
    for name in (
        "comment",
        "demo",
        "drift",
        "images",
        "losses",
        "office-hours",
        "power",
        "proof",
        "reaper",
        "stacks",
    )
}


@click.group("ci", cls=LazyGroup, modules=_MODULES)
def command() -> None:
    """Do what the workflows in .github need."""
