"""Carries out the simulated autoscaler's decisions, and publishes them as the real one's events."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.autoscaler.decisions import (
    BackOff,
    Decision,
    DeleteInstance,
    Notice,
    NotTriggered,
    ScaleDown,
    ScaleUp,
)
from kubeflow_aks.local_aks.simulation.autoscaler.expander import CONFIG_MAP
from kubeflow_aks.local_aks.simulation.autoscaler.model import Pod
from kubeflow_aks.local_aks.simulation.cluster import Cluster, Event
from kubeflow_aks.local_aks.simulation.journal import Journal, Source
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.scale_sets import ScaleSets

_COMPONENT: Final = "simulated-cluster-autoscaler"
_EVENTS_A_DECISION: Final = 20
"""Pods beyond these get no event of their own; the journal names all of them."""


class Actuator:
    """Turns decisions into VMs, journal lines and Kubernetes events."""

    def __init__(self, cluster: Cluster, scale_sets: ScaleSets, journal: Journal) -> None:
        self._cluster = cluster
        self._scale_sets = scale_sets
        self._journal = journal

    def carry_out(
        self, decisions: Iterable[Decision], pools: Mapping[str, AgentPool], pods: Iterable[Pod], now: float
    ) -> list[ScaleDown]:
        """Do everything decided but scale-down, in order, at simulated second `now`; returns the scale-downs."""
        by_key = {pod.key: pod for pod in pods}
        removed: list[ScaleDown] = []
        for decision in decisions:
            match decision:
                case ScaleUp():
                    self._scale_up(decision, pools, by_key, now)
                case DeleteInstance():
                    self._write(
                        Kind.INSTANCE_DELETED,
                        pool=decision.pool,
                        node=decision.instance,
                        cause=decision.cause,
                    )
                    self._scale_sets.delete([decision.instance], decision.cause)
                case BackOff():
                    self._write(
                        Kind.BACK_OFF, pool=decision.pool, seconds=decision.seconds, cause=decision.cause
                    )
                case ScaleDown():
                    self._write(Kind.SCALE_DOWN, pool=decision.pool, node=decision.node, empty=decision.empty)
                    removed.append(decision)
                case NotTriggered():
                    self._write(Kind.NOT_TRIGGERED, pod=decision.pod, detail=decision.reasons)
                    message = f"pod didn't trigger scale-up: {decision.reasons} (simulated autoscaler)"
                    self._pod_events([decision.pod], by_key, "NotTriggerScaleUp", message)
                case Notice():
                    self._write(Kind.WARNING, detail=decision.message, reason=decision.reason)
                    self._cluster.record(
                        Event(
                            kind="ConfigMap",
                            name=CONFIG_MAP,
                            namespace="kube-system",
                            reason=decision.reason,
                            message=decision.message,
                            warning=True,
                            component=_COMPONENT,
                        )
                    )
        return removed

    def publish_status(self, text: str, moment: str) -> None:
        """Write the autoscaler's report, and when that was, without waiting for it."""
        self._cluster.submit(lambda: self._cluster.write_status(text, moment))

    def _scale_up(
        self, decision: ScaleUp, pools: Mapping[str, AgentPool], pods: Mapping[str, Pod], now: float
    ) -> None:
        self._write(
            Kind.SCALE_UP,
            pool=decision.pool,
            detail=f"{decision.pool} {decision.current} → {decision.target} (max {decision.maximum})",
            **{"from": decision.current, "to": decision.target},
            maximum=decision.maximum,
            pods=list(decision.pods),
        )
        avoided = [name for name in decision.instead_of if pools[name].spot]
        if avoided and not pools[decision.pool].spot:
            detail = f"{decision.pool} instead of {', '.join(avoided)}, which is in back-off"
            self._write(Kind.FALLBACK, pool=decision.pool, detail=detail, insteadOf=avoided)
        self._scale_sets.grow(decision.pool, decision.target, now)
        message = (
            f"pod triggered scale-up: [{{{decision.group} {decision.current}->{decision.target} "
            f"(max: {decision.maximum})}}] (simulated autoscaler)"
        )
        self._pod_events(decision.pods, pods, "TriggeredScaleUp", message)

    def _pod_events(self, keys: Iterable[str], pods: Mapping[str, Pod], reason: str, message: str) -> None:
        for pod in islice((pods[key] for key in keys), _EVENTS_A_DECISION):
            self._cluster.record(
                Event(
                    kind="Pod",
                    name=pod.name,
                    namespace=pod.namespace,
                    uid=pod.uid,
                    reason=reason,
                    message=message,
                    component=_COMPONENT,
                )
            )

    def _write(self, kind: Kind, **fields: object) -> None:
        self._journal.write(kind, Source.AUTOSCALER, **fields)
