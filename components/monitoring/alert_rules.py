"""The alerts of `alerts.yaml` for the pools of a cluster. Pure: planning and tests read them without the SDKs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Final, NotRequired, TypedDict

import yaml

NODE_LABEL: Final = "kubernetes.azure.com/agentpool"
"""Label of a node with its pool, which AKS sets and kube-state-metrics must be told to show."""
LABELS_ALLOWED: Final = f"nodes=[{NODE_LABEL}]"
"""What `kubeStateMetrics.metricLabelsAllowlist` takes."""
METRIC_LABEL: Final = "label_kubernetes_azure_com_agentpool"
"""Label of `kube_node_labels` with it."""
_RULES: Final[Sequence[Mapping[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("alerts.yaml").read_text(encoding="utf-8")
)


class WatchedPool(TypedDict):
    """A pool, as far as alerts and the dashboard look at it."""

    name: str
    """Name of the pool."""
    min_count: int
    """Least nodes."""
    max_count: int
    """Most nodes."""
    fallback: NotRequired[bool]
    """Whether it takes work for which spot has no room. Default: false."""
    gpus: NotRequired[bool]
    """Whether its nodes have GPUs. Default: false."""
    spot: NotRequired[bool]
    """Whether its nodes are spot VMs. Default: false."""
    price: NotRequired[float]
    """USD per hour of a node. Default: none; then the dashboard leaves the pool out of cost and saving, and says so."""
    price_assumed: NotRequired[bool]
    """Whether the price is assumed, which the dashboard says then. Default: false."""
    on_demand_price: NotRequired[float]
    """USD per hour of a spot pool's node on demand. Default: none, as if it had no price."""


@dataclass(frozen=True, kw_only=True)
class AlertRule:
    """One alert.

    Attributes:
        name: its name.
        severity: of Azure, 0 to 4, most severe first.
        lasting: how long the expression holds before it fires, in the form of Prometheus; empty for no time.
        expression: PromQL.
        summary: what has happened, with Prometheus' templates.
    """

    name: str
    severity: int
    lasting: str
    expression: str
    summary: str


def alert_rules(
    pools: Sequence[WatchedPool],
    *,
    handler: bool,
    hours: int,
    provision: str,
    unready: str,
    namespace: str = "kubeflow-aks",
) -> list[AlertRule]:
    """The alerts that a cluster can have.

    Args:
        pools: every pool that scales.
        handler: whether the eviction handler runs.
        hours: how long work may run on a fallback.
        provision: the autoscaler's `max-node-provision-time`, like 15m.
        unready: its `scale-down-unready-time`.
        namespace: of our objects.
    """
    fallbacks = [pool for pool in pools if pool.get("fallback")]
    others = [pool for pool in pools if not pool.get("fallback")]
    gpus = [pool["name"] for pool in pools if pool.get("gpus")]
    there = {"handler": handler, "pools": others, "fallbacks": fallbacks, "gpus": gpus}
    values = {
        "namespace": namespace,
        "hours": str(hours),
        "provision": provision,
        "unready": unready,
        "maximums": vector_by_pool(others, lambda pool: pool["max_count"]),
        "fallback_maximums": vector_by_pool(fallbacks, lambda pool: pool["max_count"]),
        "fallback_minimums": vector_by_pool(fallbacks, lambda pool: pool["min_count"]),
        "gpus": "|".join(gpus),
    }
    return [
        AlertRule(
            name=rule["alert"],
            severity=rule["severity"],
            lasting=Template(rule.get("for", "")).substitute(values),
            expression=Template(rule["expression"]).substitute(values).strip(),
            summary=rule["summary"].replace("${hours}", str(hours)),
        )
        for rule in _RULES
        if "needs" not in rule or there[rule["needs"]]
    ]


def vector_by_pool(pools: Sequence[WatchedPool], number: Callable[[WatchedPool], float]) -> str:
    """A number of each pool, as PromQL that has the label of the pool's nodes."""
    return " or ".join(
        f'label_replace(vector({number(pool)}), "{METRIC_LABEL}", "{pool["name"]}", "", "")' for pool in pools
    )
