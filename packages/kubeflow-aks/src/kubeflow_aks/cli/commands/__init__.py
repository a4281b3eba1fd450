"""The commands, one module each; what a command does is imported when it runs."""

from typing import Final

import click

from kubeflow_aks.cli.groups import LazyGroup
from kubeflow_aks.text.terminal import terminal_width

PROGRAM: Final = "kubeflow-aks"
MODULES: Final = {
    name: f"{__name__}.{'power' if name in ('start', 'stop') else name.replace('-', '_')}"
    for name in (
        *("sizes", "preview", "quota", "policy", "cost", "cost-trace", "diff", "adopt"),
        *("verify", "handoff", "drill", "start", "stop"),
        *("demo", "local", "ci"),
    )
}
"""The module of each command, by the command's name, in the order of the help."""


@click.group(
    PROGRAM,
    cls=LazyGroup,
    modules=MODULES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": terminal_width()},
)
def kubeflow_aks() -> None:
    """Previews, checks and operates an AKS cluster for Charmed Kubeflow.

    Each command works on the project whose Pulumi.yaml is nearest, and on a STACK with a file Pulumi.STACK.yaml.
    """
