"""Who reaches an AKS cluster and its nodes, and the kubeconfig: the requests for the cluster on its own."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any, cast

import pulumi
import pytest
from pulumi_azure_native import Provider

from components.cluster.aks_cluster import AksCluster
from components.cluster.aks_cluster_args import ApiAccessSpec, SshSpec
from kubeflow_aks.recorder import answers
from kubeflow_aks.recorder.answers import KUBECONFIG
from tests.components.conftest import Cloud
from tests.components.given import CLUSTER, ENTRA

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"


@pytest.fixture(scope="module", autouse=True)
def cluster(cloud: Cloud) -> AksCluster:
    """The cluster that tests read unless they make one of their own."""
    return cloud.build(lambda: AksCluster("kf", CLUSTER, cloud.opts))


@pulumi.runtime.test
def test_rbac_is_on_and_local_accounts_are_as_planned(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["enableRBAC"], body["disableLocalAccounts"]) == (True, False)
        assert "aadProfile" not in body

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_entra_groups_turn_entra_sign_in_on(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["aadProfile"] == {
            "managed": True,
            "adminGroupObjectIDs": ["1f7ae3c0-5b1d-4b8e-9c0a-2d6f3e8b7a51"],
        }
        assert body["disableLocalAccounts"] is True

    AksCluster("entra", {**CLUSTER, "api_access": ENTRA}, cloud.opts)
    return cloud.request("entra").apply(check)


@pulumi.runtime.test
def test_an_open_api_server_sends_no_ranges(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "authorizedIPRanges" not in body["apiServerAccessProfile"]

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_authorised_ranges_are_sent(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["apiServerAccessProfile"]["authorizedIPRanges"] == ["203.0.113.0/24"]

    ranges = ApiAccessSpec(authorized_ip_ranges=["203.0.113.0/24"])
    AksCluster("fenced", {**CLUSTER, "api_access": ranges}, cloud.opts)
    return cloud.request("fenced").apply(check)


@pulumi.runtime.test
def test_commands_are_switched_off_and_on_and_otherwise_left_as_they_are(cloud: Cloud) -> Any:
    def check(bodies: list[dict[str, Any]]) -> None:
        sent = [body["apiServerAccessProfile"].get("disableRunCommand") for body in bodies]
        assert sent == [None, True, False]

    AksCluster("deaf", {**CLUSTER, "api_access": {"run_command": False}}, cloud.opts)
    AksCluster("open", {**CLUSTER, "api_access": {"run_command": True}}, cloud.opts)
    return pulumi.Output.all(*map(cloud.request, ("kf", "deaf", "open"))).apply(check)


@pulumi.runtime.test
def test_a_private_cluster_is_known_by_its_private_name(cloud: Cloud) -> Any:
    def check(values: list[Any]) -> None:
        body, fqdn = values
        assert body["apiServerAccessProfile"]["enablePrivateCluster"] is True
        assert fqdn == "hidden-0a1b2c3d.privatelink.westeurope.azmk8s.io"

    hidden = AksCluster("hidden", {**CLUSTER, "api_access": {"private_cluster": True}}, cloud.opts)
    return pulumi.Output.all(cloud.request("hidden"), hidden.fqdn).apply(check)


@pulumi.runtime.test
def test_a_public_cluster_is_known_by_its_public_name(cloud: Cloud, cluster: AksCluster) -> Any:
    def check(values: list[Any]) -> None:
        body, fqdn = values
        assert body["apiServerAccessProfile"]["enablePrivateCluster"] is False
        assert fqdn == "kf-0a1b2c3d.hcp.westeurope.azmk8s.io"

    return pulumi.Output.all(cloud.request("kf"), cluster.fqdn).apply(check)


@pulumi.runtime.test
def test_nodes_have_no_ssh_unless_requested(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "linuxProfile" not in body

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_nodes_take_the_key_of_the_admin_user(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        keys = {"publicKeys": [{"keyData": KEY}]}
        assert body["linuxProfile"] == {"adminUsername": "me", "ssh": keys}

    ssh = SshSpec(admin_username="me", public_key=KEY)
    AksCluster("keyed", {**CLUSTER, "ssh": ssh}, cloud.opts)
    return cloud.request("keyed").apply(check)


@pulumi.runtime.test
def test_the_kubeconfig_is_that_of_the_admin(cloud: Cloud, cluster: AksCluster) -> Any:
    def check(kubeconfig: str) -> None:
        assert kubeconfig == KUBECONFIG
        assert "azure-native:containerservice:listManagedClusterAdminCredentials" in cloud.invokes

    return cluster.kubeconfig.apply(check)


@pulumi.runtime.test
def test_without_local_accounts_the_kubeconfig_is_that_of_the_user(cloud: Cloud) -> Any:
    def check(kubeconfig: str) -> None:
        assert "https://aks.example.invalid:443" in kubeconfig
        assert "azure-native:containerservice:listManagedClusterUserCredentials" in cloud.invokes

    return AksCluster("user", {**CLUSTER, "api_access": ENTRA}, cloud.opts).kubeconfig.apply(check)


@pytest.mark.parametrize("access", [{}, ENTRA], ids=["local accounts", "Entra"])
@pulumi.runtime.test
def test_the_kubeconfig_is_fetched_through_the_providers_of_the_component(
    cloud: Cloud, access: ApiAccessSpec
) -> Any:
    def check(_: str) -> None:
        assert any(f"::{name}::" in (used or "") for used in cloud.invoked_providers)

    name = f"provider-{len(access)}"
    opts = pulumi.ResourceOptions.merge(cloud.opts, pulumi.ResourceOptions(providers=[Provider(name)]))
    return AksCluster(f"own-{name}", {**CLUSTER, "api_access": access}, opts).kubeconfig.apply(check)


@pytest.mark.parametrize("access", [{}, ENTRA], ids=["local accounts", "Entra"])
@pulumi.runtime.test
def test_the_kubeconfig_is_a_secret(cloud: Cloud, access: ApiAccessSpec) -> Any:
    def check(secret: bool) -> None:  # noqa: FBT001 - what a future holds
        assert secret

    secretive = AksCluster(f"secret-{len(access)}", {**CLUSTER, "api_access": access}, cloud.opts)
    return pulumi.Output.from_input(secretive.kubeconfig.is_secret()).apply(check)


@pytest.mark.parametrize(("spec", "mode"), [({}, "azurecli"), ({"kubelogin_mode": "msi"}, "msi")])
@pulumi.runtime.test
def test_kubelogin_signs_in_with_the_azure_cli_unless_another_way_is_set(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, spec: ApiAccessSpec, mode: str
) -> Any:
    def check(kubeconfig: str) -> None:
        assert f"--login\n      - {mode}\n" in kubeconfig

    plugin = "user: {exec: {command: kubelogin, args: [get-token, --server-id, aks]}}"
    monkeypatch.setattr(
        answers, "KUBECONFIG", KUBECONFIG.replace("user: {token: recorded-kubeconfig-token}", plugin)
    )
    access = cast(ApiAccessSpec, {**ENTRA, **spec})
    return AksCluster(f"signs-in-{mode}", {**CLUSTER, "api_access": access}, cloud.opts).kubeconfig.apply(
        check
    )
