"""The loop that ties the local AKS together: nodes from pools, the spot market, the simulated autoscaler."""

import threading
from collections.abc import Mapping, Sequence

from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.actuator import Actuator
from kubeflow_aks.local_aks.simulation.autoscaler.scale_down import DELETION_TAINT, is_leaving
from kubeflow_aks.local_aks.simulation.autoscaling import Autoscaling
from kubeflow_aks.local_aks.simulation.azure_reader import AzureReader, SeveralClustersError
from kubeflow_aks.local_aks.simulation.clock import Clock
from kubeflow_aks.local_aks.simulation.journal import Journal, Source
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from kubeflow_aks.local_aks.simulation.market import (
    Market,
    MarketEvent,
    MarketRefusedError,
    Reclaim,
    Supply,
    no_spot_pool,
    no_such_node,
)
from kubeflow_aks.local_aks.simulation.observer import Observer, View
from kubeflow_aks.local_aks.simulation.tasks.advisory import Advisories
from kubeflow_aks.local_aks.simulation.tasks.eviction import DRAIN_TAINT, NOTICE_SECONDS, Evictions
from kubeflow_aks.local_aks.simulation.tasks.removal import Removals
from kubeflow_aks.local_aks.simulation.tasks.upgrade import Upgrades
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool, Azure
from kubeflow_aks.local_aks.simulation.vms.scale_sets import ScaleSets, Timings, VirtualMachine


class Simulation:
    """Azure's side of one AKS cluster, played against a real control plane.

    What must outlive a restart is in the Azure stand-in (pools) and the control plane (nodes, and on them the
    marks of evictions under way). Back-offs and scale-downs under way are forgotten, as by the real autoscaler.
    """

    def __init__(
        self,
        azure: Azure,
        cluster: LiveCluster,
        clock: Clock,
        market: Market,
        journal: Journal,
        *,
        timings: Timings | None = None,
        seed: int = 0,
    ) -> None:
        """`seed` settles the autoscaler's ties."""
        self._cluster = cluster
        self._clock = clock
        self._market = market
        self._journal = journal
        self._azure = AzureReader(azure, journal)
        self._observer = Observer(cluster, journal)
        self._scale_sets = ScaleSets(azure, cluster, market, journal, timings or Timings())
        self._evictions = Evictions(cluster, self._scale_sets, journal)
        self._advisories = Advisories(cluster, self._scale_sets, journal)
        self._removals = Removals(cluster, self._scale_sets, journal)
        self._upgrades = Upgrades(cluster, self._scale_sets, journal)
        actuator = Actuator(cluster, self._scale_sets, journal)
        self._autoscaling = Autoscaling(
            self._azure, self._observer, actuator, self._scale_sets, self._removals, seed=seed
        )
        self._ready: set[str] = set()
        self._resumed = False

    def run(self, stop: threading.Event) -> None:
        """Step until `stop` is set; what the control plane refuses is written to the journal once and tried again."""
        last_problem = ""
        while not stop.is_set():
            problem = ""
            try:
                self.step()
            except KubeError as error:
                problem = "" if self._nothing_to_play() else str(error)
            except SeveralClustersError as error:
                problem = str(error)
            if problem and problem != last_problem:
                self._journal.write(Kind.ERROR, Source.SIMULATION, detail=problem)
            last_problem = problem
            self._clock.wait(stop)

    def step(self) -> None:
        """Do all that is due at the clock's time.

        Raises:
            KubeError: the control plane does not answer or finds something invalid; the next step carries on.
            SeveralClustersError: the Azure stand-in has more than one cluster.
        """
        now = self._clock.now()
        view = self._observer.look(now)
        pools = self._azure.pools()
        profile = self._azure.profile(pools)
        try:
            self._scale_sets.sync(pools.values(), {node.name: node.kubelet for node in view.nodes}, now)
            if not self._resumed:
                self._resume(view, now)
            for node in self._scale_sets.retired:
                grace = profile.max_graceful_termination_sec
                self._removals.begin(node, grace_seconds=grace, forced=True, empty=False)
            for event in self._market.due(now):
                self._play(event, pools, now)
            self._scale_sets.advance(now)
            self._evictions.advance(view, now)
            self._advisories.advance(view, now)
            if self._removals.advance(view, now):
                self._autoscaling.scale_down_failed(now)
            leaving = {n.name for n in view.nodes if n.name in self._removals or n.name in self._evictions}
            self._upgrades.advance(pools, leaving, view, now)
            self._note_ready(view, now)
            self._autoscaling.advance(pools, profile, view, now)
        finally:
            self._scale_sets.record_counts()

    def machines(self) -> list[VirtualMachine]:
        """Every VM; safe to call from any thread."""
        return self._scale_sets.machines()

    def is_evicting(self, node: str) -> bool:
        """Whether a node's VM is being taken away; safe to call from any thread."""
        return node in self._evictions

    @property
    def next_scan(self) -> float:
        """Simulated second from which on a step lets the autoscaler look."""
        return self._autoscaling.next_scan

    def next_at(self, *, unseen: bool) -> float:
        """When a step could do something again, as long as nobody else changes the control plane or Azure.

        Args:
            unseen: whether anything changed since the autoscaler looked last.

        Returns:
            Simulated seconds, `-inf` for the very next step, `inf` for never. A step before then does nothing.
        """
        return min(
            self._market.next_at(),
            self._scale_sets.next_at(),
            self._evictions.next_at(),
            self._advisories.next_at(),
            self._removals.next_at(),
            self._upgrades.next_at(),
            self._autoscaling.next_at(unseen=unseen),
        )

    def pass_scans(self, until: float) -> None:
        """Take the autoscaler's looks before simulated second `until` for done: there was nothing new to see."""
        self._autoscaling.pass_scans(until)

    def _nothing_to_play(self) -> bool:
        """Whether there are no pools: a stopped cluster has none, and no API server either."""
        try:
            return not self._azure.pools()
        except SeveralClustersError:
            return False

    def _resume(self, view: View, now: float) -> None:
        """Carry on with evictions of an earlier simulation; undo its scale-downs, as the real autoscaler does."""
        for node in view.nodes:
            if not self._scale_sets.has(node.name):
                continue
            if any(taint.key == DRAIN_TAINT["key"] for taint in node.taints):
                self._evictions.resume(node.name, now)
            elif is_leaving(node):
                self._cluster.untaint_node(node.name, [DELETION_TAINT])
        self._resumed = True

    def _play(self, event: MarketEvent, pools: Mapping[str, AgentPool], now: float) -> None:
        """Carry out an event of the market, and report to its sender."""
        if isinstance(event.what, Supply):
            self._journal.write(Kind.SUPPLY, Source.MARKET, pool=event.pool, supply=event.what)
            event.outcome.set_result(f"{event.pool}: {event.what.means}")
            return
        spot = sorted(pool.name for pool in pools.values() if pool.spot)
        if event.pool not in spot:
            problem = no_spot_pool(event.pool, spot)
            self._journal.error_once(problem)
            event.outcome.set_exception(MarketRefusedError(problem))
            return
        here = [node for node in self._scale_sets.running(event.pool) if node not in self._evictions]
        if event.node and event.node not in here:
            event.outcome.set_exception(MarketRefusedError(no_such_node(event.node, event.pool, here)))
            return
        event.outcome.set_result(self._take(event.what, event, here, now))

    def _take(self, how: Reclaim, event: MarketEvent, here: Sequence[str], now: float) -> str:
        """Take some of a pool's nodes away, or advise of it, and return a sentence about it."""
        pool = event.pool
        taken = [event.node] if event.node else self._market.pick(here, event.count)
        for node in taken:
            self._advisories.end(node)
            if how is Reclaim.ADVISE:
                self._advisories.begin(node, now)
            else:
                self._evictions.begin(node, now, notice=how is Reclaim.EVICT)
        if not taken:
            return f"{pool}: there is no node to take"
        when = {
            Reclaim.EVICT: f"gone in {NOTICE_SECONDS:.0f} simulated seconds",
            Reclaim.VANISH: "gone without notice",
            Reclaim.ADVISE: "may be taken, Azure advises",
        }[how]
        return f"{pool}: {len(taken)} of {len(here)} nodes {when}: {', '.join(taken)}"

    def _note_ready(self, view: View, now: float) -> None:
        ready = {node.name for node in view.nodes if node.ready and self._scale_sets.has(node.name)}
        for node in sorted(ready - self._ready):
            pool, requested = self._scale_sets.pool_of(node), self._scale_sets.requested_at(node)
            took = {} if requested is None else {"seconds": round(now - requested, 3)}
            self._journal.write(Kind.NODE_READY, Source.CONTROL_PLANE, pool=pool, node=node, **took)
        self._ready = ready
