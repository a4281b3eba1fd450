"""`kubeflow-aks sizes`."""

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command


@click.command(
    "sizes",
    cls=Command,
    example="sizes --gpu --location swedencentral",
    extra="cost",
    exit_codes={0: "sizes are listed", 1: "no size matches"},
)
@click.option("--gpu", is_flag=True, help="List sizes with GPUs, by default those without.")
@click.option("--vcpus", type=options.Whole(2, 1024), help="Exactly so many vCPU; by default four or more.")
@click.option("--memory", type=options.Whole(1, 65536), default=1, help="At least so much memory, in GiB.")
@click.option("--arm", is_flag=True, help="List sizes with ARM processors, by default x64.")
@click.option(
    "--location",
    metavar="REGION",
    default="westeurope",
    show_default=True,
    shell_complete=options.locations,
    help="Region of Azure.",
)
@click.option(
    "--count",
    type=options.Whole(1, 1000),
    default=1,
    show_default=True,
    help="Spot VMs at once that Azure's placement score is for.",
)
@click.option("--most", type=options.Whole(1, 100), default=20, show_default=True, help="List so many sizes.")
@click.option("--offline", is_flag=True, help="Use the prices that are stored here, without the network.")
@options.form("text", "json")
def command(
    *,
    gpu: bool,
    vcpus: int | None,
    memory: int,
    arm: bool,
    location: str,
    count: int,
    most: int,
    offline: bool,
    form: str,
) -> int:
    """List VM sizes for a spot pool side by side: hardware, prices, evictions, Azure's placement score and quota."""
    from kubeflow_aks.interrupts import interruptible
    from kubeflow_aks.sizes.command import sizes
    from kubeflow_aks.sizes.listing import Filter

    with interruptible():
        return sizes(
            Filter(region=location, gpu=gpu, vcpus=vcpus, memory_gib=memory, arm=arm),
            count=count,
            most=most,
            offline=offline,
            form=form,
        )
