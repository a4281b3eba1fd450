"""Runs the scenario on a local AKS that is up, and returns what was observed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from ckf_spot import Pools
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.demo import market
from kubeflow_aks.demo.bring_up import sums
from kubeflow_aks.demo.kubeflow import Kubeflow
from kubeflow_aks.demo.progress import Planned
from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.engine.results import Result
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from kubeflow_aks.local_aks.simulation.market import ALL, Reclaim, Supply
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.scenario.console import Console
from kubeflow_aks.scenario.contract_pools import (
    SYSTEM,
    WORKLOAD_LABEL,
    ContractPool,
    pools_for_role,
    spot_pools_of_fallbacks,
)
from kubeflow_aks.scenario.demo_objects import DemoObjects
from kubeflow_aks.scenario.observations import Observations, Where
from kubeflow_aks.scenario.step_runner import StepRunner, StepTimeoutError
from kubeflow_aks.scenario.steps import Scenario, StackFacts
from kubeflow_aks.scenario.watcher import JournalTail, Line, SimulatedTime, Watcher

_POLICY_BINDING: Final = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding"


@dataclass(frozen=True)
class SimulatedSpotEvictor:
    """Evicts by the simulated spot market of a running local AKS."""

    run: RunDirectory
    sells_out: bool = True

    def evict(self, pool: str, count: int | None) -> None:
        """Evicts spot nodes, with notice; all if `count` is None."""
        market.send(self.run, Reclaim.EVICT, pool, ALL if count is None else count)

    def sell_out(self, pool: str, *, over: bool = False) -> None:
        """Answers every request for a VM of the pool with an allocation error, or no longer."""
        market.send(self.run, Supply.AVAILABLE if over else Supply.SOLD_OUT, pool)


def run_scenario(
    kubeflow: Kubeflow,
    journal: JournalTail,
    plan: Sequence[Planned],
    first: Result,
    *,
    contract: Path,
    console: Console,
) -> Observations:
    """Plays the scenario; a step that times out ends it, and the observations so far still count.

    Args:
        kubeflow: its running controllers, on a local AKS whose stack is up.
        journal: from the service's start on.
        plan: the resources of the stack.
        first: the `up` before the scenario.
        contract: file with that `up`'s output `poolContract`.
        console: prints lines for the user.

    Raises:
        EngineError: the `up` after the scenario fails.
        CommandError: the service stopped meanwhile.
    """
    local = kubeflow.local
    azure = AzureState(local.run.azure)
    wire = azure.agent_pools()
    pools = deployed_pools(json.loads(contract.read_text(encoding="utf-8")), wire)
    facts = _stack_facts(pools, plan, Pools.load(contract))
    objects = DemoObjects(ApiServer.of(local.run.kubeconfig))
    objects.clear(pools)
    cluster = LiveCluster(str(local.run.kubeconfig))
    try:
        for listed in (cluster.nodes, cluster.pods):
            listed()  # waits for the first list, so that the scenario begins with the existing objects
        watcher = Watcher(cluster, journal, SimulatedTime(_any_line(journal, local), local.speed))
        steps = StepRunner(watcher, console, partial(_check, local))
        steps.look()
        scenario = Scenario(
            facts,
            steps,
            objects,
            SimulatedSpotEvictor(local.run),
            lambda: _turn_on_retries(kubeflow, steps),
        )
        try:
            scenario.play()
        except StepTimeoutError as error:
            console.line(f"The scenario stops here: {error}")
        with steps.step("second-up", "`pulumi up` once more"):
            second = kubeflow.up()
            console.line(f"{sums(second)} in {second.seconds:.0f} s")
        steps.look()
    finally:
        cluster.close()
    return Observations(
        stack=local.stack,
        speed=local.speed,
        seed=local.seed,
        provision_limit=Profile.from_wire(
            azure.autoscaler_profile(wire[0]["clusterId"])
        ).max_node_provision_time,
        planned=tuple(sorted(resource.urn for resource in plan)),
        made=tuple(sorted(_made(first))),
        first_up=dict(first.changes),
        second_up=dict(second.changes),
        batch=facts.batch.workload,
        gpu=facts.gpu.workload if facts.gpu else "",
        ended=watcher.now(),
        pools=pools,
        pods=tuple(watcher.pods.values()),
        nodes=tuple(watcher.nodes.values()),
        jobs=tuple(objects.jobs()),
        runs=tuple(objects.runs()),
        refusal=scenario.refusal,
        steps=tuple(steps.steps),
        journal=tuple(watcher.lines),
        where=Where.SIMULATION,
        left_out={},
    )


def _turn_on_retries(kubeflow: Kubeflow, steps: StepRunner) -> str:
    """Runs `up` with retries and waits until Argo has reloaded its settings; returns the engine's counts."""
    read = kubeflow.argo.configurations()
    result = kubeflow.up()
    if set(result.changes) != {"same"}:
        steps.until(
            lambda: kubeflow.argo.configurations() > read, lambda: "Argo has not reloaded its settings"
        )
    return f"{sums(result)} in {result.seconds:.0f} s"


def _any_line(journal: JournalTail, local: LocalAks) -> Line:
    """A line of the journal, which has the pools since the service's start."""
    lines = journal.read()
    if not lines:
        raise CommandError(f"the simulation wrote no events; see {local.run.log(service_files.PID_FILE)}")
    return lines[-1]


def _check(local: LocalAks) -> None:
    """Fails if the service has stopped, because no step could complete then."""
    if local.run.pid_file(service_files.PID_FILE).running() is None:
        raise CommandError(f"the simulated Azure has stopped; see {local.run.log(service_files.PID_FILE)}")


def _stack_facts(pools: tuple[ContractPool, ...], plan: Iterable[Planned], named: Pools) -> StackFacts:
    """Batch work runs on the CPU spot pools, or on the GPU ones without any."""
    batch, *more = [group for role in ("cpu", "gpu") if (group := pools_for_role(pools, role))]
    guarded = any(resource.type == _POLICY_BINDING for resource in plan)
    return StackFacts(pools, batch, more[0] if more else None, guarded, named)


def _made(result: Result) -> set[str]:
    """URNs that the engine has after an `up`, without the stack and default providers."""
    marks = ("::pulumi:pulumi:Stack::", "::default_")
    done = {step.urn for step in result.steps if step.done and not step.op.startswith(("delete", "discard"))}
    return {urn for urn in done if not any(mark in urn for mark in marks)}


def deployed_pools(
    contract: Iterable[Mapping[str, Any]], azure: Iterable[Mapping[str, Any]]
) -> tuple[ContractPool, ...]:
    """The pools of the output `poolContract` and of `AzureState.agent_pools()`, so ordered, the system pool first."""
    by_name = {entry["name"]: entry for entry in contract}
    spot_of = spot_pools_of_fallbacks(by_name.values())
    pools = [AgentPool.from_wire(wire) for wire in azure]
    order = list(by_name)
    pools.sort(key=lambda pool: order.index(pool.name) if pool.name in by_name else -1)
    return tuple(
        ContractPool(
            name=pool.name,
            role=by_name[pool.name]["role"] if pool.name in by_name else SYSTEM,
            spot=pool.spot,
            vm_size=pool.vm_size,
            min_count=pool.min_count,
            max_count=pool.max_count,
            workload=pool.labels.get(WORKLOAD_LABEL, ""),
            fallback_for=spot_of.get(pool.name, ()),
            taints=pool.taints,
        )
        for pool in pools
    )
