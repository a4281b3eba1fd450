"""The `az` command, as far as stopping and starting clusters needs it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from pull_request.telling.reading import is_mapping

_PREFIX: Final = "microsoft.containerservice/managedclusters/"
_CHANGES: Final = ("start/action", "stop/action", "write")
"""What somebody may ask of a cluster that tells that they need it, or do not."""
_MOST_EVENTS: Final = 1000
_GONE: Final = ("(ResourceNotFound)", "(ResourceGroupNotFound)")


class AzureError(Exception):
    """The command failed; the text is one line for the user."""


class GoneError(AzureError):
    """There is no such cluster any more."""


@dataclass(frozen=True)
class Cluster:
    """A cluster and how it is.

    Attributes:
        id: in Azure Resource Manager.
        runs: whether its power state is Running; while it starts or stops that is what it will be.
        doing: its provisioning state, `Succeeded` or `Failed` where nothing is under way.
    """

    id: str
    runs: bool
    doing: str

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return self.doing in {"Succeeded", "Failed", "Canceled"}


@dataclass(frozen=True)
class Event:
    """Something that was asked of a cluster, and when."""

    what: str
    at: datetime


@dataclass(frozen=True)
class Azure:
    """The command, signed in as whoever calls.

    Every method raises `AzureError` where the command is missing, nobody is signed in, or Azure refuses.
    """

    command: str = "az"

    def cluster(self, group: str, name: str) -> Cluster:
        """A cluster by its names."""
        found = self._json("aks", "show", "--resource-group", group, "--name", name)
        power: Any = found.get("powerState") if is_mapping(found) else None
        if not is_mapping(found) or not is_mapping(power):
            raise AzureError("`az aks show` gave another form than expected")
        return Cluster(str(found["id"]), power.get("code") == "Running", str(found["provisioningState"]))

    def stop(self, group: str, name: str) -> None:
        """Begins to stop a cluster."""
        self._run("aks", "stop", "--resource-group", group, "--name", name, "--no-wait")

    def start(self, group: str, name: str) -> None:
        """Begins to start a cluster."""
        self._run("aks", "start", "--resource-group", group, "--name", name, "--no-wait")

    def last_change(self, cluster: Cluster, since: datetime, *kinds: str) -> Event | None:
        """The newest start, stop or update that was asked of a cluster since a time and did not fail.

        Azure's activity log has it some minutes later, and keeps it for 90 days.

        Args:
            cluster: what `cluster` returned.
            since: the earliest time that matters.
            kinds: of `start/action`, `stop/action`, `write`; all three unless told.
        """
        listed = self._json(
            "monitor",
            "activity-log",
            "list",
            "--resource-id",
            cluster.id,
            "--start-time",
            since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "--max-events",
            str(_MOST_EVENTS),
        )
        try:
            failed = {entry["correlationId"] for entry in listed if entry["status"]["value"] == "Failed"}
            events = [_event(entry) for entry in listed if entry["correlationId"] not in failed]
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise AzureError("`az monitor activity-log list` gave another form than expected") from error
        asked = [event for event in events if event.what in (kinds or _CHANGES) and event.at >= since]
        return max(asked, key=lambda event: event.at, default=None)

    def _json(self, *words: str) -> Any:
        try:
            return json.loads(self._run(*words))
        except ValueError as error:
            raise AzureError(f"`az {' '.join(words[:3])}` wrote no JSON") from error

    def _run(self, *words: str) -> str:
        try:
            done = subprocess.run(  # noqa: S603 - the Azure CLI, and names of the stack's outputs
                [self.command, *words, "--output", "json"],
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except OSError as error:
            raise AzureError(f"{self.command} can't be run; install the Azure CLI") from error
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
            told = (said or [f"az {' '.join(words[:2])} failed"])[0].removeprefix("ERROR:").strip()
            raise (GoneError if told.startswith(_GONE) else AzureError)(told)
        return done.stdout


def _event(entry: Mapping[str, Any]) -> Event:
    name = str(entry["operationName"]["value"]).lower().removeprefix(_PREFIX)
    at = datetime.fromisoformat(str(entry["eventTimestamp"]))
    return Event(name, at if at.tzinfo else at.replace(tzinfo=UTC))
