"""Who reaches an AKS cluster and its nodes, and the kubeconfig: the requests for the cluster on its own."""

from typing import cast

import pulumi
import pytest
from pulumi_azure_native import Provider

from components.cluster.aks_cluster import AksCluster
from components.cluster.aks_cluster_args import ApiAccessSpec, SshSpec
from kubeflow_aks.recorder import answers
from kubeflow_aks.recorder.answers import KUBECONFIG
from tests.components.conftest import Cloud, value
from tests.components.sample_arguments import CLUSTER, ENTRA

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"


@pytest.fixture(scope="module", autouse=True)
def cluster(cloud: Cloud) -> AksCluster:
    """The cluster that tests read unless they make one of their own."""
    return AksCluster("kf", CLUSTER, cloud.opts)


def test_rbac_is_on_and_local_accounts_are_as_planned(cloud: Cloud) -> None:
    body = cloud.inputs("kf")
    assert (body["enableRBAC"], body["disableLocalAccounts"]) == (True, False)
    assert "aadProfile" not in body


def test_entra_groups_turn_entra_sign_in_on(cloud: Cloud) -> None:
    AksCluster("entra", {**CLUSTER, "api_access": ENTRA}, cloud.opts)
    body = cloud.inputs("entra")
    assert body["aadProfile"] == {
        "managed": True,
        "adminGroupObjectIDs": ["1f7ae3c0-5b1d-4b8e-9c0a-2d6f3e8b7a51"],
    }
    assert body["disableLocalAccounts"] is True


def test_an_open_api_server_sends_no_ranges(cloud: Cloud) -> None:
    assert "authorizedIPRanges" not in cloud.inputs("kf")["apiServerAccessProfile"]


def test_authorised_ranges_are_sent(cloud: Cloud) -> None:
    ranges = ApiAccessSpec(authorized_ip_ranges=["203.0.113.0/24"])
    AksCluster("fenced", {**CLUSTER, "api_access": ranges}, cloud.opts)
    assert cloud.inputs("fenced")["apiServerAccessProfile"]["authorizedIPRanges"] == ["203.0.113.0/24"]


def test_commands_are_switched_off_and_on_and_otherwise_left_as_they_are(cloud: Cloud) -> None:
    AksCluster("deaf", {**CLUSTER, "api_access": {"run_command": False}}, cloud.opts)
    AksCluster("open", {**CLUSTER, "api_access": {"run_command": True}}, cloud.opts)
    sent = [
        body["apiServerAccessProfile"].get("disableRunCommand")
        for body in map(cloud.inputs, ("kf", "deaf", "open"))
    ]
    assert sent == [None, True, False]


def test_a_private_cluster_is_known_by_its_private_name(cloud: Cloud) -> None:
    hidden = AksCluster("hidden", {**CLUSTER, "api_access": {"private_cluster": True}}, cloud.opts)
    body, fqdn = cloud.inputs("hidden"), value(hidden.fqdn)
    assert body["apiServerAccessProfile"]["enablePrivateCluster"] is True
    assert fqdn == "hidden-0a1b2c3d.privatelink.westeurope.azmk8s.io"


def test_a_public_cluster_is_known_by_its_public_name(cloud: Cloud, cluster: AksCluster) -> None:
    body, fqdn = cloud.inputs("kf"), value(cluster.fqdn)
    assert body["apiServerAccessProfile"]["enablePrivateCluster"] is False
    assert fqdn == "kf-0a1b2c3d.hcp.westeurope.azmk8s.io"


def test_nodes_have_no_ssh_unless_requested(cloud: Cloud) -> None:
    assert "linuxProfile" not in cloud.inputs("kf")


def test_nodes_take_the_key_of_the_admin_user(cloud: Cloud) -> None:
    ssh = SshSpec(admin_username="me", public_key=KEY)
    AksCluster("keyed", {**CLUSTER, "ssh": ssh}, cloud.opts)
    keys = {"publicKeys": [{"keyData": KEY}]}
    assert cloud.inputs("keyed")["linuxProfile"] == {"adminUsername": "me", "ssh": keys}


def test_the_kubeconfig_is_that_of_the_admin(cloud: Cloud, cluster: AksCluster) -> None:
    assert value(cluster.kubeconfig) == KUBECONFIG
    assert "azure-native:containerservice:listManagedClusterAdminCredentials" in cloud.invokes


def test_without_local_accounts_the_kubeconfig_is_that_of_the_user(cloud: Cloud) -> None:
    assert "https://aks.example.invalid:443" in value(
        AksCluster("user", {**CLUSTER, "api_access": ENTRA}, cloud.opts).kubeconfig
    )
    assert "azure-native:containerservice:listManagedClusterUserCredentials" in cloud.invokes


@pytest.mark.parametrize("access", [{}, ENTRA], ids=["local accounts", "Entra"])
def test_the_kubeconfig_is_fetched_through_the_providers_of_the_component(
    cloud: Cloud, access: ApiAccessSpec
) -> None:
    name = f"provider-{len(access)}"
    opts = pulumi.ResourceOptions.merge(cloud.opts, pulumi.ResourceOptions(providers=[Provider(name)]))
    value(AksCluster(f"own-{name}", {**CLUSTER, "api_access": access}, opts).kubeconfig)
    assert any(f"::{name}::" in (used or "") for used in cloud.invoked_providers)


@pytest.mark.parametrize("access", [{}, ENTRA], ids=["local accounts", "Entra"])
def test_the_kubeconfig_is_a_secret(cloud: Cloud, access: ApiAccessSpec) -> None:
    secretive = AksCluster(f"secret-{len(access)}", {**CLUSTER, "api_access": access}, cloud.opts)
    assert value(pulumi.Output.from_input(secretive.kubeconfig.is_secret()))


@pytest.mark.parametrize(("spec", "mode"), [({}, "azurecli"), ({"kubelogin_mode": "msi"}, "msi")])
def test_kubelogin_signs_in_with_the_azure_cli_unless_another_way_is_set(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, spec: ApiAccessSpec, mode: str
) -> None:
    plugin = "user: {exec: {command: kubelogin, args: [get-token, --server-id, aks]}}"
    monkeypatch.setattr(
        answers, "KUBECONFIG", KUBECONFIG.replace("user: {token: recorded-kubeconfig-token}", plugin)
    )
    access = cast(ApiAccessSpec, {**ENTRA, **spec})
    assert f"--login\n      - {mode}\n" in value(
        AksCluster(f"signs-in-{mode}", {**CLUSTER, "api_access": access}, cloud.opts).kubeconfig
    )
