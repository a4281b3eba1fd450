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
    priced = [pool for pool in batch if _is_priced(pool)]
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
        "all_prices": vector_by_pool([pool for pool in pools if _is_priced(pool)], _price),
        "price_list": "; ".join(map(_priced, pools)),
        "maximums": vector_by_pool(pools, lambda pool: pool["max_count"]),
    }
    panels: list[dict[str, Any]] = []
    x = y = 0
    for panel in (panel for panel in _PANELS if "needs" not in panel or there[panel["needs"]]):
        width, height = _KINDS[panel["type"]]["size"]
        if x + width > _COLUMNS or (panels and panels[-1]["gridPos"]["h"] != height):
            x, y = 0, y + panels[-1]["gridPos"]["h"]
        place = {"id": len(panels) + 1, "gridPos": {"x": x, "y": y, "w": width, "h": height}}
        panels.append(place | _panel(panel, values))
        x += width
    cluster = {"query": "label_values(kube_node_info, cluster)", "refId": "cluster"}
    variables = [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
        # Read again (refresh) whenever the time changes, sorted by name.
        {"name": "cluster", "label": "Cluster", "type": "query", "datasource": _SOURCE, "query": cluster}
        | {"refresh": 2, "sort": 1},
    ]
    document: dict[str, Any] = {
        "title": f"Spot on {name}",
        "uid": f"{name}-spot"[-_LONGEST_UID:],
        "tags": ["kubeflow-aks"],
        "schemaVersion": _SCHEMA,
        "editable": True,
        "annotations": {"list": []},
        "time": {"from": "now-7d", "to": "now"},
        "templating": {"list": variables},
        "panels": panels,
    }
    return json.dumps(document, indent=2)


def _panel(panel: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """A panel as Grafana has it, but for its place."""

    def filled(text: str) -> str:
        # Safe: `$cluster` and the like are Grafana's.
        return " ".join(Template(text).safe_substitute(values).split())

    kind = _KINDS[panel["type"]]
    at_once = kind["type"] != "timeseries"
    defaults = {"unit": panel["unit"], "min": 0, "custom": kind.get("custom", {})}
    if panel["unit"] == "none":
        defaults["decimals"] = 0
    return {
        "type": kind["type"],
        "title": panel["title"],
        "description": filled(panel["description"]),
        "datasource": _SOURCE,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": kind["options"],
        "interval": kind.get("interval"),
        "targets": [
            {
                "refId": letter,
                "datasource": _SOURCE,
                "expr": filled(query["expression"]),
                "legendFormat": filled(query.get("legend", "")),
                "instant": at_once,
                "range": not at_once,
            }
            for letter, query in zip("ABC", panel["queries"], strict=False)
        ],
    }


def _is_priced(pool: WatchedPool) -> bool:
    return "price" in pool and ("on_demand_price" in pool or not pool.get("spot"))


def _price(pool: WatchedPool) -> float:
    return pool.get("price", 0.0)


def _on_demand_price(pool: WatchedPool) -> float:
    return pool.get("on_demand_price", 0.0) if pool.get("spot") else _price(pool)


def _priced(pool: WatchedPool) -> str:
    if not _is_priced(pool):
        return f"{pool['name']} not known, so it is left out"
    text = f"{pool['name']} {_price(pool):g}" + (" assumed" if pool.get("price_assumed") else "")
    return f"{text}, on demand {_on_demand_price(pool):g}" if pool.get("spot") else text
