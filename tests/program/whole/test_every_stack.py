"""Every stack file loads, passes every rule, and registers what the SDKs know."""

from datetime import date
from typing import Any

import pytest
import yaml

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import Record
from kubeflow_aks.recorder.sdk_types import check_resource
from program.planning import plan
from tests.program.whole.records import AS_OF, CLUSTER, POOL, SHIPPED, STACKS, recorded


def test_the_shipped_stacks_are_there() -> None:
    assert set(SHIPPED) <= set(STACKS)


def test_a_stack_makes_one_cluster_and_its_pools(up: Record) -> None:
    pools = [pool["name"] for pool in up.outputs["poolContract"]]
    assert up.one(CLUSTER)
    assert sorted(pool.inputs["agentPoolName"] for pool in up.of(POOL)) == sorted(pools)


def test_every_input_is_one_the_sdks_know(up: Record) -> None:
    made = [
        resource
        for resource in up.resources.values()
        if resource.custom and ":providers:" not in resource.type
    ]
    assert [mistake for resource in made for mistake in check_resource(resource.type, resource.inputs)] == []


def test_every_input_is_known_to_the_sdks_in_a_preview_as_well(preview: Record) -> None:
    made = [resource for resource in preview.resources.values() if resource.custom]
    checked = [resource for resource in made if ":providers:" not in resource.type]
    assert [
        mistake for resource in checked for mistake in check_resource(resource.type, resource.inputs)
    ] == []


@pytest.mark.parametrize("stack", STACKS)
def test_a_preview_registers_exactly_what_an_up_registers(stack: str) -> None:
    assert set(recorded(stack, preview=True).resources) == set(recorded(stack).resources)


@pytest.mark.parametrize("stack", STACKS)
def test_a_preview_has_the_options_and_secrets_of_an_up(stack: str) -> None:
    def inputs_of(recording: Record) -> dict[str, Any]:
        return {
            urn: (resource.parent, resource.secret_inputs, {**resource.options, "provider": None})
            for urn, resource in recording.resources.items()
        }

    assert inputs_of(recorded(stack, preview=True)) == inputs_of(recorded(stack))


@pytest.mark.parametrize("stack", STACKS)
def test_a_preview_waits_for_nothing_that_an_up_does_not_wait_for(stack: str) -> None:
    up = recorded(stack).resources
    for urn, resource in recorded(stack, preview=True).resources.items():
        assert set(resource.depends_on) <= set(up[urn].depends_on)


def test_a_preview_knows_every_pool(preview: Record) -> None:
    for pool in preview.of(POOL):
        assert pool.unknown_inputs <= {"resourceName", "resourceGroupName", "vnetSubnetID"}


def test_a_stack_asks_azure_for_one_kubeconfig(up: Record) -> None:
    assert [token.rpartition(":")[2] for token in up.invokes] in (
        ["listManagedClusterAdminCredentials"],
        ["listManagedClusterUserCredentials"],
    )


def test_a_preview_asks_azure_for_nothing(preview: Record) -> None:
    assert preview.invokes == ()


def test_warnings_of_the_plan_are_logged(dev: Record) -> None:
    logged = [message for message in dev.messages if not message.startswith("asOf")]  # the tests' own day
    system, saving = logged
    assert saving.startswith(
        "pools.gpuspot: on 2026-08-03 Standard_NC4as_T4_v3 cost 0.5714 USD an hour as spot"
    )
    assert system.startswith("systemPool.minCount is 1: fine for a trial")


PRICE = {"Standard_NC4as_T4_v3": {"spot": 0.1, "asOf": AS_OF}}
MINE = "20.50.60.0/24"
ADVICE: dict[str, dict[str, Any]] = {
    "demo": {"systemPool": {"minCount": 2}, "cost": {"prices": PRICE}},
    "dev": {"systemPool": {"minCount": 2, "maxCount": 2}, "cost": {"prices": PRICE}},
    "prod": {
        "apiAccess": {
            "authorizedIpRanges": [MINE],
            "runCommand": False,
            "localAccounts": False,
            "adminGroupObjectIds": ["5c2bd1e7-4c1f-4f0a-9b39-6f1f3a1f7a10"],
        },
        "registry": {"sku": "Premium", "retentionDays": 30, "authorizedIpRanges": [MINE]},
        "vmSizes": {"Standard_NC24ads_A100_v4": {"encryptionAtHost": True}},
        "cost": {"prices": PRICE},
    },
}
"""What the warnings of a stack say to do."""


def warnings_of(stack: str, **changed: Any) -> tuple[str, ...]:
    text = (PROJECT_ROOT / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    values = {key.partition(":")[2]: value for key, value in yaml.safe_load(text)["config"].items()}
    day = date.fromisoformat(AS_OF)
    return plan({**values, **changed}, project="kubeflow-aks", stack=stack, today=day).warnings


@pytest.mark.parametrize("stack", SHIPPED)
def test_who_does_what_the_warnings_say_has_none_left(stack: str) -> None:
    assert warnings_of(stack)
    assert warnings_of(stack, **ADVICE[stack]) == ()
