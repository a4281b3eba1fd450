"""The plan document: its schema, its order, what it masks, and the pools it reads from the resources."""

import copy
import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from kubeflow_aks.recorder.answers import JUJU_TOKEN
from kubeflow_aks.recorder.document import SCHEMA, SECRET, PlanDocument, Pool, plan_document, to_json
from kubeflow_aks.recorder.run import Record, record
from tests.preview.conftest import DAY

VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def mistakes(document: Any) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(document)]  # pyright: ignore[reportUnknownMemberType]


def pool_inputs(recorded: Record, name: str) -> dict[str, Any]:
    return next(r for r in recorded.resources.values() if r.inputs.get("agentPoolName") == name).inputs


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_a_preview_fits_the_schema(document: PlanDocument) -> None:
    assert mistakes(json.loads(to_json(document))) == []


def test_an_up_fits_the_schema(created: PlanDocument) -> None:
    assert mistakes(json.loads(to_json(created))) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 2),
        ("resources", {}),
        ("pools", [{"name": "x"}]),
        ("secretOutputs", ["a", "a"]),
        ("surprise", 1),
    ],
)
def test_the_schema_refuses_another_form(document: PlanDocument, key: str, value: object) -> None:
    assert mistakes({**document, key: value})


@pytest.mark.parametrize(("name", "price"), [("cpuspot", None), ("general", -1)])
def test_the_schema_refuses_a_price_where_none_belongs(
    document: PlanDocument, name: str, price: float | None
) -> None:
    wrong = copy.deepcopy(document)
    next(pool for pool in wrong["pools"] if pool["name"] == name)["maxPrice"] = price
    assert mistakes(wrong)


def test_no_secret_is_in_the_text(created: PlanDocument) -> None:
    text = to_json(created)
    assert JUJU_TOKEN not in text
    assert "recorded-kubeconfig-token" not in text


def test_a_secret_output_is_masked_and_listed(created: PlanDocument) -> None:
    assert created["outputs"]["kubeconfig"] == created["outputs"]["jujuToken"] == SECRET
    assert created["secretOutputs"] == ["jujuToken", "kubeconfig"]


def test_a_secret_input_is_masked_and_listed(document: PlanDocument) -> None:
    provider = next(item for item in document["resources"] if item["type"] == "pulumi:providers:kubernetes")
    assert provider["inputs"]["kubeconfig"] == SECRET
    assert provider["secretInputs"] == ["kubeconfig"]


def test_a_secret_inside_a_list_is_masked_alone(recorded: Record) -> None:
    changed = replace(
        recorded,
        outputs={
            "users": [{"name": "a", "token": "hidden"}],
            "poolContract": recorded.outputs["poolContract"],
        },
        secret_outputs=frozenset({"users[0].token"}),
    )
    assert plan_document(changed)["outputs"]["users"] == [{"name": "a", "token": SECRET}]


def test_an_unknown_value_is_null_and_listed(document: PlanDocument) -> None:
    cluster = next(item for item in document["resources"] if item["type"].endswith(":ManagedCluster"))
    assert cluster["inputs"]["agentPoolProfiles"][0]["vnetSubnetID"] is None
    assert "agentPoolProfiles[0].vnetSubnetID" in cluster["unknownInputs"]
    assert document["outputs"]["fqdn"] is None
    assert "fqdn" in document["unknownOutputs"]


def test_an_up_leaves_nothing_unknown(created: PlanDocument) -> None:
    assert created["unknownOutputs"] == []
    assert [item["unknownInputs"] for item in created["resources"] if item["unknownInputs"]] == []


def test_resources_stand_by_urn_and_pools_as_they_are_made(document: PlanDocument) -> None:
    urns = [item["urn"] for item in document["resources"]]
    assert urns == sorted(urns)
    names = [pool["name"] for pool in document["pools"]]
    assert names == ["system", "general", "cpuspot", "cpuod", "gpuspot", "gpuod"]


def test_the_order_of_registration_does_not_show(recorded: Record) -> None:
    turned = replace(
        recorded,
        resources=dict(reversed(recorded.resources.items())),
        outputs=dict(reversed(recorded.outputs.items())),
    )
    assert to_json(plan_document(turned)) == to_json(plan_document(recorded))


def test_a_second_run_gives_the_same_bytes(document: PlanDocument) -> None:
    again = record("dev", preview=True, extra=DAY)
    assert to_json(plan_document(again)) == to_json(document)


def test_every_dependency_and_parent_is_in_the_document(document: PlanDocument) -> None:
    urns = {item["urn"] for item in document["resources"]} | {
        "urn:pulumi:dev::kubeflow-aks::pulumi:pulumi:Stack::kubeflow-aks-dev"
    }
    named = {urn for item in document["resources"] for urn in [*item["dependsOn"], item["parent"]]}
    assert named <= urns


def test_a_provider_is_named_by_its_urn(document: PlanDocument) -> None:
    urns = {item["urn"] for item in document["resources"]}
    providers = {
        item["options"]["provider"] for item in document["resources"] if "provider" in item["options"]
    }
    assert providers
    assert providers <= urns


def test_a_spot_pool_is_what_its_resource_says(pools: dict[str, Pool], recorded: Record) -> None:
    inputs = pool_inputs(recorded, "cpuspot")
    pool = pools["cpuspot"]
    assert (pool["role"], pool["priority"], pool["evictionPolicy"], pool["maxPrice"]) == (
        "cpu",
        "Spot",
        "Delete",
        -1,
    )
    assert (pool["min"], pool["max"]) == (inputs["minCount"], inputs["maxCount"])
    assert pool["osDisk"] == {"type": "Ephemeral", "sizeGib": inputs["osDiskSizeGB"]}
    assert pool["labels"] == inputs["nodeLabels"]
    assert pool["taints"] == ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"]


def test_a_regular_pool_has_no_price_and_no_eviction(pools: dict[str, Pool]) -> None:
    general = pools["general"]
    assert (general["priority"], general["evictionPolicy"], general["maxPrice"]) == ("Regular", None, None)


def test_a_fallback_names_its_spot_pool(pools: dict[str, Pool]) -> None:
    assert {name: pool["fallbackOf"] for name, pool in pools.items() if pool["fallbackOf"]} == {
        "cpuod": "cpuspot",
        "gpuod": "gpuspot",
    }


def test_a_pool_that_the_contract_does_not_name_is_refused(recorded: Record) -> None:
    contract = [entry for entry in recorded.outputs["poolContract"] if entry["name"] != "gpuod"]
    changed = replace(recorded, outputs={**recorded.outputs, "poolContract": contract})
    with pytest.raises(LookupError, match="gpuod"):
        plan_document(changed)


def test_a_program_without_a_cluster_has_no_pools(recorded: Record) -> None:
    empty = replace(recorded, resources={}, outputs={})
    assert plan_document(empty)["pools"] == []
