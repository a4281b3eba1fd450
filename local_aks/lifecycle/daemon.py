"""The background process of a local AKS: both stand-ins and the simulation, until it is told to stop."""

import argparse
import json
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TextIO

from local_aks import kubernetes_provider
from local_aks.azure import server as azure
from local_aks.azure.state import AzureState
from local_aks.kube import cleanup
from local_aks.run.directory import RunDirectory
from local_aks.simulation.clock import Clock, WallClock
from local_aks.simulation.journal import Journal
from local_aks.simulation.live_cluster import LiveCluster
from local_aks.simulation.loop import Simulation
from local_aks.simulation.market import Market, MarketEvent, Supply, Taking

PID_FILE: Final = "service"
_INBOX_SECONDS: Final = 0.1


@dataclass(frozen=True)
class Endpoints:
    """Ports of the stand-ins on 127.0.0.1."""

    azure_native: int
    kubernetes: int

    def providers(self) -> dict[str, int]:
        """Package name to port, as the engine attaches them."""
        return {"azure-native": self.azure_native, "kubernetes": self.kubernetes}


def endpoints_file(run: RunDirectory) -> Path:
    """Where the service says that it is ready, and where."""
    return run.root / "endpoints.json"


def journal_file(run: RunDirectory) -> Path:
    """What happened, one JSON object a line (`local_aks.simulation.journal`)."""
    return run.root / "journal.jsonl"


def market_inbox(run: RunDirectory) -> Path:
    """Market events from outside, one JSON object a line; the service plays each as it appears."""
    return run.root / "market.jsonl"


def read_endpoints(run: RunDirectory) -> Endpoints:
    """The ports of the running service.

    Raises:
        FileNotFoundError: it is not ready.
    """
    return Endpoints(**json.loads(endpoints_file(run).read_text()))


def ask_market(run: RunDirectory, what: Supply | Taking, pool: str, count: int = 1) -> None:
    """Makes something happen on the simulated spot market now."""
    with market_inbox(run).open("a", encoding="utf-8") as inbox:
        inbox.write(json.dumps({"what": what, "pool": pool, "count": count}) + "\n")


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
        speed=speed,
        empty_cluster=partial(cleanup.erase, str(run.kubeconfig)),
    )
    in_cluster = kubernetes_provider.serve(servers=kubernetes_provider.servers_of(run.kubeconfig))
    market_inbox(run).touch()
    with journal_file(run).open("a", encoding="utf-8") as sink:
        journal = Journal(sink, clock)
        simulation = Simulation(state, cluster, clock, market, journal, seed=seed)
        inbox = market_inbox(run).open(encoding="utf-8")
        inbox.seek(0, os.SEEK_END)  # what was asked of an earlier service is past
        reader = threading.Thread(target=_read_inbox, args=(inbox, market, clock, stop), name="market-inbox")
        reader.start()
        _announce(run, Endpoints(azure_native.port, in_cluster.port))
        try:
            simulation.run(stop)
        finally:
            stop.set()
            endpoints_file(run).unlink(missing_ok=True)
            reader.join()
            azure_native.stop()
            in_cluster.stop()
            cluster.close()


def _announce(run: RunDirectory, endpoints: Endpoints) -> None:
    draft = endpoints_file(run).with_suffix(".part")
    draft.write_text(json.dumps(asdict(endpoints)))
    draft.replace(endpoints_file(run))


def _read_inbox(inbox: TextIO, market: Market, clock: Clock, stop: threading.Event) -> None:
    with inbox:
        while not stop.wait(_INBOX_SECONDS):
            for request in _lines(inbox.read()):
                what = Taking(request["what"]) if request["what"] in list(Taking) else Supply(request["what"])
                market.add(MarketEvent(clock.now(), what, request["pool"], request["count"]))


def _lines(text: str) -> Iterator[dict[str, Any]]:
    return map(json.loads, text.splitlines())


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
