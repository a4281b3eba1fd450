"""What `make local-up` and `make demo` begin with: plan, tools, control plane, `pulumi up`."""

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from local_aks.demo.progress import Planned, Progress
from local_aks.engine.results import Result
from local_aks.lifecycle.instance import PROJECT_ROOT, LocalAks
from local_aks.lifecycle.teardown import stop_everything
from local_aks.run.directory import RunDirectory
from preview.report import report
from recorder.document import PlanDocument, plan_document
from recorder.run import record
from story.console import Console
from tools import Missing, Tools, find, manifest
from tools.build import build
from tools.errors import BuildError


@dataclass(frozen=True)
class BringUp:
    """The steps that bring a stack up on a local AKS, each told under a heading.

    Attributes:
        stack: name of a stack that has a file.
        run: the local AKS's run directory.
        speed: simulated seconds in one wall second.
        console: takes lines for the user.
        parts: how many numbered parts the whole command has.
    """

    stack: str
    run: RunDirectory
    speed: float
    console: Console
    parts: int = 4

    def up(self) -> None:
        """All steps; the stack is there to play with then."""
        plan = resources(self.plan())
        local = self.tools()
        self.start(local)
        self.engine_up(local, plan)

    def part(self, number: int, title: str) -> None:
        """Prints the heading of a part."""
        self.console.heading(f"[{number}/{self.parts}] {title}")

    def plan(self) -> PlanDocument:
        """Prints the plan, recorded from the program itself."""
        self.part(1, f"The plan of stack {self.stack}, from the program itself")
        recorded = record(self.stack, root=PROJECT_ROOT, preview=True)
        document = plan_document(recorded)
        self.console.block(report(document, recorded.messages, terminal_width()))
        return document

    def tools(self, extras: tuple[str, ...] = ()) -> LocalAks:
        """Builds the tools that are not there.

        Args:
            extras: groups of tools beside those that every local AKS needs.
        """
        self.part(2, "The tools (built the first time, about 20 minutes on 2 cores)")
        tools = get_tools(self.console.line, extras)
        self.console.line("all there")
        return LocalAks(self.run, tools, self.stack, self.speed, report=self.console.line)

    def start(self, local: LocalAks) -> None:
        """Starts control plane and background service; clears away first what cannot be used any more."""
        self.part(3, "A real control plane on 127.0.0.1 and a simulated Azure")
        if self._unfinished.exists() or not local.control_plane.running():
            _clear(self.run)
        local.start()
        self.console.line(f"API server ready; one second here is {self.speed:.0f} simulated seconds")

    def engine_up(self, local: LocalAks, plan: Sequence[Planned]) -> Result:
        """Runs `pulumi up`, and prints what is complete as it comes."""
        self.part(4, f"pulumi up of stack {self.stack}, on the real engine")
        self._unfinished.touch()
        result = local.engine.up(Progress(plan, self.console.line))
        self._unfinished.unlink()
        self.console.line(f"{sums(result)}: {result.seconds:.0f} s")
        return result

    @property
    def _unfinished(self) -> Path:
        """A file that is there while an `up` is under way: a stopped one leaves resources that no state knows."""
        return self.run.root / "up-unfinished"


def get_tools(report: Callable[[str], None], extras: tuple[str, ...] = ()) -> Tools:
    """Every tool the local AKS needs, built if it is not there.

    Args:
        report: takes progress lines while they are built.
        extras: groups of tools beside them.

    Raises:
        BuildError: one cannot be had.
    """
    found = find(*extras)
    if isinstance(found, Missing):
        build(manifest.wanted(extras), jobs=min(2, os.cpu_count() or 1), report=report)
        found = find(*extras)
    if isinstance(found, Missing):
        raise BuildError(str(found))
    return found


def resources(document: PlanDocument) -> list[Planned]:
    """The resources of a plan."""
    return [Planned(each["urn"], each["type"], each["name"]) for each in document["resources"]]


def sums(result: Result) -> str:
    """The engine's sums as text: `35 create`."""
    return ", ".join(f"{count} {op}" for op, count in result.changes.items())


def terminal_width() -> int:
    """Columns of the terminal; 110 where the output is none."""
    return shutil.get_terminal_size((110, 24)).columns


def _clear(run: RunDirectory) -> None:
    """Removes what an earlier command left: engine, Azure and control plane only make sense together."""
    stop_everything(run)
    for folder in (run.pulumi_state, run.azure):
        shutil.rmtree(folder, ignore_errors=True)
