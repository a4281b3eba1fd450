"""What the provider adds to inputs, and what it refuses."""

from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.local_aks.kubernetes_provider.checking import NameSource, completed, field_manager
from kubeflow_aks.local_aks.kubernetes_provider.errors import ProviderError
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN


def _completed(new: Object, old: Object | None = None, **options: Any) -> Object:
    defaults: dict[str, Any] = {
        "naming": NameSource("conf", b"seed"),
        "patch": False,
        "namespace": "default",
        "namespaced": True,
    }
    return completed(new, old or {}, **(defaults | options))


def _config_map(**metadata: object) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def test_an_unnamed_object_gets_a_name_and_is_marked() -> None:
    metadata = _completed(_config_map())["metadata"]
    assert metadata["name"].startswith("conf-")
    assert len(metadata["name"]) == len("conf-") + 8
    assert metadata["annotations"] == {"pulumi.com/autonamed": "true"}


def test_the_engines_seed_decides_the_name() -> None:
    assert _completed(_config_map()) == _completed(_config_map())


def test_an_object_without_metadata_gets_a_name() -> None:
    assert _completed({"apiVersion": "v1", "kind": "ConfigMap"})["metadata"]["name"].startswith("conf-")


def test_the_stacks_autonaming_decides_the_name() -> None:
    name = _completed(_config_map(), naming=NameSource("conf", proposed="dev-conf"))["metadata"]["name"]
    assert name == "dev-conf"


def test_disabled_autonaming_needs_a_name() -> None:
    with pytest.raises(ProviderError, match=r"autonaming is disabled, so `\.metadata\.name` must be set"):
        _completed(_config_map(), naming=NameSource("conf", required=True))


def test_an_autonamed_object_keeps_its_name() -> None:
    old = _completed(_config_map())
    assert _completed(_config_map(), old, naming=NameSource("conf", b"other seed")) == old


@pytest.mark.parametrize("name", ["mine", UNKNOWN])
def test_a_name_of_the_program_stays(name: object) -> None:
    assert _completed(_config_map(name=name))["metadata"]["name"] == name


def test_unknown_metadata_stays() -> None:
    new = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": UNKNOWN}
    assert _completed(new) == new


def test_a_namespaced_object_gets_the_providers_namespace() -> None:
    assert _completed(_config_map(name="x"), namespace="team")["metadata"]["namespace"] == "team"
    assert (
        _completed(_config_map(name="x", namespace="own"), namespace="team")["metadata"]["namespace"] == "own"
    )


def test_a_cluster_wide_object_gets_no_namespace() -> None:
    assert "namespace" not in _completed(_config_map(name="x"), namespaced=False)["metadata"]


def test_string_data_becomes_data() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "data": {"b": "Yg=="}}
    assert _completed(secret | {"stringData": {"a": "a"}})["data"] == {"a": "YQ==", "b": "Yg=="}


def test_string_data_with_unknowns_waits() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "stringData": {"a": UNKNOWN}}
    assert _completed(secret)["stringData"] == {"a": UNKNOWN}


def test_a_patch_needs_a_name() -> None:
    with pytest.raises(
        ProviderError, match=r"patch resources require the `\.metadata\.name` field to be set"
    ):
        _completed(_config_map(), patch=True)


def test_generate_name_is_refused() -> None:
    with pytest.raises(ProviderError, match="not supported in Server-Side Apply mode"):
        _completed(_config_map(generateName="x-"))


@pytest.mark.parametrize("key", ["pulumi.com/waitFor", "pulumi.com/replaceUnready"])
def test_annotations_the_stand_in_cannot_honour_are_refused(key: str) -> None:
    with pytest.raises(ProviderError, match=f"the local AKS does not know the annotation {key}"):
        _completed(_config_map(name="x", annotations={key: "true"}))


def test_field_managers_are_named_as_the_real_ones_and_differ() -> None:
    names = {field_manager() for _ in range(100)}
    assert len(names) == 100
    assert all(name.removeprefix("pulumi-kubernetes-").isalnum() for name in names)
