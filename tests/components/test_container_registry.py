"""The container registry and the nodes' right to pull from it, on their own."""

import pytest

from components.registry.container_registry import ContainerRegistry, ContainerRegistryArgs
from tests.components.conftest import Cloud, value

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
    return ContainerRegistry("kf-dev", ARGS, cloud.opts)


def test_a_new_registry_has_its_tier_and_no_admin_user(cloud: Cloud) -> None:
    body = cloud.inputs("kfdev")
    assert (body["sku"], body["adminUserEnabled"]) == ({"name": "Premium"}, False)


def test_a_registry_that_states_no_tier_is_standard(cloud: Cloud) -> None:
    args = ARGS.copy()
    del args["sku"]
    ContainerRegistry("plain", args, cloud.opts)
    assert cloud.inputs("plain")["sku"] == {"name": "Standard"}


def test_a_registry_that_says_no_more_keeps_all_and_is_open_to_all(cloud: Cloud) -> None:
    assert cloud.inputs("kfdev").keys().isdisjoint({"policies", "networkRuleSet"})


def test_images_without_a_tag_are_kept_as_long_as_requested(cloud: Cloud) -> None:
    ContainerRegistry("tidy", {**ARGS, "retention_days": 30}, cloud.opts)
    ContainerRegistry("bare", {**ARGS, "retention_days": 0}, cloud.opts)
    policies = [body["policies"]["retentionPolicy"] for body in (cloud.inputs("tidy"), cloud.inputs("bare"))]
    assert policies == [{"status": "enabled", "days": 30}, {"status": "enabled", "days": 0}]


def test_only_the_ranges_may_use_a_registry_that_names_some(cloud: Cloud) -> None:
    ContainerRegistry("fenced", {**ARGS, "authorized_ip_ranges": ["20.1.2.0/24"]}, cloud.opts)
    assert cloud.inputs("fenced")["networkRuleSet"] == {
        "defaultAction": "Deny",
        "ipRules": [{"action": "Allow", "iPAddressOrRange": "20.1.2.0/24"}],
    }


def test_a_new_registry_leaves_its_global_name_to_the_provider(cloud: Cloud) -> None:
    assert "registryName" not in cloud.inputs("kfdev")


def test_tags_location_and_group_reach_the_registry(cloud: Cloud) -> None:
    body = cloud.inputs("kfdev")
    assert body["tags"] == {"owner": "ml"}
    assert (body["location"], body["resourceGroupName"]) == ("westeurope", "group")


def test_the_kubelet_may_pull_and_nothing_else(cloud: Cloud) -> None:
    body = cloud.inputs("kf-dev-pull")
    assert body["principalId"] == "kubelet"
    assert body["roleDefinitionId"].endswith(f"/roleDefinitions/{ACR_PULL}")


def test_the_kubelet_may_pull_where_permissions_go_by_repository(
    cloud: Cloud, registry: ContainerRegistry
) -> None:
    body, registry_id = cloud.inputs("kf-dev-read"), value(registry.registry_id)
    assert (body["principalId"], body["principalType"]) == ("kubelet", "ServicePrincipal")
    assert body["roleDefinitionId"].endswith(f"/roleDefinitions/{REPOSITORY_READER}")
    assert body["scope"] == registry_id


def test_the_right_to_pull_is_on_the_registry_alone(cloud: Cloud, registry: ContainerRegistry) -> None:
    body, registry_id = cloud.inputs("kf-dev-pull"), value(registry.registry_id)
    assert body["scope"] == registry_id
    assert registry_id.endswith("/kfdev")


def test_the_right_is_given_before_the_directory_knows_the_identity(cloud: Cloud) -> None:
    assert cloud.inputs("kf-dev-pull")["principalType"] == "ServicePrincipal"


def test_an_attached_registry_is_pulled_from(cloud: Cloud) -> None:
    attached = ContainerRegistry("attached", {**ARGS, "attach": EXISTING}, cloud.opts)
    body, registry_id = cloud.inputs("attached-pull"), value(attached.registry_id)
    assert registry_id == body["scope"] == EXISTING
    assert body["roleDefinitionId"].startswith(f"{OTHER}/providers/Microsoft.Authorization/")


def test_an_attached_registry_is_not_created(cloud: Cloud) -> None:
    ContainerRegistry("shared", {**ARGS, "attach": EXISTING}, cloud.opts)
    assert cloud.names("shared") == ["shared", "shared-pull", "shared-read"]


def test_a_role_is_that_of_the_registrys_subscription_however_it_is_written(cloud: Cloud) -> None:
    existing = EXISTING.replace("/subscriptions/", "/Subscriptions/")
    ContainerRegistry("spelt", {**ARGS, "sku": "Standard", "attach": existing}, cloud.opts)
    assert cloud.inputs("spelt-pull")["roleDefinitionId"].startswith(
        f"{OTHER}/providers/Microsoft.Authorization/"
    )
