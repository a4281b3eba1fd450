"""What `kubeflow-aks local up` does, and the first steps of `demo`: plan, tools, control plane, `pulumi up`."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from kubeflow_aks.demo.place import Place
from kubeflow_aks.demo.progress import Planned, Progress
from kubeflow_aks.demo.tools import get_tools
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.engine.results import Result
from kubeflow_aks.local_aks.lifecycle import damage, stopped
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.lifecycle.teardown import stop_everything
from kubeflow_aks.local_aks.lifecycle.watch import watched
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation.vms.agent_pools import spot_pools
from kubeflow_aks.preview.report import report
from kubeflow_aks.recorder.document import PlanDocument, plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.recorder.stack_files import StackConfig, read_stack
from kubeflow_aks.scenario.console import Console
from kubeflow_aks.text.terminal import terminal_width

_MARK: Final = "local-"
_REAL_PROVIDER: Final = ("kubernetes-provider",)
_LONGEST: Final = {"cluster": 63, "nodeResourceGroup": 80, "resourceGroup": 63}
"""Characters that the program takes at most (`program.planning.rules.given_names`)."""


@dataclass(frozen=True)
class BringUp:
    """The steps that bring a stack up on a local AKS, each under a heading.

    `project` is the program's folder, `speed` simulated seconds in one wall second, `parts` the number of all headings,
    `extras` groups of tools that `up` needs beyond those of every local AKS.
    """

    project: Path
    stack: str
    run: RunDirectory
    speed: float
    console: Console
    parts: int = 4
    extras: tuple[str, ...] = ()

    def up(self) -> None:
        """Runs all steps."""
        plan = resources(self.plan())
        local = self.tools(self.extras)
        self.start(local)
        self.engine_up(local, plan)

    def part(self, number: int, title: str) -> None:
        """Prints the heading of a part."""
        self.console.heading(f"[{number}/{self.parts}] {title}")

    def plan(self) -> PlanDocument:
        """Prints the plan, recorded from the program."""
        self.part(1, f"Plan of stack {self.stack}, recorded from the program")
        recorded = record(self.stack, root=self.project, preview=True)
        document = plan_document(recorded)
        today = datetime.now(UTC).date()
        self.console.block(report(document, recorded.messages, terminal_width(), today))
        return document

    def tools(self, extras: tuple[str, ...] = ()) -> LocalAks:
        """Builds missing tools; `extras` are groups beyond those that every local AKS needs."""
        self.part(2, "Tools (built the first time, about 20 minutes on 2 cores)")
        tools = get_tools(self.console.line, extras)
        self.console.line("all tools are installed")
        return LocalAks(
            self.run,
            tools,
            self.stack,
            self.speed,
            report=self.console.line,
            project_root=self.project,
            extra_config=local_names(read_stack(self.project, self.stack)),
        )

    def start(self, local: LocalAks) -> None:
        """Starts what does not run of control plane and background service; removes what an interrupted `up` left."""
        self.part(3, "Control plane on 127.0.0.1 and simulated Azure")
        if self._unfinished.exists():
            _clear(self.run)
        local.start()
        self.console.line(f"API server ready; one second is {self.speed:.0f} simulated seconds")

    def engine_up(self, local: LocalAks, plan: Sequence[Planned]) -> Result:
        """Runs `pulumi up`, and prints each completed component."""
        self.part(4, f"pulumi up of stack {self.stack}")
        self._unfinished.touch()
        with watched(self.run):
            result = local.engine.up(Progress(plan, self.console.line))
        self._unfinished.unlink()
        self.console.line(f"{sums(result)}: {result.seconds:.0f} s")
        return result

    @property
    def _unfinished(self) -> Path:
        """A file that exists during an `up`: an interrupted one leaves resources that no state has."""
        return self.run.root / "up-unfinished"


def up(place: Place, stack: str, speed: float, *, real_provider: bool = False) -> ExitCode:
    """Brings a stack up, its Kubernetes objects by Pulumi's own provider or by the simulated one."""
    run = place.of(stack)
    console = Console()
    with run.lock(), stopped.reported(run, console.line), damage.named(run):
        BringUp(
            place.project, stack, run, speed, console, extras=_REAL_PROVIDER if real_provider else ()
        ).up()
        console.block(["", *_how_to_go_on(run)])
    return ExitCode.GOOD


def _how_to_go_on(run: RunDirectory) -> list[str]:
    pool = next(iter(spot_pools(AzureState(run.azure))), "POOL")
    return [
        "./kubeflow-aks local shell   a shell with kubectl, KUBECONFIG, az and pulumi",
        "./kubeflow-aks local down    removes everything",
        f"./kubeflow-aks local market evict {pool}     Azure takes a spot node back (simulated, as the whole market)",
        f"./kubeflow-aks local market soldout {pool}   spot sells out; `available` brings it back",
    ]


def resources(document: PlanDocument) -> list[Planned]:
    """The resources of a plan."""
    return [
        Planned(resource["urn"], resource["type"], resource["name"]) for resource in document["resources"]
    ]


def sums(result: Result) -> str:
    """The engine's counts as text: `35 create`."""
    return ", ".join(f"{count} {op}" for op, count in result.changes.items())


def _clear(run: RunDirectory) -> None:
    """Removes the state of an earlier command: engine, Azure and control plane belong together."""
    stop_everything(run)
    for folder in (run.pulumi_state, run.azure):
        shutil.rmtree(folder, ignore_errors=True)


def local_names(config: StackConfig) -> dict[str, Any]:
    """Settings that mark what commands of `az` name: the cluster, its resource group and that of its nodes.

    The cluster's DNS prefix stays as it is, so that a name which Azure takes is not too long here. A program without
    the setting `names` gets no marks.
    """
    choices = _mapping(config.values.get(f"{config.project}:names", ""))
    if choices is None:
        return {}
    base = f"{config.project}-{config.stack}"
    cluster = choices.get("cluster") or base
    names = {
        "cluster": cluster,
        "nodeResourceGroup": f"{cluster}-nodes",
        "dnsPrefix": cluster,
        **{key: value for key, value in choices.items() if value},
    }
    group = config.values.get(f"{config.project}:resourceGroup")
    if not group:
        names.setdefault("resourceGroup", base)
    marked = {key: _marked(key, value) for key, value in names.items()}
    return {"names": marked, **({"resourceGroup": _marked("resourceGroup", group)} if group else {})}


def _marked(key: str, name: object) -> object:
    if key not in _LONGEST or not isinstance(name, str):
        return name  # the program refuses what is no text
    return f"{_MARK}{name}"[: _LONGEST[key]].rstrip("-._")


def _mapping(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
