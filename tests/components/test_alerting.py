"""Managed Prometheus, its alerts and whom they notify, on their own."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from components.monitoring.alert_rules import WatchedPool, alert_rules
from components.monitoring.alerting import Alerting, AlertingArgs
from components.monitoring.dashboard import dashboard
from tests.components.conftest import Cloud, value

GROUP = "/subscriptions/00000000-0000-0000-0000-000000001234/resourceGroups/group/providers"
CLUSTER = f"{GROUP}/Microsoft.ContainerService/managedClusters/kf"
HOOK = "https://hooks.example.com/T000/secret"
_GENERAL: WatchedPool = {"name": "general", "min_count": 2, "max_count": 3}
ARGS = AlertingArgs(
    resource_group_name="group",
    location="westeurope",
    cluster_id=CLUSTER,
    pools=[
        {
            "name": "gpuspot",
            "min_count": 0,
            "max_count": 4,
            "gpus": True,
            "spot": True,
            "price": 0.2,
            "price_assumed": True,
            "on_demand_price": 0.6,
        },
        {"name": "gpuod", "min_count": 1, "max_count": 2, "gpus": True, "fallback": True, "price": 0.6},
    ],
    emails=["ml@example.com"],
    webhooks=[HOOK],
    tags={"owner": "ml"},
)


@pytest.fixture(scope="module", autouse=True)
def alerting(cloud: Cloud) -> Alerting:
    """The alerts that tests read."""
    return Alerting("kf", ARGS, cloud.opts)


def test_metrics_of_the_cluster_go_to_its_workspace(cloud: Cloud, alerting: Alerting) -> None:
    rule, association = (
        cloud.inputs("kf-metrics-rule"),
        cloud.inputs("kf-metrics-association"),
    )
    [destination] = rule["destinations"]["monitoringAccounts"]
    assert destination["accountResourceId"] == value(alerting.workspace_id)
    assert rule["dataFlows"] == [
        {"streams": ["Microsoft-PrometheusMetrics"], "destinations": [destination["name"]]}
    ]
    assert association["resourceUri"] == CLUSTER


def test_a_name_that_is_too_long_is_cut_as_azures_own_template_does(cloud: Cloud) -> None:
    Alerting("a" * 60, ARGS, cloud.opts)
    name = cloud.inputs(f"{'a' * 60}-metrics-endpoint")["dataCollectionEndpointName"]
    assert (len(name), name[-11:]) == (44, "-prometheus")


def test_rules_read_this_cluster_alone_and_notify_the_group(cloud: Cloud, alerting: Alerting) -> None:
    group = cloud.inputs("kf-alerts")
    assert (group["scopes"], group["clusterName"]) == ([value(alerting.workspace_id), CLUSTER], "kf")
    assert all(
        rule["actions"] and re.fullmatch(r"PT\d+[MH]", rule.get("for", "PT1M")) for rule in group["rules"]
    )


def test_a_group_has_no_more_rules_than_azure_takes_and_each_severity_is_one_of_azures() -> None:
    """Service limits of Azure Monitor, "Alert and recording rules" (2025-05-21): 20 rules in a group."""
    rules = alert_rules(ARGS["pools"], handler=True, hours=6, provision="10m", unready="20m")
    assert len({rule.name for rule in rules}) == len(rules) <= 20
    assert {rule.severity for rule in rules} <= set(range(5))


def test_the_page_says_what_to_do_of_every_alert() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/alerts.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (\w+)$", page, re.MULTILINE) == [
        rule.name
        for rule in alert_rules(
            [*ARGS["pools"], _GENERAL], handler=True, hours=6, provision="10m", unready="20m"
        )
    ]


def test_a_cluster_without_fallbacks_gpus_and_handler_has_no_alerts_on_them() -> None:
    names = {
        rule.name for rule in alert_rules([_GENERAL], handler=False, hours=6, provision="10m", unready="20m")
    }
    assert {"PoolAtMaximum", "PodsLostWithNode"} < names
    assert not {name for name in names if re.search("Fallback|Gpu|Eviction", name)}


def test_the_address_of_a_webhook_is_a_secret(cloud: Cloud) -> None:
    body = cloud.inputs("kf-action-group")
    webhooks = body["webhookReceivers"]
    assert webhooks.keys() > {"4dabf18193072939515e22adb298388d"}  # the engine's mark of a secret
    assert [entry["serviceUri"] for entry in webhooks["value"]] == [HOOK]
    assert [entry["emailAddress"] for entry in body["emailReceivers"]] == ["ml@example.com"]
    assert len(body["groupShortName"]) <= 12
    assert list(cloud.options("kf-action-group").additionalSecretOutputs) == ["webhookReceivers"]


def test_the_portal_shows_the_dashboard_at_the_cluster(cloud: Cloud) -> None:
    name = "a" * 40
    shown = Alerting(name, {**ARGS, "dashboard": True}, cloud.opts)
    made = cloud.inputs(f"{name}-dashboard")
    assert re.fullmatch(
        "[a-zA-Z][a-z0-9A-Z-]{0,28}[a-z0-9A-Z]", made["dashboardName"]
    )  # ManagedDashboard.tsp
    assert made["tags"] == {
        "owner": "ml",
        "GrafanaDashboardResourceType": "microsoft.ContainerService/managedClusters",
    }
    definition = cloud.inputs(f"{name}-dashboard-definition")
    assert definition["properties"]["serializedData"] == value(shown.dashboard)
    assert (definition["definitionName"], definition["dashboardName"]) == ("default", made["dashboardName"])


def panels(pools: Sequence[WatchedPool], *, handler: bool = True) -> list[dict[str, Any]]:
    return json.loads(dashboard("kf", pools, handler=handler))["panels"]


def test_each_panel_reads_the_chosen_cluster_and_all_else_is_filled_in() -> None:
    for panel in panels([*ARGS["pools"], _GENERAL]):
        for target in panel["targets"]:
            assert set(re.findall(r"\$[{\w]+", target["expr"])) <= {"$cluster", "$__range"}
            assert len(re.findall("kube[a-z]*_[a-z_]+{", target["expr"])) == target["expr"].count(
                'cluster="$cluster"'
            )
        assert panel["targets"]
        assert "$" not in panel["description"]


def test_panels_do_not_overlap_and_fill_the_rows() -> None:
    places = [panel["gridPos"] for panel in panels([*ARGS["pools"], _GENERAL])]
    cells = [
        (x, y)
        for place in places
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert {x for x, _ in cells} == set(range(24))


def test_a_cluster_without_spot_prices_and_handler_has_no_panels_of_them() -> None:
    titles = {panel["title"] for panel in panels([_GENERAL], handler=False)}
    assert titles == {"Nodes by pool and price", "Pods that wait, and why", "Nodes that pools may still get"}


def test_prices_that_are_assumed_or_not_known_are_called_so() -> None:
    unpriced: WatchedPool = {"name": "cpuspot", "min_count": 0, "max_count": 1, "spot": True, "price": 0.1}
    for panel in panels([*ARGS["pools"], unpriced]):
        if panel["title"] == "Saving by spot (estimate)":
            assert panel["description"].endswith(
                "USD per hour of a node: gpuspot 0.2 assumed, on demand 0.6; gpuod 0.6; "
                "cpuspot not known, so it is left out."
            )
        if panel["title"] in {"Saving by spot (estimate)", "Price of the nodes by pool (estimate)"}:
            assert '"gpuod"' in panel["targets"][0]["expr"]
            assert '"cpuspot"' not in panel["targets"][0]["expr"]
