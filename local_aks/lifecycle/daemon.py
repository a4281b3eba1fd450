"""The background process of a local AKS: both stand-ins and the simulation, until it is told to stop."""

import argparse
import json
import signal
import threading
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

from kube import cleanup
from local_aks import kubernetes_provider
from local_aks.azure import server as azure
from local_aks.azure.state import AzureState
from local_aks.azure_http import server as azure_http
from local_aks.azure_http.compute import Compute
from local_aks.control_plane import power
from local_aks.run.directory import RunDirectory
from local_aks.simulation import market_requests
from local_aks.simulation.clock import WallClock
from local_aks.simulation.cluster import Cluster
from local_aks.simulation.journal import Journal
from local_aks.simulation.live_cluster import LiveCluster
from local_aks.simulation.loop import Simulation
from local_aks.simulation.market import Market, Reclaim, Supply
from local_aks.simulation.market_requests import MarketRequests
from local_aks.simulation.vms.agent_pools import spot_pools

PID_FILE: Final = "service"
_AZURE_HASTE: Final = 4
"""How much faster than the simulated clock Azure creates and changes resources: waiting for that shows nothing."""
_DRAIN_SECONDS: Final = 60.0
"""How long the nodes of a cluster that stops may take to drain, on the wall clock."""
_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True)
class Endpoints:
    """Ports of the stand-ins on 127.0.0.1."""

    azure_native: int
    kubernetes: int
    resource_manager: int = 0

    def providers(self) -> dict[str, int]:
        """Package name to port, as the engine attaches them."""
        return {"azure-native": self.azure_native, "kubernetes": self.kubernetes}


def endpoints_file(run: RunDirectory) -> Path:
    """Where the service says that it is ready, and where."""
    return run.root / "endpoints.json"


def journal_file(run: RunDirectory) -> Path:
    """What happened, one JSON object a line (`local_aks.simulation.journal`)."""
    return run.root / "journal.jsonl"


def market_folder(run: RunDirectory) -> Path:
    """Requests to the simulated spot market, and their answers (`local_aks.simulation.market_requests`)."""
    return run.root / "market"


def read_endpoints(run: RunDirectory) -> Endpoints:
    """The ports of the running service.

    Raises:
        FileNotFoundError: it is not ready.
    """
    return Endpoints(**json.loads(endpoints_file(run).read_text()))


def ask_market(run: RunDirectory, what: Supply | Reclaim, pool: str, count: int = 1, node: str = "") -> str:
    """Makes something happen on the simulated spot market now.

    Returns:
        A sentence about what came of it.

    Raises:
        MarketError: it did not happen; the text says why.
    """
    return market_requests.ask(market_folder(run), what, pool, count, node=node)


def serve(run: RunDirectory, *, speed: float, seed: int) -> None:
    """Runs until SIGTERM.

    Args:
        run: where state, journal and kubeconfig are.
        speed: simulated seconds per wall second.
        seed: settles every chance of the simulation.
    """
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: stop.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command in front; that stops this one
    clock, market, state = WallClock(speed), Market(seed=seed), AzureState(run.azure)
    cluster = LiveCluster(str(run.kubeconfig))
    azure_native = azure.serve(
        state,
        token=run.azure_token(),
        kubeconfig=run.kubeconfig.read_text,
        speed=speed * _AZURE_HASTE,
        empty_cluster=partial(cleanup.erase, str(run.kubeconfig)),
        switch=partial(_switch, run, cluster),
    )
    in_cluster = kubernetes_provider.serve(servers=kubernetes_provider.servers_of(run.kubeconfig))
    with journal_file(run).open("a", encoding="utf-8") as sink:
        journal = Journal(sink, clock)
        simulation = Simulation(state, cluster, clock, market, journal, seed=seed)
        requests = MarketRequests(market_folder(run), market, clock, partial(spot_pools, state))
        reader = threading.Thread(target=requests.serve, args=(stop,), name="market-requests")
        reader.start()
        compute = Compute(state, simulation, market, clock)
        resource_manager = azure_http.serve(compute, token=run.bearer_token())
        _announce(run, Endpoints(azure_native.port, in_cluster.port, resource_manager.port))
        try:
            simulation.run(stop)
        finally:
            stop.set()
            endpoints_file(run).unlink(missing_ok=True)
            reader.join()
            resource_manager.stop()
            azure_native.stop()
            in_cluster.stop()
            cluster.close()


def _switch(run: RunDirectory, cluster: Cluster, *, on: bool) -> None:
    """A stopped cluster's nodes go, which the simulation sees to, then its API server; back come both."""
    if on:
        power.switch_on(run)
        return
    deadline = time.monotonic() + _DRAIN_SECONDS
    while cluster.nodes() and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    power.switch_off(run)


def _announce(run: RunDirectory, endpoints: Endpoints) -> None:
    draft = endpoints_file(run).with_suffix(".part")
    draft.write_text(json.dumps(asdict(endpoints)))
    draft.replace(endpoints_file(run))


def main() -> None:
    """`python -m local_aks.lifecycle.daemon`: what `local_aks.lifecycle.instance` starts."""
    arguments = argparse.ArgumentParser(prog="python -m local_aks.lifecycle.daemon")
    arguments.add_argument("--run-dir", type=Path, required=True)
    arguments.add_argument("--speed", type=float, required=True, help="simulated seconds per second")
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    serve(RunDirectory.at(given.run_dir), speed=given.speed, seed=given.seed)


if __name__ == "__main__":
    main()
