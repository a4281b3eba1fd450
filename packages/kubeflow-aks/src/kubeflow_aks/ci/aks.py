"""AKS clusters through `az`: their state, stop and start, and what the activity log has of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.json_values import is_mapping

_PREFIX: Final = "microsoft.containerservice/managedclusters/"
_CHANGES: Final = ("start/action", "stop/action", "write")
"""Operations by which somebody shows that a cluster is needed, or is not."""
_MOST_EVENTS: Final = 1000
_GONE: Final = ("ResourceNotFound", "ResourceGroupNotFound")


class GoneError(AzError):
    """The cluster no longer exists."""


@dataclass(frozen=True)
class Cluster:
    """State of a cluster.

    Attributes:
        running: whether its power state is Running; while it starts or stops, the state that it will have.
        provisioning_state: `Succeeded` or `Failed` if no operation is under way.
    """

    id: str
    running: bool
    provisioning_state: str

    @property
    def idle(self) -> bool:
        """Whether no operation is under way."""
        return self.provisioning_state in {"Succeeded", "Failed", "Canceled"}


@dataclass(frozen=True)
class Event:
    """An operation on a cluster, from the activity log."""

    operation: str
    at: datetime


@dataclass(frozen=True)
class Aks:
    """AKS with the caller's sign-in.

    Every method raises `AzError` if `az` is missing, not signed in, or refused.
    """

    az: Az = field(default_factory=Az)

    def cluster(self, group: str, name: str) -> Cluster:
        """A cluster by its names.

        Raises:
            GoneError: it does not exist.
        """
        try:
            document = self.az.json("aks", "show", "--resource-group", group, "--name", name)
        except AzError as error:
            raise (GoneError(str(error), error.code) if error.code in _GONE else error) from None
        power: Any = document.get("powerState") if is_mapping(document) else None
        if not (is_mapping(document) and is_mapping(power) and {"id", "provisioningState"} <= set(document)):
            raise self.az.unexpected("aks", "show")
        return Cluster(
            str(document["id"]), power.get("code") == "Running", str(document["provisioningState"])
        )

    def stop(self, group: str, name: str) -> None:
        """Start stopping a cluster."""
        self.az.run("aks", "stop", "--resource-group", group, "--name", name, "--no-wait")

    def start(self, group: str, name: str) -> None:
        """Start starting a cluster."""
        self.az.run("aks", "start", "--resource-group", group, "--name", name, "--no-wait")

    def last_change(self, cluster: Cluster, since: datetime, *kinds: str) -> Event | None:
        """The newest start, stop or update (`start/action`, `stop/action`, `write`) since a time that did not fail.

        Azure's activity log shows it some minutes later, and keeps it for 90 days. Without an end `az` reads 6 hours
        from the start on (azure-cli 2.91.0, `monitor/custom.py`).
        """
        listed = self.az.json(
            "monitor",
            "activity-log",
            "list",
            "--resource-id",
            cluster.id,
            "--start-time",
            _time(since),
            "--end-time",
            _time(datetime.now(UTC)),
            "--max-events",
            str(_MOST_EVENTS),
        )
        try:
            failed = {entry["correlationId"] for entry in listed if entry["status"]["value"] == "Failed"}
            events = [_event(entry) for entry in listed if entry["correlationId"] not in failed]
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise self.az.unexpected("monitor", "activity-log") from error
        matching = [event for event in events if event.operation in (kinds or _CHANGES) and event.at >= since]
        return max(matching, key=lambda event: event.at, default=None)


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _event(entry: Mapping[str, Any]) -> Event:
    name = str(entry["operationName"]["value"]).lower().removeprefix(_PREFIX)
    at = datetime.fromisoformat(str(entry["eventTimestamp"]))
    return Event(name, at if at.tzinfo else at.replace(tzinfo=UTC))
