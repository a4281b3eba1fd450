"""Scale sets and VMs over HTTP, and the eviction of one VM, on a simulation without a control plane."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.local_aks.azure.faults import Fault
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_http import server
from kubeflow_aks.local_aks.azure_http.compute import PLACEMENT_SCORES, VIRTUAL_MACHINES, Compute
from kubeflow_aks.local_aks.simulation.market import MarketEvent, Supply
from tests.clients.az_placement import RECORDED
from tests.local_aks.simulation.simulated import World, pool

GROUP = "/subscriptions/s/resourceGroups/MC_rg_aks_westeurope"
SETS = f"{GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets"
VERSION = "?api-version=2026-03-01"
TOKEN = "the run's own"  # noqa: S105 - of the test


class _Azure(AzureState):
    """The world's pools, and real faults."""

    def __init__(self, root: Path, world: World) -> None:
        super().__init__(root)
        self.agent_pools = world.azure.agent_pools


@dataclass
class Answer:
    """An answer of the server."""

    status: int
    headers: Message
    body: Any

    @property
    def code(self) -> str:
        """Code of the error."""
        return self.body["error"]["code"]


@dataclass
class Served:
    """A world whose VMs are served."""

    world: World
    azure: AzureState
    port: int

    def ask(
        self, path: str, method: str = "GET", *, token: str | None = TOKEN, body: str | None = None
    ) -> Answer:
        """Make a request."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, {} if token is None else {"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return Answer(answer.status, answer.headers, json.loads(content) if content else None)

    def scale_set(self, pool_name: str) -> str:
        """Path of a pool's scale set."""
        scale_sets = self.ask(SETS + VERSION).body["value"]
        [name] = [s["name"] for s in scale_sets if s["tags"]["aks-managed-poolName"] == pool_name]
        return f"{SETS}/{name}"

    def evict(self, pool_name: str, instance: int = 0) -> Answer:
        """Ask for the eviction of a VM."""
        return self.ask(
            f"{self.scale_set(pool_name)}/virtualMachines/{instance}/simulateEviction{VERSION}", "POST"
        )


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    """A spot pool of two nodes, one of one, and one that is not spot; time passes."""
    world = World(
        [
            pool("cpuspot", scaleSetPriority="Spot", enableAutoScaling=False, count=2),
            pool("gpuspot", scaleSetPriority="Spot", enableAutoScaling=False, count=1, tags={"team": "a"}),
            pool("general", enableAutoScaling=False, count=1),
        ]
    )
    world.run(10)
    azure = _Azure(tmp_path, world)
    http = server.serve(Compute(azure, world.simulation, world.market, world.clock), token=TOKEN)
    stop = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        work = thread.submit(_simulate, world, stop)
        try:
            yield Served(world, azure, http.port)
        finally:
            stop.set()
            http.stop()
    work.result()


def _simulate(world: World, stop: threading.Event) -> None:
    while not stop.wait(0.01):
        world.run(world.tick)


def test_each_pool_has_a_scale_set_that_names_it(served: Served) -> None:
    scale_sets = served.ask(SETS + VERSION).body["value"]
    assert {s["tags"]["aks-managed-poolName"]: s["sku"]["capacity"] for s in scale_sets} == {
        "cpuspot": 2,
        "gpuspot": 1,
        "general": 1,
    }
    priorities = [s["properties"]["virtualMachineProfile"].get("priority", "Regular") for s in scale_sets]
    assert priorities == ["Spot", "Spot", "Regular"]
    assert scale_sets[1]["tags"]["team"] == "a"
    assert served.ask(scale_sets[1]["id"] + VERSION).body == scale_sets[1]


def test_a_vm_is_found_by_its_node_and_a_node_by_its_vm(served: Served) -> None:
    machines = served.ask(f"{served.scale_set('cpuspot')}/virtualMachines{VERSION}").body["value"]
    nodes = served.world.cluster.node_objects
    assert [m["properties"]["osProfile"]["computerName"] for m in machines] == served.world.nodes_of(
        "cpuspot"
    )
    for machine in machines:
        provider_id = nodes[machine["properties"]["osProfile"]["computerName"]]["spec"]["providerID"]
        assert provider_id == "azure://" + machine["id"].replace(
            GROUP, GROUP.lower().replace("groups", "Groups")
        )
        shown = served.ask(provider_id.removeprefix("azure://") + VERSION)
        assert shown.body == machine


def test_an_instance_view_shows_whether_a_vm_runs(served: Served) -> None:
    path = f"{served.scale_set('cpuspot')}/virtualMachines"
    view = served.ask(f"{path}/0/instanceView{VERSION}").body
    assert [status["code"] for status in view["statuses"]] == [
        "ProvisioningState/succeeded",
        "PowerState/running",
    ]
    listed = served.ask(f"{path}{VERSION}&$expand=instanceView").body["value"]
    assert listed[0]["properties"]["instanceView"] == view


def test_an_eviction_takes_that_node_with_notice(served: Served) -> None:
    first, second = served.world.nodes_of("cpuspot")
    answer = served.evict("cpuspot", 1)
    assert (answer.status, answer.body) == (204, None)
    _until(served, "eviction")
    assert [line["node"] for line in served.world.journal("eviction-notice")] == [second]
    assert first in served.world.nodes_of("cpuspot")
    assert second not in served.world.nodes_of("cpuspot")


def test_a_vm_that_is_being_taken_is_not_taken_again(served: Served) -> None:
    served.world.tick = 1e-6  # its notice does not end
    assert served.evict("cpuspot").status == 204
    again = served.evict("cpuspot")
    assert (again.status, again.code) == (409, "OperationNotAllowed")


def test_a_vm_that_does_not_run_is_not_taken(served: Served) -> None:
    served.world.market.add(MarketEvent(0, Supply.SILENT, "cpuspot"))
    served.world.azure.pools[0]["count"] = 3
    _until(served, "node-creating", count=5)
    answer = served.evict("cpuspot", 2)
    assert (answer.status, answer.code) == (409, "OperationNotAllowed")
    shown = served.ask(f"{served.scale_set('cpuspot')}/virtualMachines/2{VERSION}").body
    assert shown["properties"]["provisioningState"] == "Creating"


def test_only_spot_vms_are_taken(served: Served) -> None:
    answer = served.evict("general")
    assert (answer.status, answer.code) == (409, "OperationNotAllowed")
    assert "is not a spot VM" in answer.body["error"]["message"]
    assert served.world.journal("eviction-notice") == []


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"{SETS}/aks-none-00000000-vmss", "ResourceNotFound"),
        (f"{SETS}/aks-none-00000000-vmss/virtualMachines/0", "ResourceNotFound"),
        (SETS.replace("MC_rg", "MC_other"), "ResourceGroupNotFound"),
        (SETS.replace("subscriptions/s", "subscriptions/t"), "ResourceGroupNotFound"),
        (f"{GROUP}/providers/Microsoft.Compute/disks", "NotFound"),
        ("/", "NotFound"),
    ],
)
def test_what_is_not_there_is_reported_in_arms_form(served: Served, path: str, code: str) -> None:
    answer = served.ask(path + VERSION)
    assert (answer.status, answer.code) == (404, code)
    assert answer.body["error"]["message"]


@pytest.mark.parametrize("what", ["", "/simulateEviction", "/instanceView"])
def test_an_instance_that_is_not_there_is_not_found(served: Served, what: str) -> None:
    method = "POST" if what == "/simulateEviction" else "GET"
    answer = served.ask(f"{served.scale_set('cpuspot')}/virtualMachines/99{what}{VERSION}", method)
    assert (answer.status, answer.code) == (404, "NotFound")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_an_eviction_is_a_post(served: Served, method: str) -> None:
    path = f"{served.scale_set('cpuspot')}/virtualMachines/0/simulateEviction{VERSION}"
    assert served.ask(path, method).status == 404


@pytest.mark.parametrize("query", ["", "?api-version=", "?version=1"])
def test_every_request_names_its_version(served: Served, query: str) -> None:
    answer = served.ask(SETS + query)
    assert (answer.status, answer.code) == (400, "MissingApiVersionParameter")


@pytest.mark.parametrize(
    ("token", "code"), [(None, "AuthenticationFailed"), ("x", "InvalidAuthenticationToken")]
)
def test_nobody_else_is_answered(served: Served, token: str | None, code: str) -> None:
    answer = served.ask(SETS + VERSION, token=token)
    assert (answer.status, answer.code) == (401, code)
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_planned_burst_is_answered_with_the_seconds_to_wait(served: Served) -> None:
    served.azure.plan_faults([Fault(method="POST", type=VIRTUAL_MACHINES, status=429, retry_after=7)])
    answer = served.evict("cpuspot")
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (429, "TooManyRequests", "7")
    assert served.evict("cpuspot").status == 204


def test_a_body_that_nobody_reads_does_no_harm(served: Served) -> None:
    path = f"{served.scale_set('cpuspot')}/virtualMachines/0/simulateEviction{VERSION}"
    assert served.ask(path, "POST", body="{}").status == 204
    assert served.ask(SETS + VERSION, body="x" * 100_000).status == 413


def _until(served: Served, kind: str, *, count: int = 1) -> None:
    for _ in range(1000):
        if len(served.world.journal(kind)) >= count:
            return
        threading.Event().wait(0.01)
    pytest.fail(f"no {kind}")


SCORES = (
    "/subscriptions/s/providers/Microsoft.Compute/locations/westeurope/placementScores/spot/generate"
    + VERSION
)


def _scores(served: Served, *sizes: str, location: str = "West Europe") -> Answer:
    body = {
        "availabilityZones": False,
        "desiredCount": 2,
        "desiredLocations": [location],
        "desiredSizes": [{"sku": size} for size in sizes],
    }
    return served.ask(SCORES, "POST", body=json.dumps(body))


def test_placement_scores_follow_the_simulated_supply(served: Served) -> None:
    [size] = {p["vmSize"] for p in served.azure.agent_pools() if p["name"] == "cpuspot"}
    scores = _scores(served, size, "Standard_D2_v2")
    assert scores.body.keys() == RECORDED.keys()
    assert scores.body["placementScores"] == [
        {"sku": size, "region": "westeurope", "score": "High", "isQuotaAvailable": True},
        {
            "sku": "Standard_D2_v2",
            "region": "westeurope",
            "score": "DataNotFoundOrStale",
            "isQuotaAvailable": True,
        },
    ]
    assert scores.body["placementScores"][0].keys() == RECORDED["placementScores"][0].keys()
    sold_out = MarketEvent(served.world.clock.now(), Supply.SOLD_OUT, "cpuspot")
    served.world.market.add(sold_out)
    sold_out.outcome.result(20)
    assert _scores(served, size).body["placementScores"][0]["score"] == "Low"
    assert (
        _scores(served, size, location="eastus").body["placementScores"][0]["score"] == "DataNotFoundOrStale"
    )


def test_placement_scores_are_for_five_sizes_at_most(served: Served) -> None:
    for answer in (
        _scores(served, *(f"Standard_D{n}s_v5" for n in range(6))),
        _scores(served),
        served.ask(SCORES, "POST", body="{}"),
        served.ask(SCORES, "POST", body="nothing"),
    ):
        assert (answer.status, answer.code) == (400, "BadRequest")


def test_placement_scores_need_a_role(served: Served) -> None:
    served.azure.plan_faults([Fault(method="POST", type=PLACEMENT_SCORES, status=403)])
    refused = _scores(served, "Standard_D2_v2")
    assert (refused.status, refused.code) == (403, "AuthorizationFailed")
