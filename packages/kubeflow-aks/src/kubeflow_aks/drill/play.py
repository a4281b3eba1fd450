"""Runs a drill: acquires its lock, plays the scenario, and cleans up whatever happens."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import KubeError, UnavailableError
from kubeflow_aks.clients.kubernetes.objects import Object, at, name_of
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.deployed.cluster import stack_error
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.drill import measured
from kubeflow_aks.drill.cluster_events import ClusterEvents
from kubeflow_aks.drill.cluster_view import ClusterView
from kubeflow_aks.drill.errors import DrillError, OverError
from kubeflow_aks.drill.lock import REMOVE, DrillLock
from kubeflow_aks.drill.plan import Plan, market
from kubeflow_aks.drill.scale_sets import ScaleSets, Vm
from kubeflow_aks.drill.stage import NAMESPACE, STAGE
from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.checks import CheckResult
from kubeflow_aks.scenario.console import Console
from kubeflow_aks.scenario.contract_pools import pools_for_role
from kubeflow_aks.scenario.cost import ScenarioCost, cost_of
from kubeflow_aks.scenario.demo_objects import DemoObjects
from kubeflow_aks.scenario.observations import JobRecord, Observations, Where
from kubeflow_aks.scenario.report.page import write_page
from kubeflow_aks.scenario.step_runner import StepRunner, StepTimeoutError
from kubeflow_aks.scenario.steps import Scenario
from kubeflow_aks.scenario.watcher import SimulatedTime, Watcher
from kubeflow_aks.scenario.workloads.stage import PLATFORM_NAMESPACE
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import first_of

_STEPS: Final = ("guard", "from-zero", "eviction", "evicted-again", "zero")
_WAIT_SECONDS: Final = 30 * 60.0
"""Limit for each step: as long as Azure may take to begin a simulated eviction."""
_POLL_SECONDS: Final = 0.5
_CLEAN_UP: Final = timedelta(minutes=10)
"""How much longer than its limit a drill may hold its lock."""


_CLUSTER_LABEL: Final = "kubernetes.azure.com/cluster"
"""AKS's label of every node: the node resource group (docs/facts/aks.md)."""
_MOST_NAMES: Final = 3


@dataclass(frozen=True)
class AzureSpotEvictor:
    """Evicts spot nodes of one cluster; with `any_node` also those with pods of others."""

    view: ClusterView
    scale_sets: ScaleSets
    cluster_events: ClusterEvents
    any_node: bool = False
    sells_out: bool = False

    def evict(self, pool: str, count: int | None) -> None:
        """Evict nodes of a spot pool that the drill's pods run on.

        Raises:
            DrillError: no node may be evicted, or Azure refuses.
        """
        nodes = self._evictable(pool)[:count]
        vms = [self._vm(node, pool) for node in nodes]
        for node, vm in zip(nodes, vms, strict=True):
            self.cluster_events.evicting(name_of(node))
            if not self.scale_sets.evict(vm):
                raise DrillError(f"the VM of node {name_of(node)} was deleted before it could be evicted")

    def sell_out(self, pool: str, *, over: bool = False) -> None:  # noqa: ARG002 - as declared
        """Not possible on Azure."""
        raise DrillError(f"{pool}: Azure cannot be made to sell out")

    def _evictable(self, pool: str) -> list[Object]:
        """The nodes that may be evicted."""
        busy = [node for node in self.view.of_pool(pool) if self.view.own_on(name_of(node))]
        foreign_pods = {name_of(node): self.view.foreign_pods_on(name_of(node)) for node in busy}
        evictable = [node for node in busy if self.any_node or not foreign_pods[name_of(node)]]
        if not evictable:
            others = [pod for pods in foreign_pods.values() for pod in pods]
            reason = f"each also runs pods of others ({first_of(others, _MOST_NAMES)})"
            raise DrillError(
                f"{pool}: no node can be evicted: {reason if busy else 'none runs work of the drill'}; wait for "
                "them to end, or pass --any-node to evict such nodes too"
            )
        return evictable

    def _vm(self, node: Object, pool: str) -> Vm:
        """The VM of a node; a `DrillError` where it is not of this cluster and of a spot pool."""
        name = name_of(node)
        vm = Vm.of(name, str(at(node, "spec", "providerID") or ""))
        group = str(at(node, "metadata", "labels", _CLUSTER_LABEL) or "")
        if vm.group.lower() != group.lower():
            raise DrillError(
                f"node {name}: its VM is in resource group {vm.group}, not in the cluster's own ({group or 'unknown'})"
            )
        self.scale_sets.check_spot(vm, pool)
        return vm


@dataclass
class Drill:
    """One drill on one cluster, whose view the caller closes; problems are why it ended early, or what it left."""

    outputs: Outputs
    api: ApiServer
    scale_sets: ScaleSets
    where: Where
    view: ClusterView
    plan: Plan
    console: Console
    any_node: bool
    problems: list[str] = field(default_factory=list[str])

    def play(self, holder: str) -> Observations:
        """Run it, and delete everything that it created; messages to others name the holder.

        Raises:
            DrillError: another drill is running.
            KubeError: the API server refuses the namespace.
            KeyboardInterrupt: after the clean-up.
        """
        lock = DrillLock(self.api)
        try:
            lock.acquire(holder, datetime.now(UTC) + timedelta(minutes=self.plan.minutes) + _CLEAN_UP)
        except (KeyboardInterrupt, UnavailableError):  # the request was sent, but not answered
            self.problems.append(f"namespace {NAMESPACE} may have been created; delete it: {REMOVE}")
            raise
        try:
            return self._run_scenario()
        finally:
            self._clean_up(lock)

    def _run_scenario(self) -> Observations:
        cluster_events = ClusterEvents(self.view)
        watcher = Watcher(self.view, cluster_events, SimulatedTime({"time": 0.0, "wall": 0.0}, 1.0))
        began = time.monotonic()
        steps = StepRunner(
            watcher,
            self.console,
            lambda: self._check(watcher, time.monotonic() - began),
            limit_seconds=_WAIT_SECONDS,
            poll_seconds=_POLL_SECONDS,
            simulated=False,
        )
        objects = DemoObjects(self.api, STAGE)
        evictor = AzureSpotEvictor(self.view, self.scale_sets, cluster_events, any_node=self.any_node)
        unplayed = {*self.plan.left_out, "platform"}
        scenario = Scenario(
            self.plan.facts,
            steps,
            objects,
            evictor,
            lambda: "",
            left_out=unplayed,
            batch_nodes=self.plan.batch_nodes,
        )
        left_out = dict(self.plan.left_out)
        try:
            steps.look()
            scenario.play()
        except (DrillError, KubeError, StepTimeoutError) as error:
            reason = str(stack_error(error, self.outputs)) if isinstance(error, KubeError) else str(error)
            self.problems.append(f"the drill ended early: {reason}")
            unfinished = not isinstance(error, StepTimeoutError) or isinstance(error, OverError)
            played = [step.key for step in steps.steps][: -1 if unfinished else None]
            left_out |= {
                key: f"the drill ended before: {reason}"
                for key in _STEPS
                if key not in played and key not in left_out
            }
        if not any(pod.namespace == PLATFORM_NAMESPACE for pod in watcher.pods.values()):
            left_out["platform"] = f"namespace {PLATFORM_NAMESPACE} has no pods yet"
        facts = self.plan.facts
        gpu = facts.gpu or (pools_for_role(facts.pools, "gpu") if "gpu-on-spot" in left_out else None)
        return Observations(
            stack=self.outputs.stack,
            batch=facts.batch.workload,
            gpu=gpu.workload if gpu else "",
            ended=watcher.now(),
            pools=facts.pools,
            pods=tuple(watcher.pods.values()),
            nodes=tuple(watcher.nodes.values()),
            jobs=self._jobs(objects),
            refusal=scenario.refusal,
            steps=tuple(steps.steps),
            journal=tuple(watcher.lines),
            where=self.where,
            left_out=left_out,
        )

    def _check(self, watcher: Watcher, seconds: float) -> None:
        """Ends the drill at its limits, with an `OverError`."""
        if seconds > self.plan.minutes * 60:
            raise OverError(f"the limit of {self.plan.minutes} minutes is reached")
        nodes = {
            pod.node
            for pod in watcher.pods.values()
            if pod.part and pod.node and pod.ended is None and pod.running is not None
        }
        if len(nodes) > self.plan.at_once:
            raise OverError(
                f"its work runs on {counted(len(nodes), 'node')}; expected at most {self.plan.at_once}"
            )

    def _jobs(self, objects: DemoObjects) -> tuple[JobRecord, ...]:
        try:
            return tuple(objects.jobs())
        except KubeError:  # reported already, because it ended the drill
            return ()

    def _clean_up(self, lock: DrillLock) -> None:
        """Deletes the namespace; after a second Ctrl-C or an API error it stays, with a message."""
        self._print(f"── Clean-up: deleting namespace {NAMESPACE} with all work in it")
        left = f"namespace {NAMESPACE} still exists, and its work keeps nodes running; delete it: {REMOVE}"
        try:
            deleted = lock.release()
        except KubeError as error:
            self.problems.append(f"{left} ({stack_error(error, self.outputs)})")
        except KeyboardInterrupt:
            self._print(left)
            raise
        else:
            if not deleted:
                self.problems.append(f"{left}; it is still being deleted")
            self._print(
                "the autoscaler removes the remaining nodes once they have been unneeded for long enough"
            )

    def _print(self, line: str) -> None:
        """Prints a line; the clean-up goes on if the output is closed."""
        with suppress(OSError):
            self.console.line(line)


def price(observed: Observations, outputs: Outputs) -> ScenarioCost | None:
    """Cost of the nodes that were added for the drill; None if a price is unknown."""
    added = {line["node"] for line in observed.lines(Kind.NODE_REGISTERED)}
    observations = replace(
        observed,
        pools=tuple(pool for pool in observed.pools if pool.elastic),
        nodes=tuple(node for node in observed.nodes if node.name in added),
    )
    try:
        return cost_of(observations, market(outputs), str(outputs.basis("location")))
    except CostError:
        return None


def write(folder: Path, observed: Observations, verdicts: Sequence[CheckResult], outputs: Outputs) -> Path:
    """Writes the page, the observations and the measured times; returns the page's path.

    Raises:
        OSError: a file cannot be written.
    """
    page = write_page(folder, observed, verdicts, price(observed, outputs), name="drill")
    times = measured.measured(
        observed,
        where="azure" if observed.where == Where.AZURE else "local",
        day=datetime.now(UTC).date(),
        location=str(outputs.basis("location")),
    )
    write_whole(folder / "measured.json", measured.to_json(times))
    return page
