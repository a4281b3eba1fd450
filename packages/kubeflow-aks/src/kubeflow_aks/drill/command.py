"""What `kubeflow-aks drill` does: has Azure evict spot nodes of a stack's cluster, and watches the work."""

import getpass
import os
import platform
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.clients.kubernetes.objects import at
from kubeflow_aks.deployed.cluster import api_of, stack_error
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.drill.cluster_view import ClusterView
from kubeflow_aks.drill.errors import DrillError
from kubeflow_aks.drill.plan import plan, sentences
from kubeflow_aks.drill.play import Drill, price, write
from kubeflow_aks.drill.scale_sets import ScaleSets
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.scenario.checks import check_all, summary
from kubeflow_aks.scenario.console import Console
from kubeflow_aks.scenario.contract_pools import POOL_LABEL
from kubeflow_aks.scenario.observations import Where
from kubeflow_aks.scenario.report import terminal
from kubeflow_aks.scenario.report.words import words_for
from kubeflow_aks.text.terminal import terminal_width, wrapped


@dataclass(frozen=True)
class Options:
    """How a drill is played: most nodes at a time, most minutes, and whether nodes of others are taken, too."""

    nodes: int
    minutes: int
    any_node: bool
    results: Path


def drill(outputs: Outputs, options: Options, agreed: Callable[[], bool]) -> ExitCode:
    """Plays a drill, if whoever calls agrees to it after the plan is printed.

    Returns:
        FINDING where a promise was not kept, something failed, or nobody agreed; INCONCLUSIVE where no promise was
        judged.

    Raises:
        StackError: the cluster can't be read.
        DrillError: the drill can't be played, or its results can't be written.
    """
    try:
        return _on_cluster(outputs, options, agreed)
    except KubeError as error:
        raise stack_error(error, outputs) from None


def _on_cluster(outputs: Outputs, options: Options, agreed: Callable[[], bool]) -> ExitCode:
    console, width = Console(), terminal_width()
    scale_sets, api = ScaleSets.of_caller(), api_of(outputs)
    view = ClusterView(api)
    try:
        present = Counter(str(at(node, "metadata", "labels", POOL_LABEL)) for node in view.nodes())
        drill_plan = plan(outputs, present, nodes=options.nodes, minutes=options.minutes)
        where = Where.LOCAL if scale_sets.manager.is_local else Where.AZURE
        console.block(
            wrapped(
                f"A drill on stack {outputs.stack}, cluster {outputs.text('clusterName')} on {words_for(where).place}:",
                width,
            )
        )
        console.block(line for text in sentences(drill_plan, outputs) for line in wrapped(text, width, "- "))
        if not agreed():
            print("nothing was started")
            return ExitCode.FINDING
        open_folder(options.results.parent, options.results.name)  # before the drill, not after it
        drill = Drill(outputs, api, scale_sets, where, view, drill_plan, console, options.any_node)
        try:
            observed = drill.play(f"{user()}@{platform.node()}")
        finally:
            for problem in drill.problems:
                print(f"error: {problem}", file=sys.stderr)
    finally:
        view.close()
    verdicts = check_all(observed)
    console.block(["", *terminal.lines(observed, verdicts, width)])
    cost = price(observed, outputs)
    console.block(terminal.cost_lines(cost, width) if cost else [])
    try:
        page = write(options.results, observed, verdicts, outputs)
    except OSError as error:
        raise DrillError(f"{options.results}: can't be written: {error.strerror}") from None
    console.line(f"{summary(verdicts)}; the page with the picture is {page}")
    kept = [verdict.passed for verdict in verdicts if verdict.passed is not None]
    if drill.problems or not all(kept):
        return ExitCode.FINDING
    return ExitCode.GOOD if kept else ExitCode.INCONCLUSIVE


def user() -> str:
    """Who drills; a container's user may have no name, and Windows has no numbers of users."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"
