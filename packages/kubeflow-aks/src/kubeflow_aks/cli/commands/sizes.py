"""`kubeflow-aks sizes`."""

from datetime import UTC, datetime
from pathlib import Path

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command
from kubeflow_aks.project import project_root


@click.command(
    "sizes",
    cls=Command,
    example="sizes --gpu --location swedencentral",
    extra="cost",
    exit_codes={
        0: "sizes are listed, or their order is right or written",
        1: "no size matches, or another order is better",
    },
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
@click.option(
    "--order",
    metavar="STACK",
    shell_complete=options.stacks,
    help="Instead show the VM sizes of this stack's spot pools by Azure's placement score, the best first.",
)
@click.option("--write", is_flag=True, help="Write that order, and its day, into the stack file.")
@options.root
@options.form("text", "json")
def command(
    *,
    order: str | None,
    write: bool,
    root: Path | None,
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

    if order is not None:
        from kubeflow_aks.clients.az import Az
        from kubeflow_aks.sizes.order import order as order_of

        if offline or form != "text":
            raise click.UsageError("--order asks Azure and prints text: leave out --offline and --format")
        with interruptible():
            return order_of(
                order, project_root(root), Az(seconds=30.0), datetime.now(UTC).date(), write=write
            )
    if write:
        raise click.UsageError("--write needs --order")
    with interruptible():
        return sizes(
            Filter(region=location, gpu=gpu, vcpus=vcpus, memory_gib=memory, arm=arm),
            count=count,
            most=most,
            offline=offline,
            form=form,
        )
