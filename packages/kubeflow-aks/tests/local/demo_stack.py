"""The demo stack deployed on a local AKS, and the simulation played on it at each test's own pace."""

from __future__ import annotations

import io
import json
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Kind as ObjectKind
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.lifecycle import teardown
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation.journal import Journal
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from kubeflow_aks.local_aks.simulation.loop import Simulation
from kubeflow_aks.local_aks.simulation.market import Market, MarketEvent
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings
from kubeflow_aks.tools import Tools
from tests.local.kubectl import Kubectl, eventually
from tests.local.stepped_clock import SteppedClock, on_stepped_clock

Object = dict[str, Any]
Value = TypeVar("Value")

MANAGER: Final = "tests"
"""Field manager of what the tests apply."""
REQUEST_SECONDS: Final = 0.5
"""Between two looks that send requests; what the stack's `cluster` reads costs none."""
_WORK: Final = (
    ObjectKind("batch", "v1", "Job"),
    ObjectKind("", "v1", "Pod"),
    ObjectKind("policy", "v1", "PodDisruptionBudget"),
)
_DEPLOYMENT_SPEED: Final = 1000.0
_POLL_SECONDS: Final = 0.1
_LONGEST_SECONDS: Final = 600.0
"""Wall time after which a test gives up: far more than a storm takes, for a machine may be slow."""


WIDE: Final = {
    "pools": {
        "general": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3},
        "cpuspot": {
            "vmSize": "Standard_D8ds_v5",
            "priority": "Spot",
            "maxCount": 20,
            "fallback": {"maxCount": 5},
        },
        "gpuspot": {
            "vmSize": "Standard_NC4as_T4_v3",
            "priority": "Spot",
            "maxCount": 4,
            "fallback": {"maxCount": 2},
        },
    },
    "kubeflow": {"returnToSpot": True},
}
"""The standard pools, with twice the CPU spot nodes, so that a storm of hundreds takes half the time, and the pod that
returns work to spot."""


class _Lines(io.StringIO):
    """A journal's sink that keeps the lines as objects."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Object] = []

    def write(self, text: str, /) -> int:
        self.lines.append(json.loads(text))
        return len(text)


class Play:
    """A simulation at work in a thread of its own."""

    def __init__(self, clock: SteppedClock, market: Market, sink: _Lines, running: Future[None]) -> None:
        self.clock = clock
        self.market = market
        self._sink = sink
        self._running = running

    def weather(self, events: Iterable[MarketEvent]) -> None:
        """More happens on the market, by events that count from now: where a busy machine had few nodes to take."""
        now = self.clock.now()
        self.market.add(*(replace(event, at=now + event.at) for event in events))

    def journal(self, *kinds: Kind, **fields: object) -> list[Object]:
        """The lines so far, of these kinds and with these values only if any are named."""
        return [
            line
            for line in list(self._sink.lines)
            if (not kinds or line["kind"] in kinds)
            and all(line.get(key) == value for key, value in fields.items())
        ]

    def wait(
        self, look: Callable[[], Value | None], *, deadline: float, every: float = _POLL_SECONDS
    ) -> Value | None:
        """What `look` returns as soon as it is true, or what it returns at `deadline` on the monotonic clock."""
        while not (value := look()) and time.monotonic() < deadline:
            if self._running.done():
                self._running.result()
            time.sleep(every)
        return value

    def until(self, what: str, look: Callable[[], Value | None], *, every: float = _POLL_SECONDS) -> Value:
        """What `look` returns as soon as it is true; fails in the end, telling `what` is missing.

        Args:
            what: is to be.
            look: reads it.
            every: seconds between two looks.
        """
        value = self.wait(look, deadline=time.monotonic() + _LONGEST_SECONDS, every=every)
        assert value, f"{what}: still {value!r} after {_LONGEST_SECONDS:.0f} s;\n{self._tail()}"
        return value

    def _tail(self) -> str:
        return "\n".join(map(str, self._sink.lines[-20:]))


@dataclass(frozen=True)
class DemoStack:
    """The demo stack's Azure side (pools, autoscaler profile) and its real control plane.

    Attributes:
        azure: what the program made in the simulated Azure.
        cluster: the control plane as the simulation sees it; what it reads is up to date at no cost.
        api: the same API server for what tests create.
        kubectl: for everything else.
        aks: the local AKS itself; its background service does not run.
        engine: what brought it up; it reads the outputs without the service.
    """

    azure: AzureState
    cluster: LiveCluster
    api: ApiServer
    kubectl: Kubectl
    aks: LocalAks
    engine: Engine

    def up(self, **settings: Any) -> None:
        """Run the program again with more settings; nothing may be playing."""
        aks = replace(self.aks, extra_config={**self.aks.extra_config, **settings})
        aks.start_service()
        try:
            aks.engine.up()
        finally:
            aks.stop_service()

    @contextmanager
    def playing(
        self, *events: MarketEvent, step: float = 2.0, boot: float = 90.0, seed: int = 0
    ) -> Generator[Play]:
        """Simulate Azure from now on.

        Args:
            events: what happens on the spot market, in simulated seconds from now.
            step: simulated seconds of one step, which takes 0.1 s or a little more.
            boot: simulated seconds from the request for a VM to its node.
            seed: settles every chance.
        """
        clock, market, sink, stop = SteppedClock(step), Market(events, seed=seed), _Lines(), threading.Event()
        simulation = Simulation(
            self.azure,
            on_stepped_clock(self.cluster, clock),
            clock,
            market,
            Journal(sink, clock),
            timings=Timings(boot=boot),
            seed=seed,
        )
        with ThreadPoolExecutor(1, "simulation") as thread:
            running = thread.submit(simulation.run, stop)
            try:
                yield Play(clock, market, sink, running)
            finally:
                stop.set()
            running.result()

    def pools(self) -> dict[str, AgentPool]:
        """The pools by name."""
        return {pool["name"]: AgentPool.from_wire(pool) for pool in self.azure.agent_pools()}

    def pod(self, namespace: str, name: str) -> Object | None:
        """A pod by name, None while there is none."""
        return next((pod for pod in self.pods(namespace) if pod["metadata"]["name"] == name), None)

    def pods(self, namespace: str) -> list[Object]:
        """All pods of a namespace."""
        return [pod for pod in self.cluster.pods() if pod["metadata"]["namespace"] == namespace]

    def pool_of(self, pod: Object) -> str:
        """The pool that the real scheduler put a pod on, empty when it is on no node there is."""
        pools = {
            node["metadata"]["name"]: node["metadata"]["labels"]["kubernetes.azure.com/agentpool"]
            for node in self.cluster.nodes()
        }
        return pools.get(pod["spec"].get("nodeName", ""), "")

    def nodes(self, pool: str) -> list[str]:
        """Names of a pool's nodes."""
        return [
            node["metadata"]["name"]
            for node in self.cluster.nodes()
            if node["metadata"]["labels"]["kubernetes.azure.com/agentpool"] == pool
        ]

    def apply(self, *objects: Object) -> None:
        """Create or change objects; a field that Kubernetes does not know is refused."""
        for obj in objects:
            self.api.apply(obj, MANAGER, force=False)

    @contextmanager
    def namespace(
        self, *kinds: ObjectKind, name: str = "", annotations: Mapping[str, str] | None = None
    ) -> Generator[str]:
        """A namespace to work in; nothing may be playing when it is left.

        However it went, its work is removed then and every pool is brought back to its minimum: what comes next on the
        same stack finds it as it was.

        Args:
            kinds: more kinds of work than Jobs and pods.
            name: one that is not used yet; by default one of its own.
            annotations: of the namespace.

        Yields:
            Its name; pods can be created in it.
        """
        name = name or f"test-{uuid.uuid4().hex[:8]}"
        metadata = {"name": name, "annotations": dict(annotations or {})}
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        eventually(lambda: self.api.read(f"/api/v1/namespaces/{name}/serviceaccounts/default"))
        try:
            yield name
        finally:
            self._clear(name, kinds)

    def _clear(self, namespace: str, kinds: Iterable[ObjectKind]) -> None:
        eventually(lambda: not self._delete_all(namespace, (*kinds, *_WORK)))
        for pool in self.pools().values():
            for node in self.nodes(pool.name)[pool.min_count :]:
                self.cluster.delete_node(node)
            self.azure.set_count(pool.cluster_id, pool.name, pool.min_count)

    def _delete_all(self, namespace: str, kinds: Iterable[ObjectKind]) -> list[Object]:
        """The objects of these kinds that there were; none of them stays."""
        objects = [
            {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": obj["metadata"]}
            for kind in kinds
            for obj in self.api.list(kind, namespace)
        ]
        for obj in objects:
            try:
                self.api.delete(obj, "Background", grace_seconds=0)
            except ApiError as error:
                if not error.not_found:
                    raise
        return objects


@contextmanager
def deployed(
    tools: Tools, folder: Path, extra_config: Mapping[str, Any] | None = None
) -> Generator[DemoStack]:
    """The demo stack on a local AKS of its own: `up` by the real engine, then nothing simulated until `playing`.

    Args:
        tools: all tools.
        folder: for everything the local AKS writes; it is removed afterwards.
        extra_config: settings on top of the demo stack's.
    """
    run = RunDirectory.at(folder)
    aks = LocalAks(run, tools, "demo", speed=_DEPLOYMENT_SPEED, extra_config=extra_config or {})
    try:
        aks.start()
        engine = aks.engine
        engine.up()
        aks.stop_service()
        cluster = LiveCluster(str(run.kubeconfig))
        api = ApiServer.of(run.kubeconfig)
        yield DemoStack(AzureState(run.azure), cluster, api, Kubectl(tools, run.kubeconfig), aks, engine)
        cluster.close()
    finally:
        teardown.remove(run)
