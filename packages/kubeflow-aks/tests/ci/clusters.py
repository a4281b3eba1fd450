"""A cluster that changes after some reads of its state, and a backend with its stack."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from typing_extensions import override

from kubeflow_aks.ci.aks import Aks, Cluster, Event
from kubeflow_aks.clients.az import AzError
from kubeflow_aks.clients.pulumi import Pulumi

HOURS = {
    "days": ["monday", "tuesday", "wednesday", "thursday", "friday"],
    "from": "07:00",
    "to": "19:00",
    "timeZone": "Europe/London",
}
_TYPES = ("pulumi:pulumi:Stack", "azure-native:containerservice:ManagedCluster")


@dataclass(frozen=True)
class OneCluster(Aks):
    """One cluster.

    Attributes:
        states: what each read of it returns; the last one stays.
        calls: `stop` and `start` in their order; the states after one are in `then`.
        then: the states after a call.
        events: of the activity log.
    """

    states: list[Cluster] = field(default_factory=list[Cluster])
    then: list[Cluster] = field(default_factory=list[Cluster])
    calls: list[str] = field(default_factory=list[str])
    events: list[Event] = field(default_factory=list[Event])
    log_is_closed: bool = False

    @override
    def cluster(self, group: str, name: str) -> Cluster:
        assert (group, name) == ("group", "aks")
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    @override
    def stop(self, group: str, name: str) -> None:
        self._call("stop")

    @override
    def start(self, group: str, name: str) -> None:
        self._call("start")

    def _call(self, name: str) -> None:
        self.calls.append(name)
        self.states[:] = self.then

    @override
    def last_change(self, cluster: Cluster, since: datetime, *kinds: str) -> Event | None:
        if self.log_is_closed:
            raise AzError("(AuthorizationFailed) no")
        events = [e for e in self.events if e.at >= since and (not kinds or e.operation in kinds)]
        return max(events, key=lambda event: event.at, default=None)


def in_states(*states: str) -> list[Cluster]:
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
