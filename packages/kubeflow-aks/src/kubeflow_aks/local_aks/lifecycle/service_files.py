"""Files in a run directory by which other processes reach the background service, whose code is not imported here."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.run import files
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.files import DamagedFileError

MODULE: Final = "kubeflow_aks.local_aks.lifecycle.daemon"
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
        DamagedFileError: the file holds something else.
    """
    return files.read(endpoints_file(run), lambda text: Endpoints(**json.loads(text)))


def write_endpoints(run: RunDirectory, endpoints: Endpoints) -> None:
    """Report that the service is ready."""
    files.write(endpoints_file(run), json.dumps(asdict(endpoints)))


def journal_file(run: RunDirectory) -> Path:
    """The simulation's events, one JSON object a line (`kubeflow_aks.local_aks.simulation.journal`)."""
    return run.root / "journal.jsonl"


def check_journal(run: RunDirectory) -> None:
    """Reads the journal of a service that is ready.

    Raises:
        DamagedFileError: a line is not one of a simulation, or there is no journal.
    """
    try:
        files.read(journal_file(run), lambda text: [dict(json.loads(line)) for line in text.split("\n")[:-1]])
    except FileNotFoundError:
        if endpoints_file(run).exists():
            raise DamagedFileError(journal_file(run), "is missing") from None
