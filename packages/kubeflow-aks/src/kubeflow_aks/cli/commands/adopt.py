"""`kubeflow-aks adopt`."""

from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "adopt",
    cls=Command,
    example="adopt prod --resource-group rg-ml --name aks-ml",
    exit_codes={
        0: "the files are written, and the first `pulumi up` replaces nothing",
        1: "it would replace something, or the program refuses such a cluster; nothing is written",
        3: "the cluster can't be read, or the program fails",
    },
)
@click.argument("stack")
@click.option("--resource-group", "group", metavar="GROUP", help="The cluster's resource group, for `az`.")
@click.option("--name", metavar="CLUSTER", help="The cluster's name, for `az`.")
@click.option(
    "--cluster", metavar="FILE", help="Read the answer of `az aks show` from this file, - for stdin."
)
@click.option("--pools", metavar="FILE", help="With --cluster: the answer of `az aks nodepool list`.")
@click.option(
    "--maintenance",
    metavar="FILE",
    help="With --cluster: the answer of `az aks maintenanceconfiguration list`.",
)
@click.option("--owner", metavar="TEAM", help="Tag `owner`, where the cluster has none.")
@options.build
@options.root
def command(
    stack: str,
    *,
    group: str | None,
    name: str | None,
    cluster: str | None,
    pools: str | None,
    maintenance: str | None,
    owner: str | None,
    build: Path | None,
    root: Path | None,
) -> int:
    """Take over a cluster made by other means: write the file of a new STACK, and the file for `pulumi import`.

    It lists what the first `pulumi up` changes in place, and which pools are left as they are.
    """
    from kubeflow_aks.adopt.command import adopt, existing, new_file
    from kubeflow_aks.interrupts import interruptible

    with interruptible():
        folder = project_root(root)
        new_file(stack, folder)  # before Azure is read
        cluster_in_azure = existing(group, name, cluster, pools, maintenance)
        return adopt(stack, folder, cluster_in_azure, build or folder / "build", owner=owner)
