"""The whole stand-in over gRPC, against a small fake API server."""

import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from google.protobuf import empty_pb2
from pulumi.runtime import rpc as pulumi_rpc
from pulumi.runtime.proto import plugin_pb2, provider_pb2
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderServicer

from tests.local_aks.kubernetes_provider.engine import (
    IMPATIENT,
    Engine,
    Json,
    RefusedError,
    connected,
    console,
    provider,
)
from tests.local_aks.kubernetes_provider.fake_api import FakeApi, fake_api

URN = "urn:pulumi:dev::p::kubernetes:{}::{}"
JOB_PATH = "/apis/batch/v1/namespaces/default/jobs/j"
PATIENCE_SECONDS = 60
"""For what does come, on a slow machine too."""


REQUESTS = {
    "Attach": plugin_pb2.PluginAttach,
    "CheckConfig": provider_pb2.CheckRequest,
    "DiffConfig": provider_pb2.DiffRequest,
    "Handshake": provider_pb2.ProviderHandshakeRequest,
}
"""Messages that are not called after their method."""
_TEXT = {"type": "string"}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}
DEFINITIONS: Json = {
    "io.k8s.api.core.v1.ConfigMap": {
        "type": "object",
        "properties": {
            "apiVersion": _TEXT,
            "kind": _TEXT,
            "metadata": {
                "default": {},
                "allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}],
            },
            "data": _TEXTS,
            "binaryData": _TEXTS,
            "immutable": {"type": "boolean"},
        },
        "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "ConfigMap"}],
    },
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
        "type": "object",
        "properties": {"name": _TEXT, "namespace": _TEXT, "generateName": _TEXT, "annotations": _TEXTS},
    },
}
"""The part on a ConfigMap of an API server's OpenAPI document, in short."""


@pytest.fixture
def api() -> Iterator[FakeApi]:
    with fake_api() as running:
        yield running


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with provider() as running:
        yield running


@pytest.fixture
def engine(port: int, api: FakeApi) -> Iterator[Engine]:
    with connected(port) as connection:
        connection.configure(kubeconfig=api.kubeconfig)
        yield connection


def _config_map(name: str = "conf", **rest: object) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        **rest,
    }


def _job(**metadata: object) -> Json:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "default", **metadata},
    }


def _create(engine: Engine, obj: Json, type_: str = "core/v1:ConfigMap", **rest: object) -> Json:
    urn = URN.format(type_, "r")
    return engine.call("Create", {"urn": urn, "type": f"kubernetes:{type_}", "properties": obj, **rest})


def _refusal(engine: Engine, method: str, request: Json) -> RefusedError:
    with pytest.raises(RefusedError) as refusal:
        engine.call(method, request)
    assert refusal.value.code.name == "UNKNOWN"
    return refusal.value


CONFIG_MAP = {"urn": URN.format("core/v1:ConfigMap", "r"), "type": "kubernetes:core/v1:ConfigMap"}
JOB = {"urn": URN.format("batch/v1:Job", "j"), "type": "kubernetes:batch/v1:Job"}


def test_a_created_object_is_there(engine: Engine, api: FakeApi) -> None:
    answer = _create(engine, _config_map(data={"k": "v"}))
    assert answer["id"] == "default/conf"
    assert answer["properties"]["__inputs"] == _config_map(data={"k": "v"})
    assert api.objects["/api/v1/namespaces/default/configmaps/conf"]["data"] == {"k": "v"}


def test_an_object_that_exists_is_refused_and_left_alone(engine: Engine, api: FakeApi) -> None:
    _create(engine, _config_map(data={"k": "mine"}))
    with pytest.raises(
        RefusedError, match=r'configmaps "conf" already exists\n\nThe resource already exists'
    ) as refusal:
        _create(engine, _config_map(data={"k": "other"}))
    assert CONFIG_MAP["urn"] in str(refusal.value)
    assert refusal.value.partial is None
    assert api.objects["/api/v1/namespaces/default/configmaps/conf"]["data"] == {"k": "mine"}


def test_an_upserting_provider_takes_over_what_exists(port: int, api: FakeApi) -> None:
    with connected(port) as engine:
        engine.configure(kubeconfig=api.kubeconfig, upsertExistingObjects="true")
        _create(engine, _config_map(data={"k": "a"}))
        _create(engine, _config_map(data={"k": "b"}))
    assert api.objects["/api/v1/namespaces/default/configmaps/conf"]["data"] == {"k": "b"}


def test_a_preview_changes_nothing(engine: Engine, api: FakeApi) -> None:
    before = dict(api.objects)
    answer = _create(engine, _config_map(data={"k": "v"}), preview=True)
    assert "id" not in answer
    assert answer["properties"]["metadata"]["uid"] == "1"
    assert api.objects == before


@pytest.mark.parametrize(
    "obj",
    [
        _config_map(data={"k": pulumi_rpc.UNKNOWN}),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "later"}},
        {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x"}},
    ],
    ids=["unknown value", "namespace not there yet", "kind not there yet"],
)
def test_a_preview_that_cannot_know_answers_with_the_inputs(engine: Engine, obj: Json) -> None:
    assert _create(engine, obj, preview=True) == {"properties": obj}


def test_a_preview_of_a_replacement_answers_with_the_inputs(engine: Engine) -> None:
    _create(engine, _config_map())
    assert _create(engine, _config_map(data={"k": "new"}), preview=True) == {
        "properties": _config_map(data={"k": "new"})
    }


def test_an_unknown_kind_is_refused_by_name(engine: Engine) -> None:
    obj = {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "x", "namespace": "default"},
    }
    with pytest.raises(RefusedError, match=r'no matches for kind "Widget" in version "example\.com/v1"'):
        _create(engine, obj, "example.com/v1:Widget")


def test_a_missing_namespace_may_still_come(api: FakeApi) -> None:
    patient = replace(IMPATIENT, misordering_seconds=(0.02,) * 50)
    with provider(patient) as own_port, connected(own_port) as engine:
        engine.configure(kubeconfig=api.kubeconfig)
        api.afterwards["POST /api/v1/namespaces/late/configmaps"] = lambda: api.objects.update(
            {"/api/v1/namespaces/late": {"kind": "Namespace"}}
        )
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "late"}}
        assert _create(engine, obj)["id"] == "late/x"


def test_a_namespace_that_never_comes_is_an_error(engine: Engine) -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "never"}}
    with pytest.raises(RefusedError, match='namespaces "never" not found'):
        _create(engine, obj)


def test_a_patch_makes_what_is_not_there(engine: Engine, api: FakeApi) -> None:
    answer = _create(engine, _config_map(data={"k": "v"}), "core/v1:ConfigMapPatch")
    assert answer["id"] == "default/conf"
    assert "PATCH /api/v1/namespaces/default/configmaps/conf" in api.requests


def test_an_object_that_does_not_become_ready_is_kept_in_the_state(engine: Engine) -> None:
    job = _job()
    with pytest.raises(
        RefusedError, match="was successfully created, but the Kubernetes API server"
    ) as refusal:
        _create(engine, job, "batch/v1:Job", timeout=0.03)
    assert "'j' timed out waiting to be Ready" in str(refusal.value)
    partial = refusal.value.partial
    assert partial is not None
    assert partial["id"] == "default/j"
    assert partial["properties"]["__inputs"] == job
    assert any("Waiting for Job" in reason for reason in partial["reasons"])


def test_an_object_that_vanishes_while_waited_for_is_kept_in_the_state(engine: Engine, api: FakeApi) -> None:
    api.afterwards[f"GET {JOB_PATH}"] = lambda: api.objects.pop(JOB_PATH)
    with pytest.raises(RefusedError, match='jobs "j" not found') as refusal:
        _create(engine, _job(), "batch/v1:Job", timeout=PATIENCE_SECONDS)
    assert refusal.value.partial is not None
    assert refusal.value.partial["id"] == "default/j"


def test_a_job_that_completes_is_ready(engine: Engine, api: FakeApi) -> None:
    done = {"conditions": [{"type": "Complete", "status": "True"}]}
    api.afterwards[f"GET {JOB_PATH}"] = lambda: api.objects[JOB_PATH].update(status=done)
    live = _create(engine, _job(), "batch/v1:Job", timeout=PATIENCE_SECONDS)["properties"]
    assert live["status"] == done
    assert api.requests.count(f"GET {JOB_PATH}") == 2


def test_skip_await_does_not_wait(engine: Engine) -> None:
    job = _job(annotations={"pulumi.com/skipAwait": "true"})
    assert _create(engine, job, "batch/v1:Job")["id"] == "default/j"


def test_cancel_ends_the_waiting_of_its_own_connection_only(port: int, api: FakeApi) -> None:
    with connected(port) as waiting, connected(port) as other:
        waiting.configure(kubeconfig=api.kubeconfig)
        other.configure(kubeconfig=api.kubeconfig)
        api.afterwards[f"GET {JOB_PATH}"] = waiting.cancel
        with pytest.raises(RefusedError, match="Resource operation was cancelled for 'j'"):
            _create(waiting, _job(), "batch/v1:Job", timeout=PATIENCE_SECONDS)
        with pytest.raises(RefusedError, match="'i' timed out"):
            _create(other, _job(name="i"), "batch/v1:Job", timeout=0.03)


def test_two_providers_in_one_process_keep_their_own_cluster(port: int, api: FakeApi) -> None:
    with fake_api() as second, connected(port) as one, connected(port) as two:
        one.configure(kubeconfig=api.kubeconfig, namespace="n1")
        two.configure(kubeconfig=second.kubeconfig, namespace="n2")
        check = {
            **CONFIG_MAP,
            "name": "r",
            "news": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}},
        }
        namespaces = [e.call("Check", check)["inputs"]["metadata"]["namespace"] for e in (one, two, one)]
        assert namespaces == ["n1", "n2", "n1"]
        _create(two, _config_map())
    assert "/api/v1/namespaces/default/configmaps/conf" not in api.objects
    assert "/api/v1/namespaces/default/configmaps/conf" in second.objects


def test_a_new_connection_gets_nothing_of_another_ones_cluster(port: int, engine: Engine) -> None:
    _create(engine, _config_map())
    with connected(port) as stranger, pytest.raises(RefusedError, match="was not configured") as refusal:
        stranger.call("Read", {**CONFIG_MAP, "id": "default/conf", "inputs": _config_map()})
    assert refusal.value.code.name == "UNAUTHENTICATED"


def test_no_file_that_a_kubeconfig_names_is_read(port: int, api: FakeApi, tmp_path: Path) -> None:
    secret = tmp_path / "id_ed25519"
    secret.write_text("hunter2")
    config = json.loads(api.kubeconfig)
    config["users"][0]["user"] = {"tokenFile": str(secret)}
    with connected(port) as stranger:
        stranger.configure(kubeconfig=json.dumps(config))
        with pytest.raises(RefusedError, match=r"users\[0\]\.user\.tokenFile: .* is not allowed"):
            _create(stranger, _config_map())
    assert api.requests == []


def test_a_server_that_is_not_ours_gets_no_request(api: FakeApi) -> None:
    with provider(servers={"http://127.0.0.1:1"}) as port, connected(port) as stranger:
        stranger.configure(kubeconfig=api.kubeconfig)
        with pytest.raises(RefusedError, match=r"clusters\[0\]\.cluster\.server: .* is not allowed"):
            _create(stranger, _config_map())
    assert api.requests == []


def test_a_server_that_takes_connections_and_never_answers_is_waited_for_and_then_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, provider(answer_seconds=0.1) as port:
        config = FakeApi(port=silent.getsockname()[1]).kubeconfig
        with connected(port) as engine:
            engine.configure(kubeconfig=config)
            assert _create(engine, _config_map(), preview=True) == {"properties": _config_map()}
            with pytest.raises(RefusedError, match=r"cluster is unreachable.*timed out"):
                _create(engine, _config_map())


@pytest.mark.parametrize("method", [name for name in dir(ResourceProviderServicer) if name[0] != "_"])
def test_every_call_is_answered_or_refused_in_words(engine: Engine, method: str) -> None:
    request = REQUESTS.get(method) or getattr(provider_pb2, f"{method}Request", empty_pb2.Empty)
    assert "not implemented!" not in engine.ask(method, request())


def test_what_a_type_does_not_know_or_keeps_no_value_for_never_gets_into_the_inputs(
    engine: Engine, api: FakeApi
) -> None:
    api.openapi["/openapi/v3/api/v1"] = {"components": {"schemas": DEFINITIONS}}
    news = _config_map(data={"k": None, "v": ""}, binaryData={}, mistyped=1, immutable=False)
    news["metadata"] |= {"annotations": {"a": None}, "generateName": ""}
    checked = engine.call("Check", {**CONFIG_MAP, "name": "r", "news": news})["inputs"]
    expected = _config_map(data={"k": "", "v": ""}, immutable=False)
    expected["metadata"]["annotations"] = {"a": ""}
    assert checked == expected


def test_a_yaml_text_is_decoded_for_the_sdks_config_group(engine: Engine) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {since: 2026-11-22, on: x}\n---\n---\nkind: x\n"
    [obj] = engine.call("Invoke", {"tok": "kubernetes:yaml:decode", "args": {"text": text}})["return"][
        "result"
    ]
    assert obj["data"] == {"since": "2026-11-22", "true": "x"}
    placed = engine.call(
        "Invoke", {"tok": "kubernetes:yaml:decode", "args": {"text": text, "defaultNamespace": "n"}}
    )["return"]["result"]
    assert placed[0]["metadata"] == {"name": "a", "namespace": "n"}


def test_text_that_is_no_yaml_is_refused(engine: Engine) -> None:
    assert "decoding YAML" in str(
        _refusal(engine, "Invoke", {"tok": "kubernetes:yaml:decode", "args": {"text": "a: [b"}})
    )


@pytest.mark.parametrize(
    ("type_", "inputs", "words"),
    [
        ("kubernetes:yaml/v2:ConfigFile", {"file": "x"}, '"kubernetes:yaml/v2:ConfigFile" is not allowed'),
        ("kubernetes:helm.sh/v4:Chart", {}, '"kubernetes:helm.sh/v4:Chart" is not allowed'),
        (
            "kubernetes:yaml/v2:ConfigGroup",
            {"files": ["/etc/passwd"]},
            "files: a file or an address is not allowed",
        ),
    ],
)
def test_components_the_stand_in_does_not_do_are_refused_by_name(
    engine: Engine, type_: str, inputs: Json, words: str
) -> None:
    request = {"type": type_, "name": "x", "inputs": inputs, "monitorEndpoint": "127.0.0.1:1"}
    assert words in str(_refusal(engine, "Construct", request))


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        (
            "policy/v1beta1:PodDisruptionBudget",
            'was removed in Kubernetes 1.25. Use "policy/v1/PodDisruptionBudget" instead.',
        ),
        (
            "flowcontrol.apiserver.k8s.io/v1beta3:FlowSchema",
            'was removed in Kubernetes 1.32. Use "flowcontrol.apiserver.k8s.io/v1/FlowSchema" instead.',
        ),
        ("core/v1:Endpoints", ""),
    ],
)
def test_a_version_that_kubernetes_gave_up_is_warned_of(engine: Engine, type_: str, words: str) -> None:
    api_version, kind = type_.removeprefix("core/").split(":")
    with console() as shown:
        engine.attach(shown.address)
        obj = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "namespace": "default"}}
        urn = URN.format(type_, "x")
        engine.call("Check", {"urn": urn, "type": f"kubernetes:{type_}", "name": "x", "news": obj})
    assert [line.urn for line in shown.lines] == ([urn] if words else [])
    assert all(words in line.message for line in shown.lines)


def test_the_error_of_a_removed_kind_names_its_replacement(engine: Engine) -> None:
    obj = {
        "apiVersion": "batch/v1beta1",
        "kind": "CronJob",
        "metadata": {"name": "x", "namespace": "default"},
    }
    with pytest.raises(
        RefusedError, match=r'was removed in Kubernetes 1\.25\. Use "batch/v1/CronJob" instead'
    ):
        _create(engine, obj, "batch/v1beta1:CronJob")


def test_read_sees_a_change_made_by_hand(engine: Engine, api: FakeApi) -> None:
    state = _create(engine, _config_map(data={"k": "v"}))["properties"]
    api.objects["/api/v1/namespaces/default/configmaps/conf"]["data"]["k"] = "by hand"
    read = {**CONFIG_MAP, "id": "default/conf", "properties": state, "inputs": state["__inputs"]}
    answer = engine.call("Read", read)
    assert answer["inputs"] == _config_map(data={"k": "by hand"})
    assert answer["properties"]["__fieldManager"] == state["__fieldManager"]


def test_read_of_a_deleted_object_is_empty(engine: Engine) -> None:
    assert engine.call("Read", {**CONFIG_MAP, "id": "default/gone", "inputs": _config_map("gone")}) == {}


def test_an_import_gets_its_inputs_from_the_live_object(engine: Engine, api: FakeApi) -> None:
    api.objects["/api/v1/namespaces/default/configmaps/conf"] = _config_map(
        data={"k": "v"}, metadata={"name": "conf", "namespace": "default", "uid": "1", "resourceVersion": "2"}
    )
    assert engine.call("Read", {**CONFIG_MAP, "id": "default/conf"})["inputs"] == _config_map(data={"k": "v"})


def test_an_object_that_is_not_ready_shows_in_a_refresh(engine: Engine, api: FakeApi) -> None:
    api.objects["/apis/batch/v1/namespaces/default/jobs/j"] = _job()
    refusal = _refusal(engine, "Read", {**JOB, "id": "default/j", "properties": _job(), "inputs": _job()})
    assert refusal.partial is not None
    assert refusal.partial["inputs"] == _job()


def test_a_deleted_object_is_gone(engine: Engine, api: FakeApi) -> None:
    state = _create(engine, _config_map())["properties"]
    assert engine.call("Delete", {**CONFIG_MAP, "id": "default/conf", "properties": state}) == {}
    assert "/api/v1/namespaces/default/configmaps/conf" not in api.objects


def test_deleting_what_is_gone_is_fine(engine: Engine) -> None:
    assert (
        engine.call("Delete", {**CONFIG_MAP, "id": "default/gone", "properties": _config_map("gone")}) == {}
    )


def test_an_object_that_does_not_go_stays_in_the_state(engine: Engine, api: FakeApi) -> None:
    state = _create(engine, _config_map())["properties"]
    api.stuck = True
    request = {**CONFIG_MAP, "id": "default/conf", "properties": state, "timeout": 0.03}
    refusal = _refusal(engine, "Delete", request)
    assert str(refusal) == "timed out waiting for the condition"
    assert refusal.partial is not None
    assert refusal.partial["id"] == "default/conf"


def test_an_update_of_a_deleted_object_reports_it_missing(engine: Engine) -> None:
    state = {"__inputs": _config_map("gone"), **_config_map("gone")}
    request = {
        **CONFIG_MAP,
        "id": "default/gone",
        "olds": state,
        "news": _config_map("gone", data={"k": "v"}),
    }
    assert 'configmaps "gone" not found' in str(_refusal(engine, "Update", request))


def test_secrets_come_back_secret(engine: Engine) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s", "namespace": "default"},
        "data": {"k": "dg=="},
    }
    answer = _create(engine, secret, "core/v1:Secret")["properties"]
    assert pulumi_rpc.is_rpc_secret(answer["data"])
    assert pulumi_rpc.is_rpc_secret(answer["__inputs"]["data"])


def test_invokes_are_refused_by_name(engine: Engine) -> None:
    assert str(_refusal(engine, "Invoke", {"tok": "kubernetes:helm:template"})) == (
        'unknown Invoke type "kubernetes:helm:template"'
    )


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        ("kubernetes:helm.sh/v3:Release", "does not do Helm"),
        ("kubernetes:yaml:ConfigFile", "is not a type of a Kubernetes object"),
        ("kubernetes:core/v1:ConfigMapList", "Use the underlying resource type"),
        ("azure-native:containerservice:AgentPool", "is not a type of a Kubernetes object"),
    ],
)
def test_types_the_stand_in_does_not_do_are_refused_by_name(engine: Engine, type_: str, words: str) -> None:
    refusal = str(_refusal(engine, "Check", {"urn": URN.format("x", "y"), "type": type_, "news": {}}))
    assert words in refusal
    assert type_ in refusal


@pytest.fixture
def unreachable(port: int) -> Iterator[Engine]:
    with connected(port) as connection:
        connection.configure(kubeconfig=_dead_kubeconfig())
        yield connection


def test_an_unreachable_cluster_does_not_stop_a_preview(unreachable: Engine) -> None:
    assert _create(unreachable, _config_map(), preview=True) == {"properties": _config_map()}
    update = {**CONFIG_MAP, "id": "default/conf", "news": _config_map(), "olds": {}, "preview": True}
    assert unreachable.call("Update", update) == {"properties": _config_map()}


def test_an_unreachable_cluster_still_knows_which_kinds_have_a_namespace(unreachable: Engine) -> None:
    for type_, namespaced in (("core/v1:ConfigMap", True), ("storage.k8s.io/v1:StorageClass", False)):
        news = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "x"}}
        request = {"urn": URN.format(type_, "x"), "type": f"kubernetes:{type_}", "news": news}
        assert ("namespace" in unreachable.call("Check", request)["inputs"]["metadata"]) is namespaced


def test_an_unreachable_cluster_stops_an_up(unreachable: Engine) -> None:
    with pytest.raises(RefusedError, match="configured Kubernetes cluster is unreachable"):
        _create(unreachable, _config_map())


@pytest.mark.parametrize("method", ["Read", "Delete"])
def test_an_unreachable_cluster_stops_refresh_and_destroy_with_the_way_out(
    unreachable: Engine, method: str
) -> None:
    request = {**CONFIG_MAP, "id": "default/conf", "properties": _config_map()}
    assert "PULUMI_K8S_DELETE_UNREACHABLE" in str(_refusal(unreachable, method, request))


@pytest.mark.parametrize("method", ["Read", "Delete"])
def test_an_unreachable_cluster_is_forgotten_on_request(port: int, method: str) -> None:
    with connected(port) as engine:
        engine.configure(kubeconfig=_dead_kubeconfig(), deleteUnreachable="true")
        assert engine.call(method, {**CONFIG_MAP, "id": "default/conf", "properties": _config_map()}) == {}


def test_an_unreachable_cluster_is_skipped_on_request(port: int) -> None:
    with connected(port) as engine:
        engine.configure(kubeconfig=_dead_kubeconfig(), skipUpdateUnreachable="true")
        read = {"id": "default/conf", "properties": _config_map(), "inputs": _config_map()}
        assert engine.call("Read", CONFIG_MAP | read) == read
        check = {
            **CONFIG_MAP,
            "olds": _config_map(data={"k": "old"}),
            "news": _config_map(data={"k": "new"}),
        }
        assert engine.call("Check", check)["inputs"] == _config_map(data={"k": "old"})


def test_an_unreachable_cluster_never_shows_its_credentials(unreachable: Engine) -> None:
    with pytest.raises(RefusedError) as refusal:
        _create(unreachable, _config_map())
    assert "s3cr3t" not in str(refusal.value)


def _dead_kubeconfig() -> str:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        config = json.loads(FakeApi(port=closed.getsockname()[1]).kubeconfig)
    return json.dumps(config)
