"""The whole stand-in over gRPC, against a small fake API server."""

import json
import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest
from pulumi.runtime import rpc as pulumi_rpc

from local_aks.kubernetes_provider import serve
from tests.local_aks.kubernetes_provider.engine import (
    IMPATIENT,
    Engine,
    Json,
    RefusedError,
    connected,
    provider,
)
from tests.local_aks.kubernetes_provider.fake_api import FakeApi, fake_api

URN = "urn:pulumi:dev::p::kubernetes:{}::{}"
JOB_PATH = "/apis/batch/v1/namespaces/default/jobs/j"
PATIENCE_SECONDS = 60
"""For what does come, on a slow machine too."""


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


def test_a_new_connection_gets_the_last_configuration(port: int, engine: Engine) -> None:
    _create(engine, _config_map())
    with connected(port) as reconnected:
        read = {**CONFIG_MAP, "id": "default/conf", "inputs": _config_map()}
        assert reconnected.call("Read", read)["id"] == "default/conf"


def test_nothing_works_before_configure() -> None:
    with provider() as port, connected(port) as engine:
        assert "was not configured" in str(
            _refusal(engine, "Check", {**CONFIG_MAP, "name": "r", "news": _config_map()})
        )


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
    assert "'conf' timed out waiting for deletion of v1/ConfigMap" in str(refusal)
    assert refusal.partial is not None
    assert refusal.partial["id"] == "default/conf"


def test_an_update_of_a_deleted_object_says_so(engine: Engine) -> None:
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


def test_a_taken_port_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port} on 127.0.0.1 is taken"):
            serve(port)


def test_a_stopped_server_frees_its_port() -> None:
    server = serve()
    server.stop(0)
    serve(server.port).stop(0)


def _dead_kubeconfig() -> str:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        config = json.loads(FakeApi(port=closed.getsockname()[1]).kubeconfig)
    return json.dumps(config)
