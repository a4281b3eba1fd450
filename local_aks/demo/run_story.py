"""Runs the story on a local AKS that is up, and returns what was observed."""

import json
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from ckf_spot import Pools
from kube.api import ApiServer
from local_aks.azure.state import AzureState
from local_aks.demo.bring_up import sums
from local_aks.demo.kubeflow import Kubeflow
from local_aks.demo.market import Market
from local_aks.demo.pools import join
from local_aks.demo.progress import Planned
from local_aks.engine.results import Result
from local_aks.lifecycle import daemon
from local_aks.lifecycle.instance import LocalAks, ServiceError
from local_aks.simulation.autoscaler.profile import Profile
from local_aks.simulation.live_cluster import LiveCluster
from story.console import Console
from story.contract_pools import ContractPool, pools_for_role
from story.demo_objects import DemoObjects
from story.observations import Observations, Where
from story.scene_runner import NotSeenError, SceneRunner
from story.scenes import StackFacts, Story
from story.watcher import JournalTail, Line, SimulatedTime, Watcher

_POLICY_BINDING: Final = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding"


def run_story(
    kubeflow: Kubeflow,
    journal: JournalTail,
    plan: Sequence[Planned],
    first: Result,
    *,
    contract: Path,
    console: Console,
) -> Observations:
    """Plays the story; a scene that does not come to its end ends it, and what was seen so far still counts.

    Args:
        kubeflow: its controllers, which run, and the local AKS that they are on, whose stack is up.
        journal: from the service's start on.
        plan: the resources of the stack.
        first: the `up` before the story.
        contract: file with that `up`'s output `poolContract`.
        console: takes lines for people.

    Raises:
        EngineError: the `up` after the story fails.
        ServiceError: the service stopped meanwhile.
    """
    local = kubeflow.local
    azure = AzureState(local.run.azure)
    wire = azure.agent_pools()
    pools = join(json.loads(contract.read_text(encoding="utf-8")), wire)
    facts = _stack_facts(pools, plan, Pools.load(contract))
    objects = DemoObjects(ApiServer.of(local.run.kubeconfig))
    objects.clear(pools)
    cluster = LiveCluster(str(local.run.kubeconfig))
    try:
        for listed in (cluster.nodes, cluster.pods):
            listed()  # waits for the first list, so that the story begins with what is there
        watcher = Watcher(cluster, journal, SimulatedTime(_any_line(journal, local), local.speed))
        scenes = SceneRunner(watcher, console, partial(_check, local))
        scenes.look()
        story = Story(
            facts,
            scenes,
            objects,
            Market(local.run),
            lambda: _turn_on_retries(kubeflow, scenes),
        )
        try:
            story.play()
        except NotSeenError as error:
            console.line(f"The story ends here: {error}")
        with scenes.scene("second-up", "`pulumi up` once more"):
            second = kubeflow.up()
            console.line(f"{sums(second)} in {second.seconds:.0f} s")
        scenes.look()
    finally:
        cluster.close()
    return Observations(
        stack=local.stack,
        speed=local.speed,
        seed=local.seed,
        provision_limit=Profile.from_wire(
            azure.autoscaler_profile(wire[0]["clusterId"])
        ).max_node_provision_time,
        planned=tuple(sorted(each.urn for each in plan)),
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
        refusal=story.refusal,
        scenes=tuple(scenes.scenes),
        journal=tuple(watcher.lines),
        where=Where.SIMULATION,
        left_out={},
    )


def _turn_on_retries(kubeflow: Kubeflow, scenes: SceneRunner) -> str:
    """Runs it; says what it did once Argo has read its settings anew."""
    read = kubeflow.argo.configurations()
    result = kubeflow.up()
    if set(result.changes) != {"same"}:
        scenes.until(
            lambda: kubeflow.argo.configurations() > read, lambda: "Argo has not read its settings anew"
        )
    return f"{sums(result)} in {result.seconds:.0f} s"


def _any_line(journal: JournalTail, local: LocalAks) -> Line:
    """A line of the journal: the pools came into sight when the service started."""
    lines = journal.read()
    if not lines:
        raise ServiceError(f"the simulation does not move; see {local.run.log(daemon.PID_FILE)}")
    return lines[-1]


def _check(local: LocalAks) -> None:
    """Without the service nothing that the story waits for would happen any more."""
    if local.run.pid_file(daemon.PID_FILE).running() is None:
        raise ServiceError(f"the simulated Azure has stopped; see {local.run.log(daemon.PID_FILE)}")


def _stack_facts(pools: tuple[ContractPool, ...], plan: Iterable[Planned], named: Pools) -> StackFacts:
    """Batch work has the CPU spot pools where there are some, else the GPU ones."""
    batch, *more = [found for role in ("cpu", "gpu") if (found := pools_for_role(pools, role))]
    guarded = any(each.type == _POLICY_BINDING for each in plan)
    return StackFacts(pools, batch, more[0] if more else None, guarded, named)


def _made(result: Result) -> set[str]:
    """URNs that the engine has after an `up`, without the stack's own and the providers it makes by itself."""
    own = ("::pulumi:pulumi:Stack::", "::default_")
    done = {step.urn for step in result.steps if step.done and not step.op.startswith(("delete", "discard"))}
    return {urn for urn in done if not any(mark in urn for mark in own)}
