"""The steps of a preview on a copy of the simulated Azure; the change matrix holds what the whole program meets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.rpc import UNKNOWN

from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import TYPES
from kubeflow_aks.local_aks.engine import Step
from kubeflow_aks.local_aks.kubernetes_provider.file_cluster import FileCluster
from kubeflow_aks.pull_request.objects import Objects
from kubeflow_aks.pull_request.refusals import trial
from kubeflow_aks.recorder.stack_files import ENCRYPTED

GROUP, REGISTRY, IDENTITY = (
    f"azure-native:{name}"
    for name in (
        "resources:ResourceGroup",
        "containerregistry:Registry",
        "managedidentity:UserAssignedIdentity",
    )
)
TODAY = date(2026, 11, 22)
THERE: Mapping[str, Any] = {
    "resourceGroupName": "group",
    "registryName": "images",
    "location": "westeurope",
    "sku": {"name": "Standard"},
}
RETENTION = {"policies": {"retentionPolicy": {"days": 30, "status": "enabled"}}}


@pytest.fixture
def azure(tmp_path: Path) -> Path:
    """An Azure with a group and a registry in it."""
    state = AzureState(tmp_path / "azure")
    manager = ResourceManager(state, Timing(math.inf), lambda: TODAY)
    for token, inputs in (
        (GROUP, {"resourceGroupName": "group", "location": "westeurope"}),
        (REGISTRY, THERE),
    ):
        manager.put(TYPES[token], TYPES[token].id_of(inputs, "0"), dict(inputs))
    return state.root


def step(op: str, token: str, inputs: Mapping[str, Any], old: Mapping[str, Any] | None = None) -> Step:
    return Step(urn(token), token, op, inputs=inputs, old_inputs=old or {})


def urn(token: str) -> str:
    return f"urn:pulumi:demo::team::{token}::its-name"


def codes(azure: Path, steps: Sequence[Step], **dependencies: Sequence[str]) -> list[tuple[str, str]]:
    """Type and code of each refusal; `dependencies` are those of the registry."""
    goals = {
        urn(REGISTRY): {
            "dependencies": [one for of in dependencies.values() for one in of],
            "propertyDependencies": dependencies,
        }
    }
    return [(refusal.type, refusal.code) for refusal in trial(steps, goals, azure, TODAY).refused]


def test_an_update_is_refused_in_azures_words_and_nothing_has_changed(azure: Path) -> None:
    before = (azure / "resources.json").read_bytes()
    result = trial([step("update", REGISTRY, {**THERE, **RETENTION})], {}, azure, TODAY)
    [refusal] = result.refused
    assert (refusal.name, refusal.code, result.tried, result.untried) == ("its-name", "InvalidSku", 1, ())
    assert refusal.message.startswith("The SKU Standard of a registry does not support a retention policy")
    assert (azure / "resources.json").read_bytes() == before


def test_a_request_with_an_encrypted_value_is_sent_and_not_judged_tags_aside(azure: Path) -> None:
    wrong = {**THERE, "policies": {"retentionPolicy": {"days": 30, "status": ENCRYPTED}}}
    result = trial([step("update", REGISTRY, wrong)], {}, azure, TODAY)
    assert (result.refused, result.tried, result.untried) == ((), 0, ("its-name",))
    tagged = step("update", REGISTRY, {**THERE, **RETENTION, "tags": {"owner": ENCRYPTED}})
    assert codes(azure, [tagged]) == [(REGISTRY, "InvalidSku")]


def test_an_import_and_what_depends_on_it_are_not_tried(azure: Path) -> None:
    elsewhere = step("create", REGISTRY, {**THERE, "resourceGroupName": "of-others"})
    identity = step("create", IDENTITY, {"resourceGroupName": "of-others", "resourceName": "robot"})
    goals = {identity.urn: {"dependencies": [elsewhere.urn]}}
    assert [refusal.code for refusal in trial([elsewhere], goals, azure, TODAY).refused] == [
        "ResourceGroupNotFound"
    ]
    result = trial([elsewhere, identity], goals, azure, TODAY, imported={(REGISTRY, elsewhere.name)})
    assert (result.refused, result.tried, result.untried) == ((), 0, ("its-name",))


def test_what_azure_accepts_is_no_refusal(azure: Path) -> None:
    premium = {**THERE, "sku": {"name": "Premium"}}
    assert (
        codes(azure, [step("update", REGISTRY, premium), step("update", REGISTRY, {**premium, **RETENTION})])
        == []
    )


def test_what_is_there_already_can_not_be_created_but_replaced(azure: Path) -> None:
    create = step("create", REGISTRY, THERE)
    assert codes(azure, [create]) == [(REGISTRY, "")]
    gone = step("delete-replaced", REGISTRY, {}, THERE)
    assert codes(azure, [gone, step("create-replacement", REGISTRY, THERE)]) == []


def test_what_depends_on_a_refused_resource_is_not_tried_nor_is_anything_deleted(azure: Path) -> None:
    group = step("create", GROUP, {"resourceGroupName": "group", "location": "westeurope"})
    wrong = step("update", REGISTRY, {**THERE, **RETENTION})
    assert codes(azure, [group, wrong], resourceGroupName=[urn(GROUP)]) == [(GROUP, "")]
    assert codes(azure, [group, wrong]) == [(GROUP, ""), (REGISTRY, "InvalidSku")]
    delete = step("delete", GROUP, {}, {"resourceGroupName": "group"})
    assert codes(azure, [wrong, delete, step("create", REGISTRY, THERE)]) == [(REGISTRY, "InvalidSku")]


def test_what_can_not_be_deleted_is_not_created_again(azure: Path) -> None:
    wrong = step("update", REGISTRY, {**THERE, **RETENTION})
    group = {"resourceGroupName": "group", "location": "westeurope"}
    again = [step("delete-replaced", GROUP, {}, group), step("create-replacement", GROUP, group)]
    assert codes(azure, [wrong, *again]) == [(REGISTRY, "InvalidSku")]


def test_a_value_that_only_up_knows_stays_as_it_was_unless_its_resource_is_made_now(azure: Path) -> None:
    unknown = {**THERE, **RETENTION, "location": UNKNOWN}
    update = step("update", REGISTRY, unknown, THERE)
    assert codes(azure, [update], location=[urn(IDENTITY)]) == [(REGISTRY, "InvalidSku")]
    made = step("create", IDENTITY, {"resourceName": "new", "resourceGroupName": UNKNOWN})
    assert codes(azure, [made, update], location=[urn(IDENTITY)]) == []
    new = step("create", REGISTRY, {**unknown, "registryName": "others"})
    assert codes(azure, [new]) == []
    result = trial([new, step("update", GROUP, {"resourceGroupName": "group"})], {}, azure, TODAY)
    assert (result.refused, result.tried, result.untried) == ((), 1, ("its-name",))


def test_a_replacement_that_only_seems_to_be_one_is_not_sent(azure: Path) -> None:
    seems = Step(
        urn(REGISTRY),
        REGISTRY,
        "create-replacement",
        inputs={**THERE, "registryName": "automatic", "location": UNKNOWN, **RETENTION},
        old_inputs=THERE,
        differences={"location": "update-replace"},
    )
    assert codes(azure, [seems]) == []


SECRET, NAMESPACE = "kubernetes:core/v1:Secret", "kubernetes:core/v1:Namespace"
TOKEN: Mapping[str, Any] = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "token", "namespace": "default"},
}
OTHERS: Mapping[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "others"}}
INSIDE: Mapping[str, Any] = {**TOKEN, "metadata": {"name": "token", "namespace": "others"}}


@pytest.fixture
def cluster(tmp_path: Path) -> FileCluster:
    """A cluster with a secret in the namespace `default` and one in `others`."""
    made = FileCluster(tmp_path / "kubernetes.json")
    for obj in (TOKEN, OTHERS, INSIDE):
        made.create(dict(obj), "somebody")
    return made


def messages(cluster: FileCluster, tmp_path: Path, *steps: Step) -> list[str]:
    """What the API server says, of a stack that has nothing in Azure."""
    return [
        refusal.message for refusal in trial(steps, {}, tmp_path / "none", TODAY, cluster=cluster).refused
    ]


def test_an_object_that_is_there_can_not_be_created_but_replaced(
    cluster: FileCluster, tmp_path: Path
) -> None:
    create, delete = step("create", SECRET, TOKEN), step("delete", SECRET, {}, TOKEN)
    before = (tmp_path / "kubernetes.json").read_bytes()
    [refusal] = trial([create, delete], {}, tmp_path / "none", TODAY, cluster=cluster).refused
    assert (refusal.code, refusal.message) == ("AlreadyExists", 'secrets "token" already exists')
    again = step("delete-replaced", SECRET, {}, TOKEN), step("create-replacement", SECRET, TOKEN)
    assert messages(cluster, tmp_path, *again) == []
    assert (tmp_path / "kubernetes.json").read_bytes() == before


def test_two_new_objects_of_one_name_are_one_too_many(cluster: FileCluster, tmp_path: Path) -> None:
    new = {**TOKEN, "metadata": {"name": "new", "namespace": "of-juju"}}
    steps = [step("create", SECRET, new), step("create", SECRET, new)]
    assert messages(cluster, tmp_path, *steps) == ['secrets "new" already exists']
    patch = step("create", f"{SECRET}Patch", TOKEN)
    unknown = step("create", SECRET, {**TOKEN, "metadata": UNKNOWN})
    assert messages(cluster, tmp_path, patch, unknown) == []


def test_what_is_in_a_namespace_goes_with_it(cluster: FileCluster, tmp_path: Path) -> None:
    gone, made = step("delete-replaced", NAMESPACE, {}, OTHERS), step("create", SECRET, INSIDE)
    assert messages(cluster, tmp_path, made) == ['secrets "token" already exists']
    assert messages(cluster, tmp_path, gone, made) == []


def test_a_cluster_that_is_made_anew_is_empty(cluster: FileCluster) -> None:
    objects = Objects(cluster)
    assert objects.create(dict(TOKEN))
    objects.renew()
    assert not objects.create(dict(TOKEN))
    assert objects.create(dict(TOKEN))


def test_a_stack_without_resources_and_types_without_a_simulation_are_not_judged(
    azure: Path, tmp_path: Path
) -> None:
    assert codes(azure, [step("update", "random:index:RandomPet", {})]) == []
    (tmp_path / "nothing").mkdir()
    assert codes(tmp_path / "nothing", [step("update", REGISTRY, THERE)]) == []
