"""The simulation against a real control plane: the real scheduler, controllers and eviction API do their part."""

import io
import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client
from kubernetes.client.exceptions import ApiException

from kubeflow_aks.local_aks.simulation.journal import Journal
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from kubeflow_aks.local_aks.simulation.loop import Simulation
from kubeflow_aks.local_aks.simulation.market import ALL, Market, MarketEvent, Reclaim, Supply
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings
from kubeflow_aks.local_aks.stepped.memory_azure import MemoryAzure
from tests.local.stepped_clock import SteppedClock, on_stepped_clock
from tests.local_aks.simulation.simulated import pod_spec, pool

NAMESPACE = "simulation"
STEP_SECONDS = 2.0
"""Simulated seconds of one step, which takes 0.1 s or a little more."""
PRIORITIES = "40:\n- ^aks-simspot-[0-9]+-vmss$\n20:\n- ^aks-simod-[0-9]+-vmss$\n1:\n- .*\n"
BATCH = pod_spec(
    selector={"workload": "sim"}, tolerates=("spot", "fallback"), terminationGracePeriodSeconds=0
)
WAIT_SECONDS = 240.0


class Running:
    """A simulation on its own thread, with the API clients that its tests need."""

    def __init__(self, kubeconfig: Path, api: Any) -> None:
        self.core = client.CoreV1Api(api)
        self.apps = client.AppsV1Api(api)
        self.policy = client.PolicyV1Api(api)
        self.azure = MemoryAzure(
            [
                pool("simspot", scaleSetPriority="Spot", nodeLabels={"workload": "sim"}, maxCount=3),
                pool(
                    "simod",
                    nodeLabels={"workload": "sim"},
                    nodeTaints=["ckf/fallback=true:NoSchedule"],
                    maxCount=3,
                ),
            ],
            {"expander": "priority", "scaleDownUnneededTime": "60s", "scaleDownDelayAfterAdd": "60s"},
        )
        self.clock = SteppedClock(STEP_SECONDS)
        self.market = Market()
        self.sink = io.StringIO()
        self.cluster = LiveCluster(str(kubeconfig))
        timings = Timings(boot=30, allocation_error=10)
        journal = Journal(self.sink, self.clock)
        self.simulation = Simulation(
            self.azure,
            on_stepped_clock(self.cluster, self.clock),
            self.clock,
            self.market,
            journal,
            timings=timings,
        )

    @contextmanager
    def going(self) -> Generator[None]:
        """Run until the block ends; then every node is removed with its pool."""
        stop = threading.Event()
        thread = threading.Thread(target=self.simulation.run, args=(stop,))
        thread.start()
        try:
            yield
            self.azure.pools.clear()
            self.eventually(
                lambda: not self.nodes("simspot") + self.nodes("simod"), "the nodes go with their pools"
            )
        finally:
            stop.set()
            thread.join()
            self.cluster.close()

    def journal(self, *kinds: str) -> list[dict[str, Any]]:
        """The journal's lines of some kinds."""
        return [line for line in map(json.loads, self.sink.getvalue().splitlines()) if line["kind"] in kinds]

    def happens(self, what: Supply | Reclaim, of: str, count: int = ALL) -> None:
        """Something happens on the market now."""
        self.market.add(MarketEvent(self.clock.now(), what, of, count))

    def nodes(self, of: str) -> list[dict[str, Any]]:
        """Live Node objects of a pool."""
        return [
            node
            for node in self.cluster.nodes()
            if node["metadata"]["labels"].get("kubernetes.azure.com/agentpool") == of
        ]

    def pods(self) -> list[dict[str, Any]]:
        """Live pods of the tests' namespace that are not on their way out."""
        return [
            pod
            for pod in self.cluster.pods()
            if pod["metadata"]["namespace"] == NAMESPACE and "deletionTimestamp" not in pod["metadata"]
        ]

    def pools_of_running_pods(self) -> list[str]:
        """The pools on whose nodes pods run now, one entry for each pod."""
        pools = {node["metadata"]["name"]: of for of in ("simspot", "simod") for node in self.nodes(of)}
        running = [pod["spec"]["nodeName"] for pod in self.pods() if pod["status"].get("phase") == "Running"]
        return sorted(pools[node] for node in running if node in pools)

    def deploy(self, replicas: int) -> None:
        """Start pods that prefer nothing and may run on both pools."""
        spec = {**BATCH, "containers": [{**BATCH["containers"][0], "image": "work"}]}
        template = {"metadata": {"labels": {"app": "work"}}, "spec": spec}
        body: Any = {
            "metadata": {"name": "work"},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"app": "work"}},
                "template": template,
            },
        }
        self.apps.create_namespaced_deployment(NAMESPACE, body)

    def eventually(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until it is so, or fail with the journal."""
        until = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < until, f"never: {what}\n{self.sink.getvalue()}"
            time.sleep(0.1)


@pytest.fixture
def simulation(kubeconfig: Path, api: Any) -> Generator[Running]:
    running = Running(kubeconfig, api)
    config_map: Any = {
        "metadata": {"name": "cluster-autoscaler-priority-expander"},
        "data": {"priorities": PRIORITIES},
    }
    namespace: Any = {"metadata": {"name": NAMESPACE}}
    with suppress(ApiException):
        running.core.create_namespace(namespace)
    running.core.create_namespaced_config_map("kube-system", config_map)
    try:
        with running.going():
            yield running
            with suppress(ApiException):
                running.apps.delete_namespaced_deployment("work", NAMESPACE)
    finally:
        running.core.delete_namespaced_config_map("cluster-autoscaler-priority-expander", "kube-system")


def test_pods_get_spot_nodes_from_zero_and_the_nodes_go_when_idle(simulation: Running) -> None:
    simulation.deploy(3)
    simulation.eventually(lambda: simulation.pools_of_running_pods() == ["simspot"] * 3, "all run on spot")
    assert simulation.nodes("simod") == []
    (node,) = simulation.nodes("simspot")
    taints = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}
    assert taints in node["spec"]["taints"]
    events: Any = simulation.core.list_namespaced_event(NAMESPACE)
    triggered = [event for event in events.items if event.reason == "TriggeredScaleUp"]
    assert triggered
    assert all("simulated" in event.message for event in triggered)
    simulation.apps.delete_namespaced_deployment("work", NAMESPACE)
    simulation.eventually(lambda: simulation.nodes("simspot") == [], "the idle node is removed")
    assert [line["empty"] for line in simulation.journal("scale-down")] == [True]


def test_evicted_work_runs_on_the_fallback_while_spot_is_sold_out(simulation: Running) -> None:
    simulation.deploy(2)
    simulation.eventually(lambda: simulation.pools_of_running_pods() == ["simspot"] * 2, "both run on spot")
    simulation.happens(Supply.SOLD_OUT, "simspot")
    simulation.happens(Reclaim.EVICT, "simspot")
    simulation.eventually(
        lambda: simulation.pools_of_running_pods() == ["simod"] * 2, "both run on the fallback"
    )
    simulation.eventually(lambda: simulation.nodes("simspot") == [], "the spot node is gone")
    (fallback,) = simulation.journal("fallback")
    assert fallback["insteadOf"] == ["simspot"]
    (eviction,) = simulation.journal("eviction")
    assert (eviction["notice"], eviction["pods"]) == (True, 0)


def test_the_eviction_notice_stays_on_the_node_until_the_vm_goes(simulation: Running) -> None:
    simulation.azure.pools[0]["minCount"] = 1
    simulation.eventually(lambda: len(simulation.journal("node-ready")) == 1, "the minimum is there")
    simulation.happens(Reclaim.EVICT, "simspot")
    simulation.eventually(lambda: len(simulation.journal("eviction-notice")) == 1, "the notice")

    def marked() -> bool:
        return any(
            node["spec"].get("unschedulable")
            and any(entry["type"] == "VMEventScheduled" for entry in node["status"]["conditions"])
            and any(
                entry["key"] == "remediator.kubernetes.azure.com/unschedulable"
                for entry in node["spec"]["taints"]
            )
            for node in simulation.nodes("simspot")
        )

    simulation.eventually(marked, "event, condition, taint and cordon")
    simulation.eventually(lambda: len(simulation.journal("eviction")) == 1, "the VM goes")
    events: Any = simulation.core.list_namespaced_event("default")
    assert any(event.reason == "PreemptScheduled" and "simulated" in event.message for event in events.items)


def test_nodes_on_demand_are_upgraded_one_by_one_and_their_work_moves(simulation: Running) -> None:
    fallback = simulation.azure.pools[1]
    fallback["minCount"] = 2
    simulation.happens(Supply.SOLD_OUT, "simspot")
    simulation.deploy(2)
    simulation.eventually(
        lambda: simulation.pools_of_running_pods() == ["simod"] * 2, "both run on the fallback"
    )
    before = {node["metadata"]["name"] for node in simulation.nodes("simod")}
    fallback["currentOrchestratorVersion"] = "1.35.1"

    def upgraded() -> bool:
        nodes = simulation.nodes("simod")
        assert len(nodes) <= len(before) + 1
        versions = {node["status"]["nodeInfo"]["kubeletVersion"] for node in nodes}
        return versions == {"v1.35.1"} and len(nodes) == len(before)

    simulation.eventually(upgraded, "every node has the new version")
    # The autoscaler may take the node that the surge made superfluous before its turn comes.
    taken = {line["node"] for kind in ("upgrade", "scale-down") for line in simulation.journal(kind)}
    assert before <= taken
    assert simulation.journal("upgrade")
    simulation.eventually(lambda: simulation.pools_of_running_pods() == ["simod"] * 2, "both run again")


@contextmanager
def _budget(simulation: Running, name: str, minimum: int) -> Generator[None]:
    """A disruption budget for the work, with the number that its controller allows."""
    budget: Any = {
        "metadata": {"name": name},
        "spec": {"minAvailable": minimum, "selector": {"matchLabels": {"app": "work"}}},
    }
    simulation.policy.create_namespaced_pod_disruption_budget(NAMESPACE, budget)
    try:
        simulation.eventually(
            lambda: any(
                entry["metadata"]["name"] == name and entry["status"].get("currentHealthy")
                for entry in simulation.cluster.disruption_budgets()
            ),
            "the budget is observed",
        )
        yield
    finally:
        simulation.policy.delete_namespaced_pod_disruption_budget(name, NAMESPACE)


def test_a_disruption_budget_delays_the_drain_and_the_vm_goes_all_the_same(simulation: Running) -> None:
    simulation.deploy(1)
    simulation.eventually(lambda: simulation.pools_of_running_pods() == ["simspot"], "it runs on spot")
    with _budget(simulation, "work", minimum=1):
        simulation.happens(Reclaim.EVICT, "simspot")
        simulation.eventually(lambda: len(simulation.journal("eviction")) == 1, "the VM goes")
    assert [line["pods"] for line in simulation.journal("eviction")] == [1]


def test_a_pod_with_two_budgets_is_refused_and_one_that_gave_way_to_another_is_left_alone(
    simulation: Running,
) -> None:
    simulation.deploy(1)
    simulation.eventually(lambda: simulation.pools_of_running_pods() == ["simspot"], "it runs on spot")
    [pod] = simulation.pods()
    name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    with _budget(simulation, "one", minimum=0), _budget(simulation, "two", minimum=0):
        assert not simulation.cluster.evict(NAMESPACE, name, uid)
    assert simulation.cluster.evict(NAMESPACE, name, "another's")
    assert [pod["metadata"]["uid"] for pod in simulation.pods()] == [uid]
    assert simulation.cluster.evict(NAMESPACE, name, uid)
    simulation.eventually(lambda: uid not in [pod["metadata"]["uid"] for pod in simulation.pods()], "it goes")


def test_changed_labels_and_taints_reach_live_nodes(simulation: Running) -> None:
    simulation.azure.pools[1] |= {"minCount": 1}
    simulation.eventually(lambda: len(simulation.journal("node-ready")) == 1, "the minimum is there")
    simulation.azure.pools[1] |= {"nodeLabels": {"workload": "other"}, "nodeTaints": ["other:NoSchedule"]}

    def changed() -> bool:
        (node,) = simulation.nodes("simod")
        keys = [entry["key"] for entry in node["spec"].get("taints", ())]
        return (node["metadata"]["labels"]["workload"], keys) == ("other", ["other"])

    simulation.eventually(changed, "the new label and only the new taint")
