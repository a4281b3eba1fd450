"""What `make demo` does: the stack comes up, the story is played, the promises are judged."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from cost.figures import CostError
from local_aks.control_plane.controllers.kfp_driver import drivers
from local_aks.demo.bring_up import BringUp, resources, terminal_width
from local_aks.demo.ckf_spot_where import PICTURE, WhereRecording
from local_aks.demo.kubeflow import TOOLS as KUBEFLOWS_TOOLS
from local_aks.demo.kubeflow import Kubeflow
from local_aks.demo.run_story import run_story
from local_aks.lifecycle import daemon
from recorder.document import PlanDocument
from story.observations import Observations
from story.promises import judge, summary
from story.report import files, terminal
from story.show_cost import ShowCost, show_cost
from story.watcher import JournalTail


class NothingToShowError(Exception):
    """The stack has no spot pool; the text is meant for the user."""


@dataclass(frozen=True)
class Demo:
    """The whole promise of the product on a local AKS.

    Attributes:
        bring_up: the stack, and where it is brought up.
        results: folder for what stays after the local AKS is removed.
    """

    bring_up: BringUp
    results: Path

    def play(self) -> bool:
        """Plays it from the plan to the page.

        Returns:
            Whether every promise was kept.

        Raises:
            NothingToShowError: the stack has no spot pool; nothing was started.
        """
        steps = replace(self.bring_up, parts=7)
        console, run = steps.console, steps.run
        document = steps.plan()
        if not any(pool["priority"] == "Spot" for pool in document["pools"]):
            raise NothingToShowError(f"stack {steps.stack!r} has no spot pool, so there is no story to show")
        plan = resources(document)
        local = steps.tools(KUBEFLOWS_TOOLS)
        local.stop_service()  # back-offs and shortages of an earlier demo end with it
        journal = JournalTail(daemon.journal_file(run))
        steps.start(local)
        kubeflow = Kubeflow(local)
        starting = ThreadPoolExecutor(1, "kubeflow").submit(kubeflow.start)
        first = steps.engine_up(local, plan)
        starting.result()
        console.line("Argo's workflow controller and the training operator run, the real ones")
        contract = run.root / "pools.json"
        contract.write_text(json.dumps(local.engine.outputs().values["poolContract"]), encoding="utf-8")
        steps.part(5, "The story: what happens to work on spot machines")
        console.block(_REAL_AND_SIMULATED)
        where = WhereRecording(run)
        with where.recording(), drivers(run.kubeconfig):
            seen = run_story(kubeflow, journal, plan, first, contract=contract, console=console)
        steps.part(6, "What was seen, and which promises were kept")
        verdicts = judge(seen)
        console.block(terminal.lines(seen, verdicts, terminal_width()))
        steps.part(7, "What the show would have cost on Azure, from what was observed")
        cost = _cost(document, seen)
        console.block(terminal.cost_lines(cost, terminal_width()) if isinstance(cost, ShowCost) else [cost])
        page = files.write(self.results, seen, verdicts, cost if isinstance(cost, ShowCost) else None)
        console.line(f"{summary(verdicts)}; the page with the picture is {page}")
        for line in where.draw(contract, self.results):
            console.line(f"ckf-spot where: {line}")
        console.line(f"what a data scientist saw with `ckf-spot where` is {self.results / PICTURE}")
        return all(verdict.kept for verdict in verdicts)


def _cost(document: PlanDocument, seen: Observations) -> ShowCost | str:
    """The cost, or why there is none; the promises are judged without it."""
    try:
        return show_cost(document, seen)
    except CostError as error:
        return f"no cost: {'; '.join(error.problems)}"


_REAL_AND_SIMULATED = (
    "real:      control plane, scheduler, Argo, training operator",
    "simulated: Azure, nodes and what runs on them, autoscaler, spot market",
)
