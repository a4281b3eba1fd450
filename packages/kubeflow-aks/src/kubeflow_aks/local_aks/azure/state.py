"""What Azure holds: resources and planned faults as JSON files, shared by every process that opens the folder."""

import fcntl
import json
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.faults import Fault
from kubeflow_aks.local_aks.run import files
from kubeflow_aks.local_aks.run.files import DamagedFileError, T

RESOURCES: Final = "resources.json"
_INSTANCES: Final = "instances.json"
_ACTIVITY: Final = "activity.json"
_FAULTS: Final = "faults.json"
AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
DIAGNOSTIC_SETTING: Final = "azure-native:monitor:DiagnosticSetting"
MANAGED_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"

_DELETING: Final = "Deleting"
RUNNING: Final = "Running"
STOPPED: Final = "Stopped"
"""Power states of a cluster and of its pools."""


@dataclass(frozen=True, kw_only=True)
class StoredResource:
    """One resource of Azure.

    `outputs` is the body of a GET in the wire names of azure-native, without what ARM computes from other
    resources (a cluster's pools, a network's subnets). `inputs` is the body of the last PUT without secrets.
    """

    id: str
    type: str
    """Pulumi type token."""
    inputs: Json
    outputs: Json
    operation: str = ""
    """What ARM is doing to it until `busy_until`: `Creating`, `Updating`, `Deleting`."""
    busy_until: float = 0.0
    """Wall-clock time (seconds since the epoch) at which that operation ends."""


class AzureState:
    """Azure on disk.

    Args:
        root: folder of this Azure, created when missing, readable by its owner only. Writes are atomic;
            `transaction` holds a file lock, so threads and processes never see half a change.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._thread = threading.local()
        self._read_before: set[str] = set()

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Hold the lock; may be nested. The outermost one writes at its end, and nothing when something raises."""
        if self._held() is not None:
            yield
            return
        with (self.root / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = self._load()
            self._thread.resources = dict(before)
            try:
                yield
                if self._thread.resources != before:
                    self._write(RESOURCES, [vars(r) for r in self._thread.resources.values()])
            finally:
                self._thread.resources = None

    def get(self, arm_id: str) -> StoredResource | None:
        """The resource of that id (case does not matter), or None."""
        return self._resources().get(arm.key(arm_id))

    def put(self, resource: StoredResource) -> None:
        """Add a resource, or replace the one of the same id."""
        with self.transaction():
            self._resources()[arm.key(resource.id)] = resource

    def delete(self, arm_id: str) -> None:
        """Forget a resource and everything that goes with it; nothing happens when it does not exist."""
        with self.transaction():
            resources = self._resources()
            for other in [k for k, resource in resources.items() if goes_with(resource, arm_id)]:
                del resources[other]

    def all(self, type_token: str | None = None) -> list[StoredResource]:
        """Every resource, or every one of a type, in the order of their creation."""
        return [r for r in self._resources().values() if type_token in (None, r.type)]

    def children(self, arm_id: str, type_token: str) -> list[StoredResource]:
        """The resources of a type below a resource, in the order of their creation."""
        return [r for r in self.all(type_token) if arm.within(r.id, arm_id)]

    def agent_pools(self) -> list[Json]:
        """Every agent pool of every cluster, inline or not, as one flat dict each.

        Keys are the wire names of an agent pool profile, and `clusterName`, `clusterId`, `location`,
        `nodeResourceGroup` of its cluster. Pools being deleted, and those of a stopped cluster, are left out.
        """
        resources = self._resources()
        pools: list[Json] = []
        for pool in resources.values():
            cluster = resources.get(arm.key(arm.parent_id_of(pool.id) or ""))
            if pool.type != AGENT_POOL or pool.operation == _DELETING or cluster is None:
                continue
            if power_of(cluster) == STOPPED:
                continue
            pools.append(
                {
                    **profile(pool),
                    "clusterName": cluster.outputs["name"],
                    "clusterId": cluster.id,
                    "location": cluster.outputs["location"],
                    "nodeResourceGroup": cluster.outputs["nodeResourceGroup"],
                }
            )
        return pools

    def set_count(self, cluster_id: str, pool_name: str, count: int) -> None:
        """Set the live node count of a pool, as the cluster autoscaler does.

        Raises:
            LookupError: the cluster has no such pool.
        """
        with self.transaction():
            pool = self.get(f"{cluster_id}/agentPools/{pool_name}")
            if pool is None:
                raise LookupError(f"cluster {cluster_id} has no agent pool {pool_name!r}")
            self.put(replace(pool, outputs={**pool.outputs, "count": count}))

    def claim_instances(self, scale_set: str, count: int) -> range:
        """Take the next `count` instance IDs of a scale set, each of which only one VM ever gets.

        Azure's mostly increase and may be used again (virtual-machine-scale-sets-instance-ids.md). Here none is: the
        pod garbage collector remembers the name of a vanished VM for up to two minutes, and would delete the pods of a
        second VM of that name without delay.
        """
        with self.transaction():
            taken: dict[str, int] = dict(self._read(_INSTANCES, _pairs))
            first = taken.get(scale_set, 0)
            taken[scale_set] = first + count
            self._write(_INSTANCES, list(taken.items()))
        return range(first, first + count)

    def autoscaler_profile(self, cluster_id: str) -> Json:
        """The cluster's autoscaler profile with AKS's defaults, values as AKS has them (`"15m"`); empty when unset.

        Raises:
            LookupError: there is no such cluster.
        """
        cluster = self.get(cluster_id)
        if cluster is None:
            raise LookupError(f"no cluster {cluster_id}")
        return arm.section(cluster.outputs, "autoScalerProfile")

    def note(self, arm_id: str, action: str, at: float) -> None:
        """Add an operation on a resource to the activity log, with its time in seconds since the epoch."""
        with self.transaction():
            noted = self._read(_ACTIVITY, _objects)
            self._write(_ACTIVITY, [*noted, {"id": arm_id, "action": action, "at": at}])

    def activity(self, arm_id: str) -> list[Json]:
        """The logged operations on a resource: `action` and `at`, the oldest first."""
        return [e for e in self._read(_ACTIVITY, _objects) if arm.key(e["id"]) == arm.key(arm_id)]

    def plan_faults(self, faults: Sequence[Fault]) -> None:
        """Replace the planned faults; counting starts anew."""
        with self.transaction():
            self._write(_FAULTS, [vars(fault) for fault in faults])

    def take_fault(self, method: str, type_token: str) -> Fault | None:
        """Count one request against every planned fault, and return the fault that is due on it."""
        if not self._read(_FAULTS, _faults):  # as nearly always; a transaction loads every resource
            return None
        with self.transaction():
            planned = self._read(_FAULTS, _faults)
            counted = [fault.count(method, type_token) for fault in planned]
            self._write(_FAULTS, [vars(fault) for fault in counted])
            return next(
                (now for was, now in zip(planned, counted, strict=True) if now.due and now != was), None
            )

    def _resources(self) -> dict[str, StoredResource]:
        held = self._held()
        return self._load() if held is None else held

    def _held(self) -> dict[str, StoredResource] | None:
        """Resources of the transaction this thread is in, None outside of one."""
        return getattr(self._thread, "resources", None)

    def _load(self) -> dict[str, StoredResource]:
        return {arm.key(resource.id): resource for resource in self._read(RESOURCES, _stored_resources)}

    def _read(self, name: str, parse: Callable[[str], list[T]]) -> list[T]:
        file = self.root / name
        try:
            entries = files.read(file, parse)
        except FileNotFoundError:
            if name == RESOURCES and name in self._read_before:  # the others are made anew
                raise DamagedFileError(file, "is missing") from None
            return []
        self._read_before.add(name)
        return entries

    def _write(self, name: str, entries: Sequence[object]) -> None:
        """Write a list, one entry a line, so that a person can read and edit it."""
        files.write(self.root / name, "[\n" + ",\n".join(map(json.dumps, entries)) + "\n]\n")


def _objects(text: str) -> list[Json]:
    return [dict(entry) for entry in json.loads(text)]


def _stored_resources(text: str) -> list[StoredResource]:
    return [StoredResource(**entry) for entry in _objects(text)]


def _faults(text: str) -> list[Fault]:
    return [Fault(**entry) for entry in _objects(text)]


def _pairs(text: str) -> list[tuple[str, int]]:
    return [(str(name), int(number)) for name, number in json.loads(text)]


_PARSERS: Final[Mapping[str, Callable[[str], Sequence[object]]]] = {
    RESOURCES: _stored_resources,
    _INSTANCES: _pairs,
    _ACTIVITY: _objects,
    _FAULTS: _faults,
}


def check(root: Path) -> None:
    """Reads every file of an Azure on disk.

    Raises:
        DamagedFileError: one holds something else.
    """
    for name, parse in _PARSERS.items():
        with suppress(FileNotFoundError):
            files.read(root / name, parse)


def goes_with(resource: StoredResource, arm_id: str) -> bool:
    """Whether a resource is the one of an id, or below it and deleted with it.

    Diagnostic settings stay, and are there again when the resource is (MicrosoftDocs/azure-docs#100347).
    """
    below = arm.within(resource.id, arm_id) and resource.type != DIAGNOSTIC_SETTING
    return below or arm.key(resource.id) == arm.key(arm_id)


def power_of(cluster: StoredResource) -> str:
    """Power state of a cluster."""
    return str(arm.at(cluster.outputs, "powerState.code") or RUNNING)


def profile(pool: StoredResource) -> Json:
    """An agent pool as the entry of `agentPoolProfiles` that a GET of its cluster shows."""
    properties = {k: v for k, v in pool.outputs.items() if k != "id"}
    return {**properties, "type": pool.inputs.get("type", "VirtualMachineScaleSets")}
