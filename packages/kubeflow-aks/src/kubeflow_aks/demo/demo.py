"""The demo: brings the stack up, plays the scenario and evaluates the checks."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.demo.bring_up import BringUp, resources
from kubeflow_aks.demo.kubeflow import TOOLS as KUBEFLOWS_TOOLS
from kubeflow_aks.demo.kubeflow import Kubeflow
from kubeflow_aks.demo.place import Place
from kubeflow_aks.demo.run_scenario import run_scenario
from kubeflow_aks.events import Kind
from kubeflow_aks.exit_codes import CommandError, ExitCode
from kubeflow_aks.local_aks.control_plane.controllers.eviction_handler import EvictionHandler
from kubeflow_aks.local_aks.control_plane.controllers.kfp_driver import drivers
from kubeflow_aks.local_aks.lifecycle import damage, service_files, stopped
from kubeflow_aks.local_aks.lifecycle.teardown import remove
from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation.tasks.eviction import NOTICE_SECONDS
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.recorder.document import PlanDocument
from kubeflow_aks.scenario.checks import check_all, summary
from kubeflow_aks.scenario.console import Console
from kubeflow_aks.scenario.cost import ScenarioCost, scenario_cost
from kubeflow_aks.scenario.observations import Observations
from kubeflow_aks.scenario.report import terminal
from kubeflow_aks.scenario.report.page import write_page
from kubeflow_aks.scenario.watcher import JournalTail
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.terminal import terminal_width

PROCESS: Final = "where"
"""Name of the recorder in a run directory."""
_PICTURE: Final = "where.svg"
_PROGRAM: Final = (sys.executable, "-m", "ckf_spot.cli")
_STOP_SECONDS: Final = 10.0


@dataclass(frozen=True)
class WhereRecording:
    """A recording of one local AKS, as a data scientist would make it."""

    run: RunDirectory

    @contextmanager
    def recording(self) -> Generator[None]:
        """Records every namespace in a process of its own, until the block ends."""
        self._record.unlink(missing_ok=True)
        pid_file = self.run.pid_file(PROCESS)
        with self.run.log(PROCESS).open("w", encoding="utf-8") as sink:
            process = processes.start(
                [*_PROGRAM, "where", "-A", "--record", self._record],
                pid_file,
                log=sink,
                env=self.run.environment(os.environ),
            )
        try:
            yield
        finally:
            processes.stop([pid_file], _STOP_SECONDS)
            process.wait()

    def draw(self, contract: Path, folder: Path) -> tuple[Path | None, list[str]]:
        """Writes the picture into a folder; `contract` is a file with the stack's output `poolContract`.

        Returns:
            The picture, and violations, one line each; or no picture, and the errors.
        """
        picture, report = self._render(contract, "svg"), self._render(contract, "json")
        if picture.returncode or report.returncode:
            return None, [*picture.stderr.splitlines(), *report.stderr.splitlines()]
        file = open_folder(folder.parent, folder.name) / _PICTURE
        write_whole(file, picture.stdout)
        violations: list[dict[str, str]] = json.loads(report.stdout)["violations"]
        return file, [
            f"{violation['rule']}: {violation['name']}: {violation['message']}" for violation in violations
        ]

    def _render(self, contract: Path, form: str) -> subprocess.CompletedProcess[str]:
        command = [*_PROGRAM, "where", "--from", self._record, "--pools", contract, "-o", form]
        return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program

    @property
    def _record(self) -> Path:
        return self.run.root / "where.jsonl"


@dataclass(frozen=True)
class Demo:
    """The whole demo on a local AKS; the folder `results` stays after that is removed."""

    bring_up: BringUp
    results: Path

    def play(self) -> bool:
        """Runs the demo from the plan to the page; whether every check passed.

        Raises:
            CommandError: the stack has no spot pool; nothing was started.
        """
        steps = replace(self.bring_up, parts=7)
        console, run = steps.console, steps.run
        document = steps.plan()
        if not any(pool["priority"] == "Spot" for pool in document["pools"]):
            raise CommandError(f"stack {steps.stack!r} has no spot pool, so there is nothing to show")
        plan = resources(document)
        local = steps.tools(KUBEFLOWS_TOOLS)
        local.stop_service()  # ends back-offs and shortages of an earlier demo
        journal = JournalTail(service_files.journal_file(run))
        steps.start(local)
        kubeflow = Kubeflow(local)
        starting = ThreadPoolExecutor(1, "kubeflow").submit(kubeflow.start)
        first = steps.engine_up(local, plan)
        starting.result()
        console.line("Argo's workflow controller and the training operator run, the real ones")
        handler = EvictionHandler(run)
        handles = handler.start()
        contract = run.root / "pools.json"
        contract.write_text(json.dumps(local.engine.outputs().values["poolContract"]), encoding="utf-8")
        steps.part(5, "The scenario: work on spot machines")
        console.block(_REAL_AND_SIMULATED)
        where = WhereRecording(run)
        with where.recording(), drivers(run.kubeconfig):
            observed = run_scenario(kubeflow, journal, plan, first, contract=contract, console=console)
        steps.part(6, "Observations and checks")
        results = check_all(observed)
        console.block(terminal.lines(observed, results, terminal_width()))
        console.line(_handled(handler, observed) if handles else "the stack has no eviction handler")
        steps.part(7, "What the demo would have cost on Azure")
        cost = _cost(document, observed)
        console.block(
            terminal.cost_lines(cost, terminal_width()) if isinstance(cost, ScenarioCost) else [cost]
        )
        page = write_page(self.results, observed, results, cost if isinstance(cost, ScenarioCost) else None)
        console.line(f"{summary(results)}; page with the timeline: {page}")
        picture, lines = where.draw(contract, self.results)
        for line in lines:
            console.line(f"ckf-spot where: {line}")
        if picture is not None:
            console.line(f"output of `ckf-spot where` during the demo: {picture}")
        return all(result.passed for result in results)


def demo(place: Place, stack: str, speed: float, *, keep: bool) -> ExitCode:
    """Plays the demo; the local AKS is removed afterwards unless it is kept."""
    run = place.of(stack)
    console = Console()
    with run.lock(), stopped.reported(run, console.line):
        try:
            bring_up = BringUp(place.project, stack, run, speed, console)
            with damage.named(run):
                kept = Demo(bring_up, place.build / stack).play()
        finally:
            if not keep:
                remove(run)
        if keep:
            commands = "`./kubeflow-aks local shell` opens a shell, `./kubeflow-aks local down` removes it"
            console.block(["", f"The local AKS keeps running: {commands}"])
    return ExitCode.GOOD if kept else ExitCode.FINDING


def _cost(document: PlanDocument, observed: Observations) -> ScenarioCost | str:
    """The cost, or why it is not known; the checks do not need it."""
    try:
        return scenario_cost(document, observed)
    except CostError as error:
        return f"no cost: {'; '.join(error.problems)}"


def _handled(handler: EvictionHandler, observed: Observations) -> str:
    """What the eviction handler did, beside the simulated drain of AKS: whoever is first evicts a pod."""
    noticed = observed.lines(Kind.EVICTION_NOTICE)
    seconds = NOTICE_SECONDS / observed.speed
    return (
        f"the eviction handler evicted {counted(handler.evicted(), 'pod')} of {counted(len(noticed), 'node')} with a "
        f"notice, of {seconds:.1f} s here, and AKS's simulated drain the others"
    )


_REAL_AND_SIMULATED = (
    "real:      control plane, scheduler, Argo, training operator, eviction handler",
    "simulated: Azure, nodes and what runs on them, autoscaler, spot market",
)
