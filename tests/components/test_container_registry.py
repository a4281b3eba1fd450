"""The container registry and the nodes' right to pull from it, on their own."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any

import pulumi
import pytest

from components.registry.container_registry import ContainerRegistry, ContainerRegistryArgs
from tests.components.conftest import Cloud

ARGS = ContainerRegistryArgs(
    resource_group_name="group",
    location="westeurope",
    puller_object_id="kubelet",
    sku="Premium",
    tags={"owner": "ml"},
)
OTHER = "/subscriptions/00000000-0000-0000-0000-000000001234"
EXISTING = f"{OTHER}/resourceGroups/shared/providers/Microsoft.ContainerRegistry/registries/teamwork"
ACR_PULL = "7f951dda-4ed3-4680-a7ca-43fe172d538d"
REPOSITORY_READER = "b93aa761-3e63-49ed-ac28-beffa264f7ac"


@pytest.fixture(scope="module", autouse=True)
def registry(cloud: Cloud) -> ContainerRegistry:
    """The registry that tests read unless they make one of their own."""
    return cloud.build(lambda: ContainerRegistry("kf-dev", ARGS, cloud.opts))


@pulumi.runtime.test
def test_a_new_registry_has_its_tier_and_no_admin_user(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["sku"], body["adminUserEnabled"]) == ({"name": "Premium"}, False)

    return cloud.request("kfdev").apply(check)


@pulumi.runtime.test
def test_a_registry_that_states_no_tier_is_standard(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["sku"] == {"name": "Standard"}

    args = ARGS.copy()
    del args["sku"]
    ContainerRegistry("plain", args, cloud.opts)
    return cloud.request("plain").apply(check)


@pulumi.runtime.test
def test_a_registry_that_says_no_more_keeps_all_and_is_open_to_all(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body.keys().isdisjoint({"policies", "networkRuleSet"})

    return cloud.request("kfdev").apply(check)


@pulumi.runtime.test
def test_images_without_a_tag_are_kept_as_long_as_requested(cloud: Cloud) -> Any:
    def check(bodies: list[dict[str, Any]]) -> None:
        policies = [body["policies"]["retentionPolicy"] for body in bodies]
        assert policies == [{"status": "enabled", "days": 30}, {"status": "enabled", "days": 0}]

    ContainerRegistry("tidy", {**ARGS, "retention_days": 30}, cloud.opts)
    ContainerRegistry("bare", {**ARGS, "retention_days": 0}, cloud.opts)
    return pulumi.Output.all(cloud.request("tidy"), cloud.request("bare")).apply(check)


@pulumi.runtime.test
def test_only_the_ranges_may_use_a_registry_that_names_some(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["networkRuleSet"] == {
            "defaultAction": "Deny",
            "ipRules": [{"action": "Allow", "iPAddressOrRange": "20.1.2.0/24"}],
        }

    ContainerRegistry("fenced", {**ARGS, "authorized_ip_ranges": ["20.1.2.0/24"]}, cloud.opts)
    return cloud.request("fenced").apply(check)


@pulumi.runtime.test
def test_a_new_registry_leaves_its_global_name_to_the_provider(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "registryName" not in body

    return cloud.request("kfdev").apply(check)


@pulumi.runtime.test
def test_tags_location_and_group_reach_the_registry(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["tags"] == {"owner": "ml"}
        assert (body["location"], body["resourceGroupName"]) == ("westeurope", "group")

    return cloud.request("kfdev").apply(check)


@pulumi.runtime.test
def test_the_kubelet_may_pull_and_nothing_else(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["principalId"] == "kubelet"
        assert body["roleDefinitionId"].endswith(f"/roleDefinitions/{ACR_PULL}")

    return cloud.request("kf-dev-pull").apply(check)


@pulumi.runtime.test
def test_the_kubelet_may_pull_where_permissions_go_by_repository(
    cloud: Cloud, registry: ContainerRegistry
) -> Any:
    def check(values: list[Any]) -> None:
        body, registry_id = values
        assert (body["principalId"], body["principalType"]) == ("kubelet", "ServicePrincipal")
        assert body["roleDefinitionId"].endswith(f"/roleDefinitions/{REPOSITORY_READER}")
        assert body["scope"] == registry_id

    return pulumi.Output.all(cloud.request("kf-dev-read"), registry.registry_id).apply(check)


@pulumi.runtime.test
def test_the_right_to_pull_is_on_the_registry_alone(cloud: Cloud, registry: ContainerRegistry) -> Any:
    def check(values: list[Any]) -> None:
        body, registry_id = values
        assert body["scope"] == registry_id
        assert registry_id.endswith("/kfdev")

    return pulumi.Output.all(cloud.request("kf-dev-pull"), registry.registry_id).apply(check)


@pulumi.runtime.test
def test_the_right_is_given_before_the_directory_knows_the_identity(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["principalType"] == "ServicePrincipal"

    return cloud.request("kf-dev-pull").apply(check)


@pulumi.runtime.test
def test_an_attached_registry_is_pulled_from(cloud: Cloud) -> Any:
    def check(values: list[Any]) -> None:
        body, registry_id = values
        assert registry_id == body["scope"] == EXISTING
        assert body["roleDefinitionId"].startswith(f"{OTHER}/providers/Microsoft.Authorization/")

    attached = ContainerRegistry("attached", {**ARGS, "attach": EXISTING}, cloud.opts)
    return pulumi.Output.all(cloud.request("attached-pull"), attached.registry_id).apply(check)


@pulumi.runtime.test
def test_an_attached_registry_is_not_created(cloud: Cloud) -> None:
    ContainerRegistry("shared", {**ARGS, "attach": EXISTING}, cloud.opts)
    assert cloud.names("shared") == ["shared", "shared-pull", "shared-read"]


@pulumi.runtime.test
def test_a_role_is_that_of_the_registrys_subscription_however_it_is_written(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["roleDefinitionId"].startswith(f"{OTHER}/providers/Microsoft.Authorization/")

    existing = EXISTING.replace("/subscriptions/", "/Subscriptions/")
    ContainerRegistry("spelt", {**ARGS, "sku": "Standard", "attach": existing}, cloud.opts)
    return cloud.request("spelt-pull").apply(check)
