"""The Provider's configuration: kubeconfigs, what is refused, and what a change replaces."""

import base64
import json
from pathlib import Path

import pytest
import yaml

from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import UnreachableError
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.local_aks.kubernetes_provider.configuration import (
    Configuration,
    difference,
    refusals,
)
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN


def _kubeconfig(server: str = "https://127.0.0.1:6443", user: Object | None = None) -> str:
    return yaml.safe_dump(
        {
            "current-context": "one",
            "contexts": [
                {"name": "one", "context": {"cluster": "a", "user": "u", "namespace": "team"}},
                {"name": "two", "context": {"cluster": "b", "user": "u"}},
            ],
            "clusters": [
                {"name": "a", "cluster": {"server": server}},
                {"name": "b", "cluster": {"server": "https://127.0.0.1:7443"}},
            ],
            "users": [{"name": "u", "user": user or {}}],
        }
    )


def _provider(**inputs: object) -> Object:
    return {"kubeconfig": _kubeconfig(), **inputs}


HERE = {"https://127.0.0.1:6443", "https://127.0.0.1:7443"}
"""The API servers that a Provider may name."""
MOVED = _kubeconfig("https://127.0.0.1:9443")


def test_the_same_configuration_is_no_difference() -> None:
    assert difference(_provider(), _provider()) == ([], [])


@pytest.mark.parametrize(
    ("old", "new", "changed", "replaces"),
    [
        pytest.param(
            _provider(), _provider(kubeconfig=MOVED), ["kubeconfig"], ["kubeconfig"], id="server moved"
        ),
        pytest.param(
            _provider(),
            _provider(kubeconfig=_kubeconfig(user={"token": "t"})),
            ["kubeconfig"],
            [],
            id="new credentials",
        ),
        pytest.param(_provider(), _provider(context="two"), ["context"], ["context"], id="other context"),
        pytest.param(_provider(), _provider(cluster="b"), ["cluster"], ["cluster"], id="other cluster"),
        pytest.param(_provider(), _provider(namespace="n"), ["namespace"], [], id="other namespace"),
        pytest.param(
            _provider(),
            _provider(enableConfigMapMutable="true"),
            ["enableConfigMapMutable"],
            [],
            id="switch",
        ),
        pytest.param(
            _provider(clusterIdentifier="c"),
            _provider(clusterIdentifier="c", kubeconfig=MOVED),
            ["kubeconfig"],
            [],
            id="server moved, same identifier",
        ),
        pytest.param(
            _provider(clusterIdentifier="c"),
            _provider(clusterIdentifier="d"),
            ["clusterIdentifier"],
            ["clusterIdentifier"],
            id="other identifier",
        ),
        pytest.param(
            _provider(), _provider(clusterIdentifier="c"), ["clusterIdentifier"], [], id="identifier added"
        ),
        pytest.param(
            _provider(),
            _provider(clusterIdentifier="c", kubeconfig=MOVED),
            ["clusterIdentifier", "kubeconfig"],
            ["kubeconfig"],
            id="identifier added, server moved",
        ),
        pytest.param(
            _provider(),
            _provider(kubeconfig=UNKNOWN),
            ["kubeconfig"],
            ["kubeconfig"],
            id="unknown kubeconfig",
        ),
        pytest.param(
            _provider(clusterIdentifier="c"),
            _provider(clusterIdentifier="c", kubeconfig=UNKNOWN),
            ["kubeconfig"],
            [],
            id="unknown kubeconfig, same identifier",
        ),
    ],
)
def test_what_a_change_replaces(old: Object, new: Object, changed: list[str], replaces: list[str]) -> None:
    assert difference(old, new) == (changed, replaces)


@pytest.mark.parametrize(
    ("inputs", "key"),
    [
        ({"renderYamlToDirectory": "out"}, "renderYamlToDirectory"),
        ({"enableServerSideApply": "false"}, "enableServerSideApply"),
        ({"helmReleaseSettings": "{}"}, "helmReleaseSettings"),
    ],
)
def test_what_the_stand_in_cannot_do_is_refused(inputs: Object, key: str) -> None:
    assert list(refusals(inputs)) == [key]


def test_an_ordinary_configuration_is_not_refused() -> None:
    assert refusals(_provider(enableServerSideApply="true", enableConfigMapMutable="true")) == {}


@pytest.mark.parametrize("form", ["yaml", "json", "path", "object"])
def test_a_kubeconfig_may_be_text_or_a_path(form: str, tmp_path: Path) -> None:
    text = _kubeconfig()
    path = tmp_path / "config"
    path.write_text(text)
    forms = {
        "yaml": text,
        "json": json.dumps(yaml.safe_load(text)),
        "path": str(path),
        "object": yaml.safe_load(text),
    }
    assert kubeconfig.active(kubeconfig.load(forms[form])).cluster["server"] == "https://127.0.0.1:6443"


def test_a_provider_takes_a_kubeconfig_as_an_object_too() -> None:
    from_object = Configuration.of({"kubeconfig": yaml.safe_load(_kubeconfig())})
    assert from_object.target(HERE).cluster["server"] == "https://127.0.0.1:6443"


def test_the_context_and_the_providers_overrides_decide() -> None:
    config = kubeconfig.load(_kubeconfig())
    assert kubeconfig.active(config).namespace == "team"
    assert kubeconfig.active(config, namespace="mine").namespace == "mine"
    other = kubeconfig.active(config, context="two")
    assert (other.cluster["server"], other.namespace) == ("https://127.0.0.1:7443", "default")


def test_a_provider_without_a_kubeconfig_has_no_cluster(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text(_kubeconfig())
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    with pytest.raises(UnreachableError, match="takes none from elsewhere"):
        Configuration().target(HERE)


@pytest.mark.parametrize(
    "broken",
    [
        "token: hunter2\n  bad: [",
        "hunter2",
        "users: [{user: {token: hunter2}}]\ncurrent-context: c",
        _kubeconfig("https://example.com", {"token": "hunter2"}),
        _kubeconfig(user={"token": "hunter2", "auth-provider": {"name": "azure"}}),
        _kubeconfig(user={"exec": {"args": ["hunter2"]}}),
        _kubeconfig(user={"client-certificate-data": "hunter2!", "client-key-data": "hunter2"}),
        _kubeconfig(user={"client-certificate": "/nowhere/hunter2"}),
    ],
)
def test_an_unusable_kubeconfig_is_refused_and_never_quoted(broken: str) -> None:
    configuration = Configuration(kubeconfig=broken)
    with pytest.raises(UnreachableError) as refusal:
        ApiServer(Connection(configuration.target(HERE)))
    assert "hunter2" not in str(refusal.value) + repr(configuration)
    assert refusal.value.__cause__ is None


@pytest.mark.parametrize("server", ["https://prod.example.com", "https://127.0.0.1:6444"])
def test_a_cluster_of_others_is_never_touched(server: str) -> None:
    with pytest.raises(UnreachableError) as refusal:
        Configuration(kubeconfig=_kubeconfig(server)).target(HERE)
    assert str(refusal.value) == (
        f"clusters[0].cluster.server: {server} is not allowed; expected the API server of this local AKS, which "
        "changes no other cluster"
    )


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        (
            {"tokenFile": "/hunter2"},
            "users[0].user.tokenFile: a file or a program is not allowed; expected token",
        ),
        (
            {"client-key": "/hunter2"},
            "users[0].user.client-key: a file or a program is not allowed; expected client-key-data",
        ),
        (
            {"exec": {"command": "hunter2"}},
            "users[0].user.exec: a file or a program is not allowed; expected token, or inline certificate and key",
        ),
    ],
    ids=["token file", "client key", "program"],
)
def test_files_and_programs_of_a_kubeconfig_are_refused_by_their_keys(user: Object, expected: str) -> None:
    with pytest.raises(UnreachableError) as refusal:
        Configuration(kubeconfig=_kubeconfig(user=user)).target(HERE)
    assert str(refusal.value) == expected


def test_everything_that_is_not_allowed_is_reported_at_once() -> None:
    config = yaml.safe_load(_kubeconfig("https://prod.example.com", {"tokenFile": "/t"}))
    config["clusters"][1]["cluster"]["certificate-authority"] = "/ca"
    with pytest.raises(UnreachableError) as refusal:
        Configuration(kubeconfig=json.dumps(config)).target(HERE)
    assert [line.partition(":")[0] for line in str(refusal.value).splitlines()] == [
        "clusters[1].cluster.certificate-authority",
        "users[0].user.tokenFile",
        "clusters[0].cluster.server",
    ]


def test_a_provider_reads_no_kubeconfig_file(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(_kubeconfig())
    with pytest.raises(UnreachableError, match="a path or other text is not allowed; expected its contents"):
        Configuration(kubeconfig=str(path)).target(HERE)
    with pytest.raises(UnreachableError, match="a path or other text is not allowed"):
        difference({}, {"kubeconfig": str(path)})


def test_a_token_becomes_a_header() -> None:
    target = kubeconfig.active(kubeconfig.load(_kubeconfig(user={"token": "t"})))
    assert kubeconfig.authorization(target) == {"Authorization": "Bearer t"}


def test_a_certificate_that_is_none_is_refused() -> None:
    user = {
        key: base64.b64encode(b"not pem").decode() for key in ("client-certificate-data", "client-key-data")
    }
    target = kubeconfig.active(kubeconfig.load(_kubeconfig(user=user)))
    with pytest.raises(UnreachableError, match="not a certificate and its key"):
        kubeconfig.tls(target)


@pytest.mark.parametrize(
    ("value", "expected"), [("true", True), (True, True), ("false", False), (None, False)]
)
def test_switches_are_text_or_booleans(value: object, expected: bool) -> None:
    inputs = {"enableSecretMutable": value} if value is not None else {}
    assert Configuration.of(inputs).rules.secret_mutable is expected


def test_the_environment_stands_behind_a_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_K8S_DELETE_UNREACHABLE", "true")
    assert Configuration.of({}).delete_unreachable
    assert not Configuration.of({"deleteUnreachable": "false"}).delete_unreachable
