"""The times that a drill measured, from what it observed: a small file that a bill can be made with.

Its format is `kubeflow_aks.cost.measured.Measured`, and as a JSON schema `kubeflow_aks/drill/measured.schema.json`.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final, Literal

from kubeflow_aks.cost.measured import Measured, PoolTimes
from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.checks import attempts
from kubeflow_aks.scenario.observations import NodeRecord, Observations, PodRecord

_NO_SUPPLY: Final = (Kind.SOLD_OUT, Kind.BACK_OFF, Kind.INSTANCE_DELETED)
"""After one of these the autoscaler requests anew; what it had requested before never came."""


def measured(
    observed: Observations, *, where: Literal["azure", "local"], day: date, location: str
) -> Measured:
    """What was measured on each pool that nodes came to or were taken from; `day` is that of the drill in UTC."""
    pools = {pool.name: _times(pool.name, pool.vm_size, observed) for pool in observed.pools}
    timed = {name: times for name, times in pools.items() if times.model_fields_set != {"vm_size"}}
    return Measured(stack=observed.stack, where=where, day=day, location=location, pools=timed)


def to_json(measured: Measured) -> str:
    """The text of the file."""
    return measured.model_dump_json(by_alias=True, indent=1) + "\n"


def _times(pool: str, vm_size: str, observed: Observations) -> PoolTimes:
    made = sorted(_made(pool, observed), key=lambda node: node[0].appeared)
    taken = [line for line in observed.lines(Kind.EVICTION) if line["pool"] == pool]
    lists: Mapping[str, list[Any]] = {
        "boot_seconds": [_seconds(requested, node.ready) for node, requested in made],
        "start_seconds": [
            _seconds(node.ready, ran) for node, _ in made if (ran := _first_ran(node, observed)) is not None
        ],
        "notice_seconds": [
            _seconds(notice, line["time"])
            for line in taken
            if (notice := _noticed(line, observed)) is not None
        ],
        "drained": [
            all(pod.ended is not None and pod.ended < line["time"] for pod in met)
            for line in taken
            if (met := _met(line, observed))
        ],
        "again_seconds": list(_again(taken, observed)),
    }
    return PoolTimes(vm_size=vm_size, **{name: tuple(values) for name, values in lists.items() if values})


def _made(pool: str, observed: Observations) -> Iterator[tuple[NodeRecord, float]]:
    """Nodes that became ready for work that waited, and when the autoscaler requested them.

    That is the first scale-up after the work came, and after the last one that found no VM. Where no scale-up was
    recorded it is when the work came; but not after a failure, when it may belong to the failed request.
    """
    for node in observed.nodes:
        waited = [pod.created for pod in _work(node.name, observed) if pod.created < node.appeared]
        if node.pool != pool or node.ready is None or not waited:
            continue
        lines = [
            line for line in observed.journal if line.get("pool") == pool and line["time"] <= node.appeared
        ]
        came = min(waited)
        failed = [line["time"] for line in lines if line["kind"] in _NO_SUPPLY and line["time"] >= came]
        since = max([came, *failed])
        requested = [
            line["time"] for line in lines if line["kind"] == Kind.SCALE_UP and line["time"] >= since
        ]
        if requested or not failed:
            yield node, min(requested, default=came)


def _first_ran(node: NodeRecord, observed: Observations) -> float | None:
    return min((pod.running for pod in _work(node.name, observed) if pod.running is not None), default=None)


def _noticed(taken: Mapping[str, Any], observed: Observations) -> float | None:
    """When an eviction was announced: the last notice of that node before it, for a node may come back by its name."""
    notices = [line["time"] for line in observed.lines(Kind.EVICTION_NOTICE) if line["node"] == taken["node"]]
    return max((time for time in notices if time <= taken["time"]), default=None)


def _met(taken: Mapping[str, Any], observed: Observations) -> list[PodRecord]:
    """The work that an eviction met: it ran there, and had not ended when the eviction was announced."""
    notice = _noticed(taken, observed)
    begun = taken["time"] if notice is None else notice
    return [
        pod
        for pod in _work(taken["node"], observed)
        if pod.running is not None
        and pod.running <= taken["time"]
        and pod.phase != "Succeeded"
        and (pod.ended is None or pod.ended >= begun)
    ]


def _again(taken: list[Mapping[str, Any]], observed: Observations) -> Iterator[float]:
    """From each pod's end by an eviction until the next pod for the same task ran."""
    lost = {
        (pod.namespace, pod.name, pod.created): line["time"] for line in taken for pod in _met(line, observed)
    }
    for pods in attempts(observed.pods).values():
        for number, pod in enumerate(pods):
            gone = lost.get((pod.namespace, pod.name, pod.created))
            ran = [later.running for later in pods[number + 1 :] if later.running is not None]
            if gone is not None and ran:
                yield _seconds(gone if pod.ended is None else pod.ended, min(ran))


def _work(node: str, observed: Observations) -> list[PodRecord]:
    """The scenario's own pods on a node; those of others, DaemonSets among them, wait for nothing."""
    return [pod for pod in observed.pods if pod.node == node and pod.part and pod.owner != "DaemonSet"]


def _seconds(start: float | None, end: float | None) -> float:
    return round(max((end or 0.0) - (start or 0.0), 0.0), 1)
