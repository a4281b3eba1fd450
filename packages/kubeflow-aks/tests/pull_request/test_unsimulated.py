"""What no stand-in knows is shown from the plan, and noted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from kubeflow_aks.local_aks.protocol import wire
from kubeflow_aks.local_aks.protocol.server import serve
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.pull_request import serving
from kubeflow_aks.pull_request.stand_ins import StandInRequest, StandIns
from kubeflow_aks.pull_request.unsimulated import TypeFile, Unsimulated

VAULT = "azure-native:keyvault:Vault"
GROUP = "azure-native:resources:ResourceGroup"
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "hidden"}


def _urn(token: str) -> str:
    return f"urn:pulumi:dev::kubeflow::{token}::thing"


def _struct(values: dict[str, Any]) -> Any:
    return wire.encode(values)


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.at(tmp_path / "run")


@pytest.fixture
def ports(run: RunDirectory) -> Iterator[dict[str, int]]:
    servers = serving.serve(StandInRequest.of(run, date(2026, 11, 22), None))
    yield {package: server.port for package, server in servers.items()}
    for server in servers.values():
        server.stop(0)


@pytest.fixture
def azure(run: RunDirectory, ports: dict[str, int]) -> Iterator[Any]:
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"127.0.0.1:{ports['azure-native']}", options=options) as channel:
        stub: Any = provider_pb2_grpc.ResourceProviderStub(channel)
        token = _struct({"clientSecret": run.azure_token(), "location": "swedencentral"})
        stub.Configure(provider_pb2.ConfigureRequest(args=token))
        yield stub


def _diff(azure: Any, old: dict[str, Any], new: dict[str, Any]) -> provider_pb2.DiffResponse:
    request = provider_pb2.DiffRequest(
        urn=_urn(VAULT), type=VAULT, old_inputs=_struct(old), news=_struct(new), olds=_struct(old)
    )
    return azure.Diff(request)


def test_every_package_of_the_environment_is_served(ports: dict[str, int]) -> None:
    assert sorted(ports) == ["azure-native", "kubernetes"]


def test_a_type_that_our_table_lacks_is_stored_and_recorded(azure: Any, run: RunDirectory) -> None:
    inputs = _struct({"vaultName": "v", "tags": {"a": "b"}})
    checked = azure.Check(provider_pb2.CheckRequest(urn=_urn(VAULT), type=VAULT, news=inputs))
    assert checked.inputs == inputs
    assert not checked.failures
    created = azure.Create(provider_pb2.CreateRequest(urn=_urn(VAULT), type=VAULT, properties=inputs))
    outputs = wire.decode(created.properties)
    assert created.id
    assert outputs["vaultName"] == "v"
    assert outputs["name"] == "thing"  # a text of the SDK's that no input says
    assert StandIns({}, run).not_simulated() == (VAULT,)


def test_a_preview_leaves_unknown_what_only_azure_knows(azure: Any) -> None:
    inputs = _struct({"vaultName": "v"})
    request = provider_pb2.CreateRequest(urn=_urn(VAULT), type=VAULT, properties=inputs, preview=True)
    assert azure.Create(request) == provider_pb2.CreateResponse(properties=inputs)


def test_what_was_made_up_stays_when_it_is_updated(azure: Any) -> None:
    inputs = _struct({"vaultName": "v"})
    created = azure.Create(provider_pb2.CreateRequest(urn=_urn(VAULT), type=VAULT, properties=inputs))
    for preview in (True, False):
        request = provider_pb2.UpdateRequest(
            urn=_urn(VAULT), type=VAULT, olds=created.properties, news=inputs, preview=preview
        )
        assert azure.Update(request).properties == created.properties


def test_its_changes_are_those_of_its_inputs(azure: Any) -> None:
    same = {"vaultName": "v", "tags": {"a": "b"}}
    assert _diff(azure, same, same).changes == provider_pb2.DiffResponse.DIFF_NONE
    answer = _diff(azure, same, {"vaultName": "v", "tags": {}})
    assert json_format.MessageToDict(answer)["detailedDiff"] == {
        "tags.a": {"kind": "DELETE", "inputDiff": True}
    }
    assert not answer.replaces


@pytest.mark.parametrize("part", ["resourceGroupName", "vaultName", "location"])
def test_a_part_of_its_id_makes_another_resource_of_it(azure: Any, part: str) -> None:
    answer = _diff(azure, {part: "v"}, {part: "w"})
    assert list(answer.replaces) == [part]
    assert answer.deleteBeforeReplace


def test_what_the_table_has_is_judged_as_ever(azure: Any, run: RunDirectory) -> None:
    news = _struct({"resourceGroupName": "group", "mistyped": 1})
    checked = azure.Check(provider_pb2.CheckRequest(urn=_urn(GROUP), type=GROUP, news=news))
    assert [failure.reason for failure in checked.failures] == ["'mistyped': unknown property"]
    assert StandIns({}, run).not_simulated() == ()


def test_a_function_that_nobody_knows_is_answered_with_made_up_texts(azure: Any, run: RunDirectory) -> None:
    type_ = "azure-native:network:getSubnet"
    request = provider_pb2.InvokeRequest(tok=type_, args=_struct({"subnetName": "s"}))
    answer = wire.decode(getattr(azure.Invoke(request), "return"))
    assert answer["name"] == "getSubnet"
    assert answer["id"] == "getSubnet-id"
    assert "addressPrefixes" not in answer  # a list
    assert StandIns({}, run).not_simulated() == (type_,)
    request = provider_pb2.InvokeRequest(tok="azure-native:nothing:getNothing")
    assert wire.decode(getattr(azure.Invoke(request), "return")) == {}


def test_a_function_that_is_known_is_answered_by_azure(azure: Any, run: RunDirectory) -> None:
    request = provider_pb2.InvokeRequest(tok="azure-native:authorization:getClientConfig")
    assert "tenantId" in wire.decode(getattr(azure.Invoke(request), "return"))
    assert StandIns({}, run).not_simulated() == ()


def test_a_custom_resource_without_its_definition_is_shown_from_the_plan(
    ports: dict[str, int], run: RunDirectory
) -> None:
    type_ = "kubernetes:kubeflow.org/v1:Profile"
    with grpc.insecure_channel(f"127.0.0.1:{ports['kubernetes']}") as channel:
        stub: Any = provider_pb2_grpc.ResourceProviderStub(channel)
        profile = _struct({"kind": "Profile", "apiVersion": "kubeflow.org/v1", "metadata": {"name": "team"}})
        checked = stub.Check(provider_pb2.CheckRequest(urn=_urn(type_), type=type_, news=profile))
    assert checked.inputs == profile
    assert StandIns({}, run).not_simulated() == (type_,)


def test_what_is_noted_stays_with_the_state(tmp_path: Path) -> None:
    file = tmp_path / "noted"
    TypeFile(file).add("b:c:D")
    TypeFile(file).add("a:b:C")
    TypeFile(file).add("b:c:D")
    assert file.read_text() == "b:c:D\na:b:C\n"


def test_any_package_keeps_secrets_as_they_came(tmp_path: Path) -> None:
    server = serve(Unsimulated("random", "4.0.0", TypeFile(tmp_path / "noted")))
    type_ = "random:index/randomPassword:RandomPassword"
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub: Any = provider_pb2_grpc.ResourceProviderStub(channel)
        assert stub.Configure(provider_pb2.ConfigureRequest()).acceptSecrets
        inputs = _struct({"length": 3, "keepers": SECRET})
        created = stub.Create(provider_pb2.CreateRequest(urn=_urn(type_), type=type_, properties=inputs))
    server.stop(0)
    assert created.properties == inputs
