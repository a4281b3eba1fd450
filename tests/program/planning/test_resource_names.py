"""Names of a company's rule, and of single resources."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.planning.names import Names, names
from program.planning.rules.names import name_problems
from program.planning.rules.resource_names import resource_name_problems
from program.settings import SettingsError
from tests.program.planning.small_stack import settings

CAF = "<type>-ml-prod-weu-001"
STORE: dict[str, Any] = {"store": {"profiles": {"vision": {}}}}
GROUP = "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/hub/providers"
NODES = f"{GROUP}/Microsoft.Network/virtualNetworks/spoke/subnets/nodes"
ELSEWHERE = {"subnetIds": dict.fromkeys(("system", "general", "cpu", "gpu"), NODES)}
NATTED = {"outboundType": "userAssignedNATGateway"}


def named(**keys: Any) -> Names:
    return names("kubeflow-aks", "prod", settings(**keys))


def refusals(**keys: Any) -> list[str]:
    return [mistake.key for mistake in resource_name_problems("kubeflow-aks", "prod", settings(**keys))]


def test_a_stack_that_gives_no_names_has_those_of_project_and_stack() -> None:
    assert named(data=STORE) == Names(
        base="kubeflow-aks-prod",
        resource_group="kubeflow-aks-prod",
        node_resource_group="kubeflow-aks-prod-nodes",
        cluster="kubeflow-aks-prod",
        dns_prefix="kubeflow-aks-prod",
        identity="kubeflow-aks-prod-identity",
        virtual_network="kubeflow-aks-prod-vnet",
        subnets={"system": "system", "general": "general", "cpu": "cpu", "gpu": "gpu"},
        nat_gateway="kubeflow-aks-prod-nat",
        outbound_address="kubeflow-aks-prod-outbound",
        ingress_address="kubeflow-aks-prod-ingress",
        registry=None,
        storage_account=None,
        data_identities={"vision": "kubeflow-aks-prod-vision-data"},
        log_workspace="kubeflow-aks-prod-logs",
        diagnostic_setting="kubeflow-aks-prod-control-plane",
    )


def test_a_pattern_gives_every_name_with_the_abbreviation_of_the_cloud_adoption_framework() -> None:
    assert named(names={"pattern": CAF}, data=STORE) == Names(
        base="kubeflow-aks-prod",
        resource_group="rg-ml-prod-weu-001",
        node_resource_group="rg-nodes-ml-prod-weu-001",
        cluster="aks-ml-prod-weu-001",
        dns_prefix="aks-ml-prod-weu-001",
        identity="id-aks-ml-prod-weu-001",
        virtual_network="vnet-ml-prod-weu-001",
        subnets={role: f"snet-{role}-ml-prod-weu-001" for role in ("system", "general", "cpu", "gpu")},
        nat_gateway="ng-ml-prod-weu-001",
        outbound_address="pip-outbound-ml-prod-weu-001",
        ingress_address="pip-ingress-ml-prod-weu-001",
        registry="crmlprodweu001",
        storage_account="stmlprodweu001",
        data_identities={"vision": "id-data-vision-ml-prod-weu-001"},
        log_workspace="log-ml-prod-weu-001",
        diagnostic_setting="diag-ml-prod-weu-001",
    )
    assert refusals(names={"pattern": CAF}, data=STORE, network=NATTED, monitoring={"logs": ["guard"]}) == []


def test_project_stack_and_region_may_be_in_a_pattern() -> None:
    assert (
        named(names={"pattern": "<project>-<type>-<stack>-<location>"}).cluster
        == "kubeflow-aks-aks-prod-westeurope"
    )


def test_a_single_name_goes_before_the_pattern_and_the_cluster_s_before_those_that_begin_with_it() -> None:
    both = named(names={"pattern": CAF, "cluster": "ours", "subnets": {"gpu": "snet-gpus"}})
    assert (both.cluster, both.dns_prefix, both.identity) == ("ours", "ours", "id-aks-ml-prod-weu-001")
    assert (both.subnets["gpu"], both.subnets["cpu"]) == ("snet-gpus", "snet-cpu-ml-prod-weu-001")
    alone = named(names={"cluster": "ours"})
    assert (alone.identity, alone.node_resource_group, alone.dns_prefix) == (
        "ours-identity",
        "ours-nodes",
        "ours",
    )
    assert named(names={"cluster": "ours", "dnsPrefix": "api"}).dns_prefix == "api"


def test_a_group_that_is_there_goes_before_all() -> None:
    assert named(resourceGroup="rg-1", names={"pattern": CAF}).resource_group == "rg-1"
    assert refusals(resourceGroup="rg-1", names={"pattern": CAF}) == []
    assert refusals(resourceGroup="rg-1", names={"resourceGroup": "rg-2"}) == ["names.resourceGroup"]
    assert refusals(resourceGroup="rg-1.") == ["resourceGroup"]


def test_a_group_is_a_label_of_nodes_where_it_has_the_network() -> None:
    long = {"resourceGroup": "g" * 90}
    assert refusals(**long) == ["resourceGroup"]
    assert refusals(**long, network=ELSEWHERE) == refusals(names=long, network=ELSEWHERE) == []
    assert refusals(resourceGroup="g" * 91, network=ELSEWHERE) == ["resourceGroup"]


@pytest.mark.parametrize(
    "name", ["GatewaySubnet", "gatewaysubnet", "AzureBastionSubnet", "AzureFirewallManagementSubnet"]
)
def test_no_nodes_are_in_a_subnet_that_azure_keeps_for_a_service(name: str) -> None:
    assert refusals(names={"subnets": {"gpu": name}}) == ["names.subnets.gpu"]
    assert refusals(names={"subnets": {"gpu": f"{name}2"}}) == []


def test_a_registry_of_others_has_its_name() -> None:
    attached = {"attach": f"{GROUP}/Microsoft.ContainerRegistry/registries/teamimages"}
    assert refusals(registry=attached, names={"registry": "ours1"}) == ["names.registry"]
    assert refusals(registry=attached, names={"pattern": CAF}) == []


@pytest.mark.parametrize(
    "pattern", ["", "ml", "{type}-ml", "<kind>-ml", "ml <type>", "<type>-<type>", "<type>/ml", "<type>-é"]
)
def test_a_pattern_has_one_type_and_known_parts(pattern: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        settings(names={"pattern": pattern})
    assert [problem.key for problem in refusal.value.problems] == ["names.pattern"]


def test_a_pattern_that_is_the_type_alone_is_too_short_for_a_registry() -> None:
    assert refusals(names={"pattern": "<type>"}) == ["names.pattern"]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("resourceGroup", "rg."),
        ("resourceGroup", "r" * 64),
        ("nodeResourceGroup", "n" * 81),
        ("cluster", "-aks"),
        ("cluster", "aks_"),
        ("cluster", "a" * 64),
        ("dnsPrefix", "a_b"),
        ("dnsPrefix", "a" * 55),
        ("identity", "id"),
        ("virtualNetwork", "v"),
        ("natGateway", "nat-"),
        ("outboundAddress", ".pip"),
        ("ingressAddress", "p" * 81),
        ("registry", "cr-ml"),
        ("registry", "cr1"),
        ("storageAccount", "stML"),
        ("storageAccount", "s" * 25),
        ("logWorkspace", "log"),
        ("diagnosticSetting", "d/1"),
        ("cluster", "windows-aks"),
        ("cluster", "login-aks"),
        ("cluster", ""),
    ],
)
def test_a_single_name_that_azure_does_not_take_is_refused(key: str, name: str) -> None:
    assert refusals(names={key: name}) == [f"names.{key}"]


def test_a_pattern_that_is_too_long_for_one_resource_names_the_setting_that_helps() -> None:
    long = {"pattern": "<type>-machine-learning-prod-0001"}
    assert refusals(names=long) == []
    [mistake] = resource_name_problems("kubeflow-aks", "prod", settings(names=long, data=STORE))
    assert str(mistake) == (
        "names.pattern: '<type>-machine-learning-prod-0001' is not allowed; expected one from which other names follow "
        "that Azure takes; it gives a storage account the name 'stmachinelearningprod0001': expected 3 to 24 "
        "lower-case letters and digits, or set names.storageAccount"
    )
    assert refusals(names={**long, "storageAccount": "stml"}, data=STORE) == []


def test_a_pattern_or_a_cluster_s_name_is_one_mistake_however_many_names_are_made_of_it() -> None:
    assert refusals(names={"pattern": f"<type>-{'x' * 90}"}) == ["names.pattern"]
    assert refusals(names={"cluster": "a" * 60}) == ["names.cluster"]  # its DNS prefix has 54 characters
    assert refusals(names={"cluster": "a" * 60, "dnsPrefix": "a"}) == []


def test_no_two_resources_of_a_type_have_one_name() -> None:
    assert refusals(names={"ingressAddress": "pip", "outboundAddress": "PIP"}) == ["names.outboundAddress"]
    assert refusals(resourceGroup="rg", names={"nodeResourceGroup": "RG"}) == ["names.nodeResourceGroup"]
    assert refusals(names={"subnets": {"cpu": "nodes", "gpu": "nodes"}}) == ["names.subnets.cpu"]


def test_the_names_of_project_and_stack_are_not_judged_where_settings_give_others() -> None:
    long = "a" * 50
    assert list(name_problems(long, "prod", settings()))
    stack = settings(names={"pattern": CAF}, kubeflow={"dnsLabel": "team-ml"})
    assert list(name_problems(long, "prod", stack)) == []


@given(st.text(alphabet="ab0-_.A", max_size=70), st.sampled_from(["<type>-{}", "{}<type>", "{}-<type>-{}"]))
def test_every_pattern_gives_names_that_fit_or_a_message(text: str, form: str) -> None:
    pattern = form.replace("{}", text)
    assert refusals(names={"pattern": pattern}) in ([], ["names.pattern"])
