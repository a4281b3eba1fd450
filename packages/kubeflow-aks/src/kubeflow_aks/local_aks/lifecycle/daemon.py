"""The background process of a local AKS: both stand-ins and the simulation, until SIGTERM."""

import argparse
import signal
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Final

from kubeflow_aks.clients.kubernetes import cleanup
from kubeflow_aks.local_aks import kubernetes_provider
from kubeflow_aks.local_aks.azure import server as azure
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_http import server as azure_http
from kubeflow_aks.local_aks.azure_http.compute import Compute
from kubeflow_aks.local_aks.control_plane import kwokctl, power
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.lifecycle.service_files import Endpoints
from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.files import DamagedFileError
from kubeflow_aks.local_aks.simulation.clock import WallClock
from kubeflow_aks.local_aks.simulation.journal import Journal
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from kubeflow_aks.local_aks.simulation.loop import Simulation
from kubeflow_aks.local_aks.simulation.market import Market

_AZURE_HASTE: Final = 4
"""How much faster than the simulated clock Azure creates and changes resources: waiting for that shows nothing."""
_DRAIN_SECONDS: Final = 60.0
"""How long the nodes of a cluster that stops may take to drain, on the wall clock."""
_POLL_SECONDS: Final = 0.2


def serve(run: RunDirectory, *, speed: float, seed: int) -> None:
    """Runs until SIGTERM, `speed` simulated seconds per wall second; the seed settles every chance."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: stop.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command in front; that stops this one
    clock, market, state = WallClock(speed), Market(seed=seed), AzureState(run.azure)
    cluster = LiveCluster(str(run.kubeconfig))
    azure_native = azure.serve(
        state,
        token=run.azure_token(),
        kubeconfig=partial(kwokctl.administrator, run),
        speed=speed * _AZURE_HASTE,
        empty_cluster=partial(cleanup.erase, str(run.kubeconfig)),
        switch=partial(_switch, run, cluster),
    )
    in_cluster = kubernetes_provider.serve(servers=kubernetes_provider.servers_of(run.kubeconfig))
    with service_files.journal_file(run).open("a", encoding="utf-8") as sink:
        journal = Journal(sink, clock)
        simulation = Simulation(state, cluster, clock, market, journal, seed=seed)
        compute = Compute(state, simulation, market, clock)
        resource_manager = azure_http.serve(compute, token=run.bearer_token())
        service_files.write_endpoints(
            run, Endpoints(azure_native.port, in_cluster.port, resource_manager.port)
        )
        try:
            simulation.run(stop)
        finally:
            service_files.endpoints_file(run).unlink(missing_ok=True)
            resource_manager.stop()
            azure_native.stop()
            in_cluster.stop()
            cluster.close()


def _switch(run: RunDirectory, cluster: LiveCluster, *, on: bool) -> None:
    """A stopped cluster's nodes go, which the simulation sees to, then its API server; back come both."""
    if on:
        power.switch_on(run)
        return
    processes.comes_true(lambda: not cluster.nodes(), _DRAIN_SECONDS, _POLL_SECONDS)
    power.switch_off(run)


def main() -> None:
    """`python -m kubeflow_aks.local_aks.lifecycle.daemon`: what `kubeflow_aks.local_aks.lifecycle.instance` starts."""
    arguments = argparse.ArgumentParser(prog="python -m kubeflow_aks.local_aks.lifecycle.daemon")
    arguments.add_argument("--run-dir", type=Path, required=True)
    arguments.add_argument("--speed", type=float, required=True, help="simulated seconds per second")
    arguments.add_argument("--seed", type=int, default=0)
    options = arguments.parse_args()
    try:
        serve(RunDirectory.at(options.run_dir), speed=options.speed, seed=options.seed)
    except DamagedFileError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
