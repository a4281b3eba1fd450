"""What a stack tells people and the next tools."""

import json

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import Record
from tests.program.whole.records import CLUSTER, GROUP, pool_contract, recorded, without_gpus


def test_the_outputs_are_these(up: Record) -> None:
    collects = {"logWorkspace"} if up.of("azure-native:monitor:DiagnosticSetting") else set[str]()
    assert set(up.outputs) - collects == {
        "clusterName",
        "resourceGroup",
        "fqdn",
        "kubeconfig",
        "poolContract",
        "vcpuQuota",
        "costBasis",
        "clusterBasis",
        "registryId",
        "jujuEndpoint",
        "jujuCaCertificate",
        "jujuToken",
        "storageClass",
        "checkpointClass",
        "ingressFqdn",
        "ingressAnnotations",
    }


def test_cluster_and_group_are_outputs_by_their_physical_names(up: Record) -> None:
    assert up.outputs["clusterName"] == up.one(CLUSTER).inputs["resourceName"]
    assert up.outputs["resourceGroup"] == up.one(GROUP).inputs["resourceGroupName"]


def test_juju_gets_to_know_where_the_api_server_is(dev: Record) -> None:
    assert (dev.outputs["jujuEndpoint"], dev.outputs["jujuCaCertificate"]) == (
        "https://aks.example.invalid:443",
        "CA\n",
    )


def test_the_contract_in_the_cluster_is_the_contract_of_the_stack(up: Record) -> None:
    assert json.loads(pool_contract(up).inputs["data"]["pools.json"]) == up.outputs["poolContract"]


def test_the_packages_sample_is_what_a_stack_with_defaults_tells(dev: Record) -> None:
    sample = json.loads(
        (PROJECT_ROOT / "packages/ckf-spot/src/ckf_spot/sample_pools.json").read_text(encoding="utf-8")
    )
    assert dev.outputs["poolContract"] == sample


def test_the_ingress_annotations_name_our_address_and_its_label(dev: Record) -> None:
    prefix = "service.beta.kubernetes.io/azure"
    assert dev.outputs["ingressAnnotations"] == {
        f"{prefix}-load-balancer-resource-group": "kubeflow-aks-dev",
        f"{prefix}-pip-name": "kubeflow-aks-dev-ingress",
        f"{prefix}-dns-label-name": dev.outputs["ingressFqdn"].partition(".")[0],
    }


def test_a_dns_label_that_a_stack_asks_for_is_that_of_the_ingress() -> None:
    assert without_gpus().outputs["ingressFqdn"] == "our-kubeflow.westeurope.cloudapp.azure.com"


def test_without_local_accounts_kubelogin_signs_in(up: Record) -> None:
    local = not up.one(CLUSTER).inputs["disableLocalAccounts"]
    admin = [token for token in up.invokes if token.endswith("AdminCredentials")]
    assert bool(admin) == local


def test_a_preview_knows_the_contract(preview: Record) -> None:
    assert preview.outputs["poolContract"] == recorded(preview.stack).outputs["poolContract"]
