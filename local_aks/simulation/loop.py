"""The loop that ties the local AKS together: nodes from pools, the spot market, the simulated autoscaler."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from local_aks.kube.errors import KubeError
from local_aks.simulation.actuator import Actuator
from local_aks.simulation.autoscaler.core import Autoscaler
from local_aks.simulation.autoscaler.model import Node, NodeGroup, Snapshot, Taint
from local_aks.simulation.autoscaler.parse import parse_budget, parse_node, parse_scheduling
from local_aks.simulation.autoscaler.profile import Profile
from local_aks.simulation.autoscaler.scale_down import DELETION_TAINT, is_leaving
from local_aks.simulation.clock import Clock
from local_aks.simulation.cluster import Cluster
from local_aks.simulation.journal import Journal, Kind, Source
from local_aks.simulation.market import Market, MarketEvent, Supply, Taking
from local_aks.simulation.observer import Observer, View
from local_aks.simulation.tasks.eviction import DRAIN_TAINT, NOTICE_SECONDS, Eviction
from local_aks.simulation.tasks.removal import Outcome, Removal
from local_aks.simulation.vms.agent_pools import AgentPool, Azure
from local_aks.simulation.vms.nodes import UnknownVmSizeError, scale_set_name, template_node
from local_aks.simulation.vms.scale_sets import ScaleSets, Timings

_NEVER: Final = float("-inf")


class SeveralClustersError(ValueError):
    """The Azure stand-in has pools of several clusters, but there is one control plane."""


class Simulation:
    """Azure's side of one AKS cluster, played against a real control plane.

    What must outlive a restart is in the Azure stand-in (pools) and the control plane (nodes, and on them the
    marks of evictions under way). Back-offs and scale-downs under way are forgotten, as by the real autoscaler.
    """

    def __init__(
        self,
        azure: Azure,
        cluster: Cluster,
        clock: Clock,
        market: Market,
        journal: Journal,
        *,
        timings: Timings | None = None,
        seed: int = 0,
    ) -> None:
        """`seed` settles the autoscaler's ties."""
        self._azure = azure
        self._cluster = cluster
        self._clock = clock
        self._market = market
        self._journal = journal
        self._observer = Observer(cluster, journal)
        self._scale_sets = ScaleSets(azure, cluster, market, journal, timings or Timings())
        self._autoscaler = Autoscaler(seed=seed)
        self._actuator = Actuator(cluster, self._scale_sets, journal)
        self._evictions: dict[str, Eviction] = {}
        self._removals: dict[str, Removal] = {}
        self._ready: set[str] = set()
        self._templates: dict[str, tuple[AgentPool, Node]] = {}
        self._problems: set[str] = set()
        self._next_scan = _NEVER
        self._resumed = False

    def run(self, stop: threading.Event) -> None:
        """Step until `stop` is set; what the control plane can't or won't do is told once and tried again."""
        told = ""
        while not stop.is_set():
            problem = ""
            try:
                self.step()
            except (KubeError, SeveralClustersError) as error:
                problem = str(error)
            if problem and problem != told:
                self._journal.write(Kind.ERROR, Source.SIMULATION, detail=problem)
            told = problem
            self._clock.wait(stop)

    def step(self) -> None:
        """Do all that is due at the clock's time.

        Raises:
            KubeError: the control plane does not answer or finds something invalid; the next step carries on.
            SeveralClustersError: the Azure stand-in has more than one cluster.
        """
        now = self._clock.now()
        view = self._observer.look(now)
        pools = self._pools()
        profile = self._profile(pools)
        try:
            self._scale_sets.sync(pools.values(), [node.name for node in view.nodes], now)
            if not self._resumed:
                self._resume(view, now)
            for node in self._scale_sets.retired:
                self._remove(node, profile, forced=True, empty=False)
            for event in self._market.due(now):
                self._play(event, pools, now)
            self._scale_sets.advance(now)
            self._advance_evictions(view, now)
            self._advance_removals(view, now)
            self._note_ready(view, now)
            if now >= self._next_scan and any(pool.autoscaled for pool in pools.values()):
                self._next_scan = now + profile.scan_interval
                self._autoscale(pools, profile, view, now)
        finally:
            self._scale_sets.record_counts()

    def _resume(self, view: View, now: float) -> None:
        """Carry on with evictions of an earlier simulation; undo its scale-downs, as the real autoscaler does."""
        for node in view.nodes:
            if not self._scale_sets.has(node.name):
                continue
            if any(taint.key == DRAIN_TAINT["key"] for taint in node.taints):
                self._evictions[node.name] = Eviction(node.name, now)
            elif is_leaving(node):
                self._cluster.untaint_node(node.name, [DELETION_TAINT])
        self._resumed = True

    def _pools(self) -> dict[str, AgentPool]:
        """The pools by name, less those whose machines nobody knows."""
        pools = [AgentPool.from_wire(pool) for pool in self._azure.agent_pools()]
        clusters = sorted({pool.cluster_id for pool in pools})
        if len(clusters) > 1:
            raise SeveralClustersError(f"one control plane can't be several clusters: {', '.join(clusters)}")
        return {pool.name: pool for pool in pools if self._template(pool) is not None}

    def _template(self, pool: AgentPool) -> Node | None:
        known = self._templates.get(pool.name)
        if known is None or known[0] != pool:
            try:
                known = (pool, parse_node(template_node(pool)))
            except UnknownVmSizeError as error:
                self._complain(str(error))
                return None
            self._templates[pool.name] = known
        return known[1]

    def _profile(self, pools: dict[str, AgentPool]) -> Profile:
        pool = next(iter(pools.values()), None)
        if pool is None:
            return Profile()
        try:
            return Profile.from_wire(self._azure.autoscaler_profile(pool.cluster_id))
        except (ValueError, LookupError) as error:
            self._complain(str(error))
            return Profile()

    def _play(self, event: MarketEvent, pools: dict[str, AgentPool], now: float) -> None:
        """Make an event of the market happen."""
        if isinstance(event.what, Supply):
            self._journal.write(Kind.SUPPLY, Source.MARKET, pool=event.pool, supply=event.what)
            return
        if event.pool not in pools or not pools[event.pool].spot:
            self._complain(f"the market can't take nodes of {event.pool!r}, which is no spot pool")
            return
        here = [node for node in self._scale_sets.running(event.pool) if node not in self._evictions]
        notice = event.what is Taking.EVICT
        for node in self._market.pick(here, event.count):
            self._evictions[node] = Eviction(node, now, notice=notice)
            if notice:
                self._journal.write(
                    Kind.EVICTION_NOTICE, Source.MARKET, pool=event.pool, node=node, seconds=NOTICE_SECONDS
                )

    def _advance_evictions(self, view: View, now: float) -> None:
        self._take([eviction for eviction in self._evictions.values() if now >= eviction.gone_at], view)
        self._evictions = {
            node: going for node, going in self._evictions.items() if self._scale_sets.has(node)
        }
        for node, eviction in self._evictions.items():
            eviction.step(self._cluster, view.pods_on.get(node, ()), now)

    def _take(self, evictions: Sequence[Eviction], view: View) -> None:
        """The VMs are gone, with whatever still runs on them."""
        taken = [
            {
                "pool": self._scale_sets.pool_of(eviction.node),
                "node": eviction.node,
                "notice": eviction.notice,
                "pods": len(view.pods_on.get(eviction.node, ())),
            }
            for eviction in evictions
        ]
        self._scale_sets.delete([eviction.node for eviction in evictions], "evicted")
        for line in taken:
            self._journal.write(Kind.EVICTION, Source.MARKET, **line)

    def _remove(self, node: str, profile: Profile, *, forced: bool, empty: bool) -> None:
        if node not in self._removals:
            grace = profile.max_graceful_termination
            self._removals[node] = Removal(node, grace_seconds=grace, forced=forced, empty=empty)

    def _advance_removals(self, view: View, now: float) -> None:
        outcomes = {
            node: removal.step(self._cluster, view.pods_on.get(node, ()), now)
            for node, removal in self._removals.items()
            if self._scale_sets.has(node)
        }
        self._scale_sets.delete(
            [node for node, outcome in outcomes.items() if outcome is Outcome.DONE], "removed"
        )
        for node, outcome in outcomes.items():
            if outcome is Outcome.FAILED:
                pool = self._scale_sets.pool_of(node)
                self._journal.write(Kind.SCALE_DOWN_FAILED, Source.AUTOSCALER, pool=pool, node=node)
                self._autoscaler.scale_down_failed(now)
        going_on = {
            node for node, outcome in outcomes.items() if outcome not in {Outcome.DONE, Outcome.FAILED}
        }
        self._removals = {node: removal for node, removal in self._removals.items() if node in going_on}

    def _note_ready(self, view: View, now: float) -> None:
        ready = {node.name for node in view.nodes if node.ready and self._scale_sets.has(node.name)}
        for node in sorted(ready - self._ready):
            pool, requested = self._scale_sets.pool_of(node), self._scale_sets.requested_at(node)
            took = {} if requested is None else {"seconds": round(now - requested, 3)}
            self._journal.write(Kind.NODE_READY, Source.CONTROL_PLANE, pool=pool, node=node, **took)
        self._ready = ready

    def _autoscale(self, pools: dict[str, AgentPool], profile: Profile, view: View, now: float) -> None:
        snapshot = Snapshot(
            now=now,
            profile=profile,
            groups=tuple(self._group(pool) for pool in pools.values() if pool.autoscaled),
            nodes=tuple(self._as_known(node) for node in view.nodes if self._exists(node, pools)),
            pods=view.pods,
            daemon_sets=tuple(
                parse_scheduling(daemon_set["spec"]["template"]["spec"])
                for daemon_set in self._cluster.daemon_sets()
            ),
            budgets=tuple(parse_budget(budget) for budget in self._cluster.disruption_budgets()),
            priorities=self._cluster.priorities(),
        )
        decisions = self._autoscaler.decide(snapshot)
        for removed in self._actuator.carry_out(decisions, pools, view.pods, now):
            self._remove(removed.node, profile, forced=False, empty=removed.empty)

    def _group(self, pool: AgentPool) -> NodeGroup:
        return NodeGroup(
            id=scale_set_name(pool),
            pool=pool.name,
            min_size=pool.min_count,
            max_size=pool.max_count,
            template=self._templates[pool.name][1],
            instances=self._scale_sets.instances(pool.name),
        )

    def _exists(self, node: Node, pools: dict[str, AgentPool]) -> bool:
        """Whether a node is still there: a Node object can be seen for a moment after its VM is gone."""
        return (
            self._scale_sets.has(node.name) or node.labels.get("kubernetes.azure.com/agentpool") not in pools
        )

    def _as_known(self, node: Node) -> Node:
        """A node that is being removed has the taint for the autoscaler, also while its removal only begins."""
        if node.name not in self._removals or is_leaving(node):
            return node
        return replace(node, taints=(*node.taints, Taint(DELETION_TAINT, "NoSchedule")))

    def _complain(self, problem: str) -> None:
        """Write an error to the journal, each one once."""
        if problem not in self._problems:
            self._problems.add(problem)
            self._journal.write(Kind.ERROR, Source.SIMULATION, detail=problem)
