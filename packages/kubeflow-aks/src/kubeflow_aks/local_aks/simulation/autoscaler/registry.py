"""What became of earlier scale-ups: running, finished, failed or timed out (cluster-autoscaler clusterstate)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kubeflow_aks.local_aks.simulation.autoscaler.backoff import Backoff
from kubeflow_aks.local_aks.simulation.autoscaler.decisions import BackOff, Decision, DeleteInstance
from kubeflow_aks.local_aks.simulation.autoscaler.model import NodeGroup, Snapshot
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile

TIMED_OUT = "NotRegisteredInTime"


@dataclass(frozen=True)
class _Request:
    """A scale-up under way."""

    increase: int
    expected_by: float


class ScaleUpRegistry:
    """Follows scale-ups and keeps failing groups in back-off."""

    def __init__(self) -> None:
        self._backoff = Backoff()
        self._requests: dict[str, _Request] = {}
        self._unregistered_since: dict[str, float] = {}
        self._known_errors: set[str] = set()
        self._error_codes: dict[str, str] = {}

    def scaled_up(self, group: str, increase: int, expected_by: float) -> None:
        """Note a request for `increase` VMs that must be nodes by simulated second `expected_by`."""
        running = self._requests.get(group)
        self._requests[group] = _Request(increase + (running.increase if running else 0), expected_by)

    def backing_off(self, group: str, now: float) -> bool:
        """Whether the group must not be scaled up now."""
        return self._backoff.active(group, now)

    def status(self, group: str, now: float) -> tuple[str, str]:
        """Status of a group's scale-ups as the real one reports it, and the error code of its back-off or nothing."""
        if group in self._requests:
            return "InProgress", ""
        if self.backing_off(group, now):
            return "Backoff", self._error_codes.get(group, "")
        return "NoActivity", ""

    def moments(self, profile: Profile) -> Iterator[float]:
        """Simulated seconds at which a scale-up times out, a VM is given up or a back-off ends."""
        yield from (request.expected_by for request in self._requests.values())
        yield from (since + profile.max_node_provision_time for since in self._unregistered_since.values())
        yield from self._backoff.ends()

    def update(self, snapshot: Snapshot) -> tuple[Snapshot, list[Decision]]:
        """Settle finished and failed scale-ups.

        Returns:
            The snapshot without the VMs given up, so that the same loop already scales up another group
            (recording S2), and the decisions.
        """
        nodes = {node.name for node in snapshot.nodes}
        self._backoff.forget_stale(snapshot.now)
        self._note_unregistered(snapshot, nodes)
        decisions: list[Decision] = []
        groups: list[NodeGroup] = []
        for group in snapshot.groups:
            decisions += self._settle_request(group, snapshot.now, nodes)
            decisions += self._note_errors(group, snapshot.now)
            given_up = list(self._given_up(group, snapshot))
            decisions += given_up
            names = {decision.instance for decision in given_up}
            groups.append(
                replace(group, instances=tuple(vm for vm in group.instances if vm.name not in names))
            )
        self._known_errors = {vm.name for group in snapshot.groups for vm in group.instances if vm.error}
        return replace(snapshot, groups=tuple(groups)), decisions

    def _note_unregistered(self, snapshot: Snapshot, nodes: set[str]) -> None:
        self._unregistered_since = {
            vm.name: self._unregistered_since.get(vm.name, snapshot.now)
            for group in snapshot.groups
            for vm in group.instances
            if vm.error is None and vm.name not in nodes
        }

    def _settle_request(self, group: NodeGroup, now: float, nodes: set[str]) -> Iterator[Decision]:
        request = self._requests.get(group.id)
        if request is None:
            return
        if all(vm.name in nodes for vm in group.instances):
            del self._requests[group.id]
            self._backoff.succeed(group.id)
        elif request.expected_by < now:
            del self._requests[group.id]
            self._error_codes[group.id] = "timeout"
            yield BackOff(group.pool, self._backoff.fail(group.id, now), TIMED_OUT)

    def _note_errors(self, group: NodeGroup, now: float) -> Iterator[Decision]:
        """A group goes into back-off for errors of a scale-up under way, and only once for each VM."""
        fresh = [vm for vm in group.instances if vm.error and vm.name not in self._known_errors]
        request = self._requests.get(group.id)
        if not fresh or request is None:
            return
        if request.increase > len(fresh):
            self._requests[group.id] = replace(request, increase=request.increase - len(fresh))
        else:
            del self._requests[group.id]
        self._error_codes[group.id] = str(fresh[0].error).rpartition(".")[2]
        yield BackOff(group.pool, self._backoff.fail(group.id, now), str(fresh[0].error))

    def _given_up(self, group: NodeGroup, snapshot: Snapshot) -> Iterator[DeleteInstance]:
        """VMs that failed, and VMs that did not register in time as long as the group keeps its minimum."""
        spare = group.target - group.min_size
        for vm in group.instances:
            since = self._unregistered_since.get(vm.name)
            if vm.error is not None:
                yield DeleteInstance(group.pool, vm.name, vm.error)
            elif (
                since is not None
                and since + snapshot.profile.max_node_provision_time < snapshot.now
                and spare > 0
            ):
                spare -= 1
                yield DeleteInstance(group.pool, vm.name, TIMED_OUT)
