"""What `make demo` and `make local-up` do before the user's eyes."""

import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from local_aks.demo import observations, table
from local_aks.demo.console import Console
from local_aks.demo.journal_tail import JournalTail
from local_aks.demo.kubeflow import TOOLS as KUBEFLOWS_TOOLS
from local_aks.demo.kubeflow import Kubeflow
from local_aks.demo.observations import Observations
from local_aks.demo.perform import perform, sums
from local_aks.demo.progress import Planned, Progress
from local_aks.demo.promises import Verdict, judge
from local_aks.demo.report.page import page
from local_aks.demo.toolbox import get_tools
from local_aks.demo.where import PICTURE, Where
from local_aks.engine.results import Result
from local_aks.lifecycle import daemon
from local_aks.lifecycle.instance import PROJECT_ROOT, LocalAks
from local_aks.lifecycle.teardown import stop_everything
from local_aks.run.directory import RunDirectory
from preview.columns import table as columns
from preview.report import report
from recorder.document import PlanDocument, plan_document
from recorder.run import record


class NothingToShowError(Exception):
    """The stack has no spot pool; the text is meant for the user."""


@dataclass(frozen=True)
class Show:
    """One stack on a local AKS.

    Attributes:
        stack: name of a stack that has a file.
        run: the local AKS's run directory.
        speed: simulated seconds in one wall second.
        console: where everything is told.
    """

    stack: str
    run: RunDirectory
    speed: float
    console: Console

    def up(self) -> None:
        """Plan, tools, control plane and `up`; the stack is there to play with then."""
        plan = _planned(self._plan("1/4"))
        local = self._tools("2/4")
        self._start(local, "3/4")
        self._up(local, plan, "4/4")

    def demo(self, results: Path) -> bool:
        """The same, and then the story and what was promised.

        Args:
            results: folder for what stays after the local AKS is removed.

        Returns:
            Whether every promise was kept.

        Raises:
            NothingToShowError: the stack has no spot pool; nothing was started.
        """
        document = self._plan("1/6")
        if not any(pool["priority"] == "Spot" for pool in document["pools"]):
            raise NothingToShowError(f"stack {self.stack!r} has no spot pool, so there is no story to show")
        plan = _planned(document)
        local = self._tools("2/6", KUBEFLOWS_TOOLS)
        local.stop_service()  # back-offs and shortages of an earlier demo end with it
        journal = JournalTail(daemon.journal_file(self.run))
        self._start(local, "3/6")
        kubeflow = Kubeflow(local)
        starting = ThreadPoolExecutor(1, "kubeflow").submit(kubeflow.start)
        first = self._up(local, plan, "4/6")
        starting.result()
        self.console.line("Kubeflow's own Argo workflow controller and training operator run beside it")
        contract = self.run.root / "pools.json"
        contract.write_text(json.dumps(local.engine.outputs().values["poolContract"]), encoding="utf-8")
        self._part(
            "5/6",
            "The story (real: control plane, scheduler, Argo, training operator; simulated: nodes, autoscaler, spot)",
        )
        where = Where(self.run)
        with where.recording():
            seen = perform(kubeflow, journal, plan, first, contract=contract, console=self.console)
        self._part("6/6", "What was seen, and what was promised")
        verdicts = judge(seen)
        self._tell(seen, verdicts)
        self._write(results, seen, verdicts)
        for line in where.draw(contract, results):
            self.console.line(f"ckf-spot where: {line}")
        self.console.line(f"what `ckf-spot where` saw of it is {results / PICTURE}")
        return all(verdict.kept for verdict in verdicts)

    def _part(self, number: str, title: str) -> None:
        self.console.heading(f"[{number}] {title}")

    def _plan(self, number: str) -> PlanDocument:
        self._part(number, f"The plan of stack {self.stack}, from the program itself")
        recorded = record(self.stack, root=PROJECT_ROOT, preview=True)
        document = plan_document(recorded)
        self.console.block(report(document, recorded.messages, _width()))
        return document

    def _tools(self, number: str, extras: tuple[str, ...] = ()) -> LocalAks:
        self._part(number, "The tools (built the first time, about 20 minutes on 2 cores)")
        tools = get_tools(self.console.line, extras)
        self.console.line("all there")
        return LocalAks(self.run, tools, self.stack, self.speed, report=self.console.line)

    def _start(self, local: LocalAks, number: str) -> None:
        self._part(number, "A real control plane on 127.0.0.1 and a simulated Azure")
        if self._unfinished.exists() or not local.control_plane.running():
            _forget(self.run)
        local.start()
        self.console.line(f"API server ready; a second here is {self.speed:.0f} simulated seconds")

    def _up(self, local: LocalAks, plan: Sequence[Planned], number: str) -> Result:
        self._part(number, f"pulumi up of stack {self.stack}, on the real engine")
        self._unfinished.touch()
        result = local.engine.up(Progress(plan, self.console.line))
        self._unfinished.unlink()
        self.console.line(f"{sums(result)}: {result.seconds:.0f} s")
        return result

    @property
    def _unfinished(self) -> Path:
        """Is there while an `up` is under way; one that was stopped leaves resources that no state knows."""
        return self.run.root / "up-unfinished"

    def _tell(self, seen: Observations, verdicts: Sequence[Verdict]) -> None:
        self._table([table.WORK_HEADER, *table.work_rows(seen)])
        self._table([table.STEP_HEADER, *table.step_rows(seen)])
        self._table([("✔" if each.kept else "✘", each.promise, each.seen) for each in verdicts])

    def _table(self, rows: Sequence[Sequence[str]]) -> None:
        self.console.block([line for row in columns(rows, _width()) for line in row] + [""])

    def _write(self, folder: Path, seen: Observations, verdicts: Sequence[Verdict]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        texts = {"demo.html": page(seen, verdicts), "demo.json": observations.to_json(seen)}
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        kept = sum(verdict.kept for verdict in verdicts)
        self.console.line(f"{kept} of {len(verdicts)} promises kept; the picture is {folder / 'demo.html'}")


def _forget(run: RunDirectory) -> None:
    """Removes what an earlier command left: engine, Azure and control plane only make sense together."""
    stop_everything(run)
    for folder in (run.pulumi_state, run.azure):
        shutil.rmtree(folder, ignore_errors=True)


def _planned(document: PlanDocument) -> list[Planned]:
    return [Planned(each["urn"], each["type"], each["name"]) for each in document["resources"]]


def _width() -> int:
    return shutil.get_terminal_size((110, 24)).columns
