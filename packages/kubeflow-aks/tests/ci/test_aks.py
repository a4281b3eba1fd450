"""Reading the output of `az`: a script that prints what the real one prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.ci.aks import Aks, Cluster, Event, GoneError
from kubeflow_aks.clients.az import Az, AzError

ID = "/subscriptions/0/resourcegroups/group/providers/Microsoft.ContainerService/managedClusters/aks"
CLUSTER = Cluster(ID, running=True, provisioning_state="Succeeded")
SINCE = datetime(2026, 11, 20, 19, tzinfo=UTC)
Script = Callable[..., Aks]


@pytest.fixture
def az(tmp_path: Path) -> Script:
    """Makes an `az` that records its arguments and prints a given text."""

    def make(out: Any = "", *, err: str = "", code: int = 0) -> Aks:
        (tmp_path / "out").write_text(out if isinstance(out, str) else json.dumps(out))
        (tmp_path / "err").write_text(err)
        command = tmp_path / "az"
        command.write_text(
            f'#!/bin/sh\ncd {tmp_path}\necho "$@" >> calls\ncat out\ncat err >&2\nexit {code}\n'
        )
        command.chmod(0o700)
        return Aks(Az(str(command)))

    return make


def entry(action: str, at: str, status: str = "Accepted", correlation: str = "") -> dict[str, Any]:
    return {
        "correlationId": correlation or at,
        "eventTimestamp": at,
        "operationName": {"value": f"Microsoft.ContainerService/managedClusters/{action}"},
        "status": {"value": status},
    }


def test_a_cluster_is_read_and_names_are_options_values(az: Script, tmp_path: Path) -> None:
    shown = {"id": ID, "powerState": {"code": "Stopped"}, "provisioningState": "Stopping", "more": 1}
    assert az(shown).cluster("group", "aks") == Cluster(ID, running=False, provisioning_state="Stopping")
    assert (tmp_path / "calls").read_text() == "aks show --resource-group group --name aks --output json\n"


def test_stop_and_start_do_not_wait(az: Script, tmp_path: Path) -> None:
    azure = az()
    azure.stop("group", "aks")
    azure.start("group", "aks")
    assert (tmp_path / "calls").read_text().splitlines() == [
        "aks stop --resource-group group --name aks --no-wait",
        "aks start --resource-group group --name aks --no-wait",
    ]


def test_the_newest_change_counts_and_what_failed_does_not(az: Script, tmp_path: Path) -> None:
    log = [
        entry("start/action", "2026-11-20T22:00:00.1234567Z", "Failed", "c"),
        entry("start/action", "2026-11-20T21:59:00Z", "Accepted", "c"),
        entry("stop/action", "2026-11-20T21:00:00Z"),
        entry("start/action", "2026-11-20T20:00:00Z"),
        entry("write", "2026-11-20T18:00:00Z"),
        {
            **entry("x", "2026-11-20T23:00:00Z"),
            "operationName": {"value": "Microsoft.Authorization/policies/audit/action"},
        },
        entry("listClusterUserCredential/action", "2026-11-20T23:00:00Z"),
    ]
    azure = az(log)
    assert azure.last_change(CLUSTER, SINCE) == Event("stop/action", datetime(2026, 11, 20, 21, tzinfo=UTC))
    assert azure.last_change(CLUSTER, SINCE, "write") is None
    calls = (tmp_path / "calls").read_text().splitlines()
    assert all("--start-time 2026-11-20T19:00:00.000000Z --end-time 20" in call for call in calls)


def test_an_empty_log_has_no_change(az: Script) -> None:
    assert az([]).last_change(CLUSTER, SINCE) is None


@pytest.mark.parametrize(
    ("err", "expected"),
    [
        (
            "ERROR: Please run 'az login' to setup account.\n",
            "`az aks show` failed: Please run 'az login' to setup account.",
        ),
        (
            "WARNING: old\nERROR: (AuthorizationFailed) no\nCode: AuthorizationFailed\n",
            "`az aks show` failed: (AuthorizationFailed) no",
        ),
        ("Traceback …\n", "`az aks show` failed: Traceback …"),
        ("", "`az aks show` failed: exit code 1"),
    ],
)
def test_a_refusal_is_one_line(az: Script, err: str, expected: str) -> None:
    with pytest.raises(AzError) as refused:
        az(err=err, code=1).cluster("group", "aks")
    assert str(refused.value) == expected


@pytest.mark.parametrize("code", ["ResourceNotFound", "ResourceGroupNotFound"])
def test_a_cluster_that_is_gone_has_an_error_of_its_own(az: Script, code: str) -> None:
    with pytest.raises(GoneError):
        az(err=f"ERROR: ({code}) The Resource … was not found.\n", code=3).cluster("group", "aks")


@pytest.mark.parametrize("out", ["", "no JSON", "[]", "{}", '{"id": 1, "powerState": "Running"}'])
def test_a_cluster_of_another_form_is_one_line(az: Script, out: str) -> None:
    with pytest.raises(AzError):
        az(out).cluster("group", "aks")


@pytest.mark.parametrize("out", ["1", '{"a": 1}', "[1]", "[{}]", '[{"correlationId": 1, "status": null}]'])
def test_a_log_of_another_form_is_one_line(az: Script, out: str) -> None:
    with pytest.raises(AzError):
        az(out).last_change(CLUSTER, SINCE)


def test_without_az_the_error_names_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(AzError, match="install the Azure CLI"):
        Aks(Az(str(tmp_path / "az"))).stop("group", "aks")
