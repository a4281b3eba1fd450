"""`kubeflow-aks local`: a local AKS to look at and to play with."""

from typing import Final

import click

from kubeflow_aks.cli.groups import LazyGroup

_MODULES: Final = {name: f"{__name__}.{name}" for name in ("up", "shell", "market", "down", "build")}


@click.group("local", cls=LazyGroup, modules=_MODULES)
def command() -> None:
    """Run a local AKS of a stack, to look at and to play with."""
