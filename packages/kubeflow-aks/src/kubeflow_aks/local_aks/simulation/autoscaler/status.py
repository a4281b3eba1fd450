"""The autoscaler's status report in ConfigMap `kube-system/cluster-autoscaler-status`, as a YAML text.

Source: `clusterstate/api/types.go`; `clusterstate/clusterstate.go`, GetStatus; `clusterstate/utils/status.go`.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import yaml

from kubeflow_aks.local_aks.simulation.autoscaler.model import Node, NodeGroup, Snapshot

CONFIG_MAP: Final = "cluster-autoscaler-status"
LAST_UPDATED: Final = "cluster-autoscaler.kubernetes.io/last-updated"
"""Annotation with the time of the last writing."""

Json = dict[str, Any]


class StatusReport:
    """Writes reports; remembers since when each condition is what it is."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str], tuple[str, str]] = {}

    def text(
        self,
        snapshot: Snapshot,
        *,
        scale_up: Callable[[str], tuple[str, str]],
        candidates: Mapping[str, int],
        unhealthy: Callable[[Iterable[Node]], bool],
        now: datetime,
    ) -> str:
        """The report on what the last loop saw.

        Args:
            snapshot: that.
            scale_up: status of a group's scale-ups, and the error code of its back-off or nothing.
            candidates: nodes that are not needed, by group.
            unhealthy: whether too many of some nodes are not ready.
            now: by the wall clock, UTC.
        """
        moment = now.isoformat().replace("+00:00", "Z")
        nodes = {node.name: node for node in snapshot.nodes}

        def condition(about: str, kind: str, status: str, **more: Any) -> Json:
            last = self._since.get((about, kind))
            since = last[1] if last and last[0] == status else moment
            self._since[about, kind] = (status, since)
            return {"status": status, **more, "lastProbeTime": moment, "lastTransitionTime": since}

        def health(about: str, here: Iterable[Node], unregistered: int, **more: Any) -> Json:
            here = list(here)
            status = "Unhealthy" if unhealthy(here) else "Healthy"
            return condition(about, "health", status, nodeCounts=_counts(here, unregistered), **more)

        def scale_down(about: str, count: int) -> Json:
            details = {"candidates": count} if count else {}
            return condition(about, "scaleDown", "CandidatesPresent" if count else "NoCandidates", **details)

        def group_report(group: NodeGroup) -> Json:
            here = [nodes[vm.name] for vm in group.instances if vm.name in nodes]
            status, error = scale_up(group.id)
            sizes = {
                "cloudProviderTarget": group.target,
                "minSize": group.min_size,
                "maxSize": group.max_size,
            }
            reason = {"backoffInfo": {"errorCode": error}} if error else {}
            return {
                "name": group.id,
                "health": health(group.id, here, _unregistered(group, nodes), **sizes),
                "scaleUp": condition(group.id, "scaleUp", status, **reason),
                "scaleDown": scale_down(group.id, candidates.get(group.id, 0)),
            }

        groups = [group_report(group) for group in snapshot.groups]
        growing = any(group["scaleUp"]["status"] == "InProgress" for group in groups)
        unregistered = sum(_unregistered(group, nodes) for group in snapshot.groups)
        report = {
            "time": now.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f +0000 UTC"),
            "autoscalerStatus": "Running",
            "clusterWide": {
                "health": health("", snapshot.nodes, unregistered),
                "scaleUp": condition("", "scaleUp", "InProgress" if growing else "NoActivity"),
                "scaleDown": scale_down("", sum(candidates.values())),
            },
            "nodeGroups": groups,
        }
        return yaml.safe_dump(report, sort_keys=False)


def _unregistered(group: NodeGroup, nodes: Mapping[str, Node]) -> int:
    return sum(vm.error is None and vm.name not in nodes for vm in group.instances)


def _counts(nodes: Iterable[Node], unregistered: int) -> Json:
    ready = [node.ready for node in nodes]
    return {
        "registered": {
            "total": len(ready),
            "ready": sum(ready),
            "notStarted": 0,
            "unready": {"total": len(ready) - sum(ready), "resourceUnready": 0},
        },
        "longUnregistered": 0,
        "unregistered": unregistered,
    }
