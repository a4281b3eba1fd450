"""The data store on the real engine: made, changed and taken away beside a running cluster."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from kubeflow_aks.local_aks.azure.types import BLOB_CONTAINER, FEDERATED_CREDENTIAL, STORAGE_ACCOUNT
from kubeflow_aks.local_aks.engine import EngineError, Result
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Cluster, Deployment, deployment

TWO_TEAMS = {"team-a": {"serviceAccounts": ["default-editor", "trainer"]}, "team-b": {}}


def data(profiles: dict[str, Any] | None = None, **store: Any) -> dict[str, Any]:
    return {"store": {"profiles": TWO_TEAMS if profiles is None else profiles, **store}}


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    """The `demo` stack with a data store for two teams, on an Azure that takes its time."""
    folder = tmp_path_factory.mktemp("data") / "run"
    with deployment(folder, tools, cluster, "demo", speed=100.0, data=data()) as stack:
        stack.engine().up()
        yield stack


def changed(result: Result) -> set[tuple[str, str]]:
    """Kind, or name where that is clearer, and operation of each change."""
    return {(step.name.removeprefix("kubeflow-aks-demo-"), step.op) for step in result.changed()}


def test_all_that_exists_is_in_the_state_and_a_second_up_changes_nothing(teams: Deployment) -> None:
    teams.assert_state_is_what_exists()
    assert teams.engine().up().changed() == ()
    [account] = teams.azure.all(STORAGE_ACCOUNT)
    assert account.outputs["allowSharedKeyAccess"] is False
    assert {container.outputs["name"] for container in teams.azure.all(BLOB_CONTAINER)} == {
        "team-a",
        "team-b",
    }


def test_credentials_trust_the_clusters_own_issuer(teams: Deployment) -> None:
    [cluster] = teams.azure.all("azure-native:containerservice:ManagedCluster")
    credentials = [credential.outputs for credential in teams.azure.all(FEDERATED_CREDENTIAL)]
    assert {credential["issuer"] for credential in credentials} == {
        cluster.outputs["oidcIssuerProfile"]["issuerURL"]
    }
    assert {credential["subject"] for credential in credentials} == {
        "system:serviceaccount:team-a:default-editor",
        "system:serviceaccount:team-a:trainer",
        "system:serviceaccount:team-b:default-editor",
    }


def test_the_outputs_have_account_and_client_ids(teams: Deployment) -> None:
    store = teams.engine().outputs().values["dataStore"]
    [account] = teams.azure.all(STORAGE_ACCOUNT)
    assert store["account"] == account.outputs["name"]
    assert set(store["clientIds"]) == {"team-a", "team-b"}


def test_a_team_comes_and_goes_without_touching_the_others_but_not_from_a_protected_stack(
    teams: Deployment,
) -> None:
    three = data({**TWO_TEAMS, "team-c": {}})
    names = {"team-c", "team-c-data", "team-c-access", "team-c.sa-default-editor"}
    assert changed(teams.engine(protect=True, data=three).up()) == {(name, "create") for name in names}
    with pytest.raises(EngineError, match=r"cannot be deleted\s+because it is protected"):
        teams.engine(protect=True).up()
    assert len(teams.azure.all(BLOB_CONTAINER)) == 3
    teams.engine(data=three).up()  # makes again what had gone of it, and gives up the protection
    assert changed(teams.engine().up()) == {(name, "delete") for name in names}
    teams.assert_state_is_what_exists()


def test_a_standard_account_does_not_become_a_local_one(teams: Deployment) -> None:
    with pytest.raises(EngineError, match="cannot be changed from Standard_ZRS to Standard_LRS"):
        teams.engine(data=data(sku="Standard_LRS")).up()
    teams.engine().up()
    teams.assert_state_is_what_exists()


def test_destroy_leaves_nothing(teams: Deployment) -> None:
    teams.engine().destroy()
    teams.assert_nothing_exists()
