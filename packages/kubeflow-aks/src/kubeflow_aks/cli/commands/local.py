"""`kubeflow-aks local`: a local AKS to look at and to play with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kubeflow_aks.cli import options
from kubeflow_aks.cli.groups import Command, OrderedGroup
from kubeflow_aks.local_aks.simulation.market import ALL, Reclaim, Supply
from kubeflow_aks.project import project_root

if TYPE_CHECKING:
    from kubeflow_aks.demo.place import Place


@click.group("local", cls=OrderedGroup)
def command() -> None:
    """Run a local AKS of a stack, to look at and to play with."""


def _command(name: str, **described: Any) -> Callable[[Callable[..., int]], click.Command]:
    return command.command(name, cls=Command, needs_checkout=True, needs_unix=True, **described)


def _place(build: Path | None, root: Path | None) -> Place:
    from kubeflow_aks.demo.place import Place

    project = project_root(root)
    return Place(project, build or project / "build")


class _Count(options.Whole):
    """A number of nodes, or all of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return ALL if value == "all" else super().convert(value, param, ctx)


@_command(
    "up",
    example="local up dev",
    takes_minutes=True,
    exit_codes={0: "the local AKS runs", 1: "something failed"},
)
@options.stack("demo")
@options.speed
@click.option(
    "--kubernetes-provider",
    "provider",
    type=options.Choice(("simulated", "real")),
    default="simulated",
    show_default=True,
    help="Who makes the Kubernetes objects: `real` is Pulumi's provider, which is built the first time.",
)
@options.build
@options.root
def up(stack: str, speed: float, provider: str, build: Path | None, root: Path | None) -> int:
    """Bring STACK up on a local AKS, to play with it."""
    from kubeflow_aks.demo.bring_up import up
    from kubeflow_aks.interrupts import interruptible

    with interruptible("`./kubeflow-aks local down` removes what was started"):
        return up(_place(build, root), stack, speed, real_provider=provider == "real")


@_command(
    "shell",
    example="local shell",
    takes_minutes=True,
    exit_codes={0: "the exit code of the shell otherwise", 1: "no local AKS runs"},
)
@options.stack(None)
@options.build
@options.root
def shell(stack: str | None, build: Path | None, root: Path | None) -> int:
    """Open a shell with kubectl, KUBECONFIG, az and pulumi; STACK is needed where several run."""
    from kubeflow_aks.demo.shell import shell

    return shell(_place(build, root), stack)


@_command(
    "market",
    example="local market evict spot --count 2",
    exit_codes={0: "it happened", 1: "no local AKS runs, or it is not possible there"},
)
@click.argument("what", type=options.Choice([way.value for way in (*Reclaim, *Supply)]))
@click.argument("pool")
@click.option(
    "--count", type=_Count(1, 999_999), default=1, show_default=True, help="How many nodes, or all."
)
@click.option("--node", default="", help="The node; by default the market chooses.")
@click.option("--stack", shell_complete=options.stacks, help="Needed where several run.")
@options.build
@options.root
def market(
    what: str, pool: str, *, count: int, node: str, stack: str | None, build: Path | None, root: Path | None
) -> int:
    """Make something happen to POOL on the simulated market; VMs are taken back from spot pools only."""
    from kubeflow_aks.demo.market import market

    return market(_place(build, root), stack, what, pool, count=count, node=node)


@_command(
    "down",
    example="local down",
    exit_codes={0: "every local AKS is removed", 1: "one is in use, or can't be removed"},
)
@options.build
@options.root
def down(build: Path | None, root: Path | None) -> int:
    """Remove every local AKS of the project, also one that was left half-started."""
    from kubeflow_aks.demo.down import down
    from kubeflow_aks.interrupts import interruptible

    with interruptible("run it again to remove what is left"):
        return down(_place(build, root))


@_command(
    "build",
    example="local build --check",
    takes_minutes=True,
    exit_codes={
        0: "every tool is built; their folder is printed",
        1: "a tool is missing (--check), or can't be built here or downloaded",
    },
)
@click.option("--check", is_flag=True, help="Only show what is built and what is missing.")
@click.option(
    "--with",
    "extras",
    multiple=True,
    metavar="GROUP",
    help="Build these, too: argo, training, tofu, juju, sdks, yaml, trainer, katib, ray, kueue, alerts or"
    " kubernetes-provider.",
)
@click.option("--only", multiple=True, metavar="TOOL", help="Only this tool; may be repeated.")
@click.option(
    "--crds", is_flag=True, help="Download the custom resources that tests check objects against, too."
)
@click.option(
    "--download",
    is_flag=True,
    help="Take what the projects release, by the checksums in releases.csv, and build only the rest.",
)
@click.option("--jobs", type=options.Whole(1, 8), default=2, show_default=True, help="Builds at once.")
def build(
    *, check: bool, extras: tuple[str, ...], only: tuple[str, ...], crds: bool, download: bool, jobs: int
) -> int:
    """Build the tools of the local AKS that are missing; the first time takes about 20 minutes."""
    from kubeflow_aks.interrupts import interruptible
    from kubeflow_aks.tools.command import build, chosen
    from kubeflow_aks.tools.command import check as look

    selected = chosen(extras, only)
    if check:
        return look(selected, crds=crds)
    with interruptible("what is finished is kept, run it again to go on"):
        return build(selected, crds=crds, jobs=jobs, download=download)
