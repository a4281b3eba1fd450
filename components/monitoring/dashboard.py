"""The dashboard of `dashboard.yaml` for the pools of a cluster, as Grafana imports it. Pure, as the alerts are."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, Final

import yaml

from .alert_rules import METRIC_LABEL, WatchedPool, vector_by_pool

_PANELS: Final[Sequence[Mapping[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("dashboard.yaml").read_text(encoding="utf-8")
)
_NODES: Final = f'count by ({METRIC_LABEL}) (kube_node_labels{{cluster="$cluster"}})'
_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_SCHEMA: Final = 39
"""Version of the form, that of Grafana 11; a newer one converts what it imports."""
_LONGEST_UID: Final = 40
_COLUMNS: Final = 24
_LEGEND: Final[Mapping[str, Any]] = {
    "calcs": [],
    "displayMode": "list",
    "placement": "bottom",
    "showLegend": True,
}
_LATEST: Final = {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}}
_NUMBER: Final = {
    **_LATEST,
    **dict.fromkeys(("justifyMode", "textMode", "orientation"), "auto"),
    "graphMode": "none",
    "colorMode": "value",
    "wideLayout": True,
    "showPercentChange": False,
    "percentChangeColorMode": "standard",
}
_BARS: Final = {
    **_LATEST,
    **dict.fromkeys(("namePlacement", "sizing"), "auto"),
    "displayMode": "basic",
    "orientation": "horizontal",
    "valueMode": "color",
    "showUnfilled": True,
    "minVizWidth": 8,
    "minVizHeight": 16,
    "maxVizHeight": 300,
    "legend": {**_LEGEND, "showLegend": False},
}
_BESIDE: Final = {"legend": _LEGEND, "tooltip": {"mode": "multi", "sort": "desc"}}
_STACKED: Final = {"fillOpacity": 30, "lineWidth": 1, "stacking": {"mode": "normal", "group": "A"}}
_KINDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "stat": {"type": "stat", "size": (6, 4), "options": _NUMBER},
    "bargauge": {"type": "bargauge", "size": (12, 8), "options": _BARS},
    "timeseries": {"type": "timeseries", "size": (12, 8), "options": _BESIDE, "custom": _STACKED},
    "bars": {
        "type": "timeseries",
        "size": (12, 8),
        "options": _BESIDE,
        "custom": {**_STACKED, "drawStyle": "bars", "fillOpacity": 80},
        "interval": "1h",
    },
}
"""Grafana's panel for each type of `dashboard.yaml`: width in 24ths and height, and the least step of its queries."""


def dashboard(
    name: str, pools: Sequence[WatchedPool], *, handler: bool, namespace: str = "kubeflow-aks"
) -> str:
    """The dashboard as JSON.

    The form is Grafana's "Dashboard JSON model" (grafana.com/docs, version 11). Grafana's strict reader of it misses no
    field and knows all (grafana-foundation-sdk/go v0.0.22, tried on 2026-11-28). The variables have the names that the
    portal fills in (visualize-use-grafana-dashboards-azure-kubernetes-service.md, 2025-11-03): datasource and cluster.

    Args:
        name: what it is of, for its title and its id.
        pools: every pool that scales.
        handler: whether the eviction handler runs.
        namespace: of our objects.
    """
    spot = [pool for pool in pools if pool.get("spot")]
    batch = [pool for pool in pools if pool.get("spot") or pool.get("fallback")]
    priced = [pool for pool in batch if "price" in pool and "on_demand_price" in pool]
    there = {
        "handler": handler,
        "pools": pools,
        "spot": spot,
        "prices": [pool for pool in priced if pool.get("spot")],
        "fallbacks": len(batch) > len(spot),
    }
    values = {
        "nodes": _NODES,
        "pool": METRIC_LABEL,
        "namespace": namespace,
        "spot_names": "|".join(pool["name"] for pool in spot),
        "spot": vector_by_pool(batch, lambda pool: int(pool.get("spot", False))),
        "batch": vector_by_pool(batch, lambda _: 1),
        "prices": vector_by_pool(priced, _price),
        "on_demand_prices": vector_by_pool(priced, _on_demand_price),
        "all_prices": vector_by_pool([pool for pool in pools if "price" in pool], _price),
        "price_list": "; ".join(_priced(pool) for pool in pools if "price" in pool),
        "maximums": vector_by_pool(pools, lambda pool: pool["max_count"]),
    }

    def filled(text: str) -> str:
        return " ".join(
            Template(text).safe_substitute(values).split()
        )  # `$cluster` and the like are Grafana's

    panels: list[dict[str, Any]] = []
    x = y = 0
    for panel in (panel for panel in _PANELS if "needs" not in panel or there[panel["needs"]]):
        kind = _KINDS[panel["type"]]
        width, height = kind["size"]
        if x + width > _COLUMNS or (panels and panels[-1]["gridPos"]["h"] != height):
            x, y = 0, y + panels[-1]["gridPos"]["h"]
        at_once = kind["options"] is not _BESIDE
        panels.append(
            {
                "id": len(panels) + 1,
                "type": kind["type"],
                "title": panel["title"],
                "description": filled(panel["description"]),
                "datasource": _SOURCE,
                "gridPos": {"x": x, "y": y, "w": width, "h": height},
                "fieldConfig": {
                    "defaults": {"unit": panel["unit"], "min": 0, "custom": kind.get("custom", {})}
                    | ({"decimals": 0} if panel["unit"] == "none" else {}),
                    "overrides": [],
                },
                "options": kind["options"],
                "interval": kind.get("interval"),
                "targets": [
                    {
                        "refId": "AB"[number],
                        "datasource": _SOURCE,
                        "expr": filled(query["expression"]),
                        "legendFormat": filled(query.get("legend", "")),
                        "instant": at_once,
                        "range": not at_once,
                    }
                    for number, query in enumerate(panel["queries"])
                ],
            }
        )
        x += width
    document: dict[str, Any] = {
        "title": f"Spot on {name}",
        "uid": f"{name}-spot"[-_LONGEST_UID:],
        "tags": ["kubeflow-aks"],
        "schemaVersion": _SCHEMA,
        "editable": True,
        "annotations": {"list": []},
        "time": {"from": "now-7d", "to": "now"},
        "templating": {
            "list": [
                {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
                {
                    "name": "cluster",
                    "label": "Cluster",
                    "type": "query",
                    "datasource": _SOURCE,
                    "query": {"query": "label_values(kube_node_info, cluster)", "refId": "cluster"},
                    "refresh": 2,  # whenever the time changes
                    "sort": 1,
                },
            ]
        },
        "panels": panels,
    }
    return json.dumps(document, indent=2)


def _price(pool: WatchedPool) -> float:
    return pool.get("price", 0.0)


def _on_demand_price(pool: WatchedPool) -> float:
    return pool.get("on_demand_price", 0.0)


def _priced(pool: WatchedPool) -> str:
    text = f"{pool['name']} {_price(pool):g}" + (" assumed" if pool.get("price_assumed") else "")
    return (
        f"{text}, on demand {_on_demand_price(pool):g}"
        if pool.get("spot") and "on_demand_price" in pool
        else text
    )
