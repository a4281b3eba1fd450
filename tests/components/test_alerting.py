"""Managed Prometheus, its alerts and whom they notify, on their own."""

import re
from pathlib import Path

import pytest

from components.monitoring.alert_rules import WatchedPool, alert_rules
from components.monitoring.alerting import Alerting, AlertingArgs
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
        {"name": "gpuspot", "min_count": 0, "max_count": 4, "gpus": True},
        {"name": "gpuod", "min_count": 1, "max_count": 2, "gpus": True, "fallback": True},
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
