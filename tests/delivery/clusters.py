"""A cluster that does what it is told after some looks, and a backend that knows its stack."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from typing_extensions import override

from delivery.azure_cli import Azure, AzureError, Cluster, Event
from delivery.pulumi_cli import Pulumi

HOURS = {
    "days": ["monday", "tuesday", "wednesday", "thursday", "friday"],
    "from": "07:00",
    "to": "19:00",
    "timeZone": "Europe/London",
}
_TYPES = ("pulumi:pulumi:Stack", "azure-native:containerservice:ManagedCluster")


@dataclass(frozen=True)
class OneCluster(Azure):
    """One cluster.

    Attributes:
        states: what is seen of it, one look after another; the last one stays.
        asked: `stop` and `start` in their order; what comes after one is in `then`.
        then: the states after something was asked.
        events: of the activity log.
    """

    states: list[Cluster] = field(default_factory=list[Cluster])
    then: list[Cluster] = field(default_factory=list[Cluster])
    asked: list[str] = field(default_factory=list[str])
    events: list[Event] = field(default_factory=list[Event])
    log_is_closed: bool = False

    @override
    def cluster(self, group: str, name: str) -> Cluster:
        assert (group, name) == ("group", "aks")
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    @override
    def stop(self, group: str, name: str) -> None:
        self._ask("stop")

    @override
    def start(self, group: str, name: str) -> None:
        self._ask("start")

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        self.states[:] = self.then

    @override
    def last_change(self, cluster: Cluster, since: datetime, *kinds: str) -> Event | None:
        if self.log_is_closed:
            raise AzureError("(AuthorizationFailed) no")
        found = [e for e in self.events if e.at >= since and (not kinds or e.what in kinds)]
        return max(found, key=lambda event: event.at, default=None)


def seen(*states: str) -> list[Cluster]:
    """Clusters by their power state, or by what is under way: `Running`, `Stopped`, `Stopping` and so on."""
    return [
        Cluster(
            "id",
            state not in {"Stopped", "Starting"},
            "Succeeded" if state in {"Running", "Stopped"} else state,
        )
        for state in states
    ]


def state(*, hours: Any = None, production: bool = False, cluster: bool = True) -> dict[str, Any]:
    """A stack's deployment."""
    basis = {"production": production, "officeHours": hours}
    outputs = {"clusterName": "aks", "resourceGroup": "group", "costBasis": basis}
    stack, managed = ({"urn": f"urn:pulumi:dev::p::{kind}::p", "type": kind} for kind in _TYPES)
    made = [{**stack, "outputs": outputs}, *([managed] if cluster else [])]
    return {"resources": made}


def backend(folder: Path, deployment: Any) -> Pulumi:
    """A `pulumi` whose every stack has a deployment."""
    (folder / "state.json").write_text(json.dumps({"version": 3, "deployment": deployment}))
    command = folder / "pulumi"
    command.write_text("#!/bin/sh\ncat state.json\n")
    command.chmod(0o700)
    return Pulumi(folder, str(command))
