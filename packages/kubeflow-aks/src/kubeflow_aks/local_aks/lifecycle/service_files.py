"""Files in a run directory by which other processes reach the background service, whose code is not imported here."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.run.directory import RunDirectory

PID_FILE: Final = "service"
"""Name of the service's pid file and of its log."""


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
    """The ports of the service; the file exists while the service is ready."""
    return run.root / "endpoints.json"


def read_endpoints(run: RunDirectory) -> Endpoints:
    """The ports of the running service.

    Raises:
        FileNotFoundError: it is not ready.
    """
    return Endpoints(**json.loads(endpoints_file(run).read_text()))


def write_endpoints(run: RunDirectory, endpoints: Endpoints) -> None:
    """Report that the service is ready."""
    draft = endpoints_file(run).with_suffix(".part")
    draft.write_text(json.dumps(asdict(endpoints)))
    draft.replace(endpoints_file(run))


def journal_file(run: RunDirectory) -> Path:
    """The simulation's events, one JSON object a line (`kubeflow_aks.local_aks.simulation.journal`)."""
    return run.root / "journal.jsonl"


def market_folder(run: RunDirectory) -> Path:
    """Requests to the simulated spot market and their answers (`kubeflow_aks.local_aks.simulation.market_requests`)."""
    return run.root / "market"
