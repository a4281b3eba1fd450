"""Outputs and kubeconfigs with any content: a mistake is one line without any secret."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError, UnavailableError, UnreachableError
from kubeflow_aks.deployed.cluster import api_by_token, api_of, stack_error
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import Outputs, of_file, of_stack, parse

SECRET = "hush-hush"  # noqa: S105 - nobody's
SERVER = "https://127.0.0.1:1"
CONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "aks",
    "contexts": [{"name": "aks", "context": {"cluster": "aks", "user": "admin"}}],
    "clusters": [{"name": "aks", "cluster": {"server": SERVER}}],
    "users": [{"name": "admin", "user": {"token": SECRET}}],
}
BASIS: dict[str, Any] = {"stack": "dev", "apiAccess": {"privateCluster": False}}
GOOD: dict[str, Any] = {
    "clusterBasis": BASIS,
    "kubeconfig": yaml.safe_dump(CONFIG),
    "poolContract": [{"name": "cpuspot"}],
}


def outputs(kubeconfig: object) -> Outputs:
    return Outputs("dev", {**GOOD, "kubeconfig": kubeconfig})


def user(**entry: Any) -> str:
    return yaml.safe_dump({**CONFIG, "users": [{"name": "admin", "user": entry}]})


def cluster(**entry: Any) -> str:
    return yaml.safe_dump({**CONFIG, "clusters": [{"name": "aks", "cluster": {"server": SERVER, **entry}}]})


def problem(config: object) -> str:
    """The error of a first request with a kubeconfig; nothing listens at its address."""
    stack_outputs = outputs(config)
    with pytest.raises((StackError, KubeError)) as refused:
        api_of(stack_outputs).ping()
    error = refused.value
    line = str(error if isinstance(error, StackError) else stack_error(error, stack_outputs))
    assert "\n" not in line
    assert SECRET not in line
    return line


NO_SERVER = "dev: the kubeconfig names no server for its current context"
NO_YAML = "dev: failed to parse the kubeconfig: it is not YAML"
NO_TOKEN = "dev: the token of the kubeconfig is not a token"  # noqa: S105
NO_BASE64 = "dev: `certificate-authority-data` of the kubeconfig is not base64"
NO_PROVIDER = (
    "dev: the output kubeconfig signs in by an auth-provider, which Kubernetes no longer has; run `pulumi up`, which "
    "reads it anew"
)
PLAIN = (
    "of the output kubeconfig is not allowed; expected one that begins with https://, "
    "because credentials are sent to it"
)
NO_CA = "dev: the certificate authority of the kubeconfig is not a certificate"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (5, "dev: output kubeconfig has an unexpected type; expected text"),
        (CONFIG, "dev: output kubeconfig has an unexpected type; expected text"),
        ("[secret]", "dev: output kubeconfig is masked; read the outputs with --show-secrets"),
        ("", NO_SERVER),
        ("{}", NO_SERVER),
        ("a: [", NO_YAML),
        ("[" * 100_000, NO_YAML),
        ("{[1]: 2}", NO_YAML),
        ("a: 2026-99-99", NO_YAML),
        ("a: \x00", NO_YAML),
        ("just words", "dev: kubeconfig: a path or other text is not allowed; expected its contents"),
        ("/etc/passwd", "dev: kubeconfig: a path or other text is not allowed; expected its contents"),
        (yaml.safe_dump({**CONFIG, "current-context": "other"}), NO_SERVER),
        (yaml.safe_dump({**CONFIG, "current-context": [SECRET]}), NO_SERVER),
        (yaml.safe_dump({**CONFIG, "contexts": None}), NO_SERVER),
        (yaml.safe_dump({**CONFIG, "contexts": [5, {"name": "aks", "context": "x"}]}), NO_SERVER),
        (yaml.safe_dump({**CONFIG, "clusters": {"aks": {}}}), NO_SERVER),
        (
            cluster(server="http://aks.example:443"),
            f"dev: server http://aks.example:443 {PLAIN}",
        ),
        (
            cluster(server="http://127.0.0.1.example:80"),
            f"dev: server http://127.0.0.1.example:80 {PLAIN}",
        ),
        (cluster(**{"certificate-authority-data": 5}), NO_BASE64),
        (cluster(**{"certificate-authority-data": "ü"}), NO_BASE64),
        (cluster(**{"certificate-authority-data": "aGVsbG8="}), NO_CA),
        (cluster(**{"certificate-authority-data": "/////w=="}), NO_CA),
        (
            cluster(**{"certificate-authority": "/none/ca.crt"}),
            "dev: a file that the kubeconfig names cannot be read",
        ),
        (
            cluster(**{"certificate-authority": "ca\0.crt"}),
            "dev: a file that the kubeconfig names cannot be read",
        ),
        (user(token=f"{SECRET}\r\nX-Other: yes"), NO_TOKEN),
        (user(token=f"{SECRET} two"), NO_TOKEN),
        (user(token=f"{SECRET}ü"), NO_TOKEN),
        (
            user(**{"auth-provider": {"name": "azure", "config": {"access-token": SECRET}}}),
            NO_PROVIDER,
        ),
        (
            user(exec={"command": "no-such-login", "apiVersion": "client.authentication.k8s.io/v1"}),
            "dev: `no-such-login` is missing; install it, the kubeconfig signs in with it",
        ),
        (
            user(exec={"apiVersion": "client.authentication.k8s.io/v1"}),
            "dev: exec.command: expected the name or path of a program",
        ),
    ],
)  # fmt: skip
def test_a_kubeconfig_that_cannot_be_used_is_one_line(config: object, expected: str) -> None:
    assert problem(config) == expected


def login(folder: Path, script: str) -> str:
    """A kubeconfig that signs in with a program, which is a shell script."""
    program = folder / "kubelogin"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o700)
    return user(exec={"command": str(program), "apiVersion": "client.authentication.k8s.io/v1"})


CREDENTIAL = '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": %s}'


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo one >&2; echo two >&2; exit 3", "dev: `kubelogin` does not sign in: one | two"),
        (f"echo {SECRET}", "dev: `kubelogin` printed something unexpected; expected an ExecCredential"),
    ],
)
def test_a_program_that_does_not_sign_in_is_one_line(tmp_path: Path, script: str, expected: str) -> None:
    assert problem(login(tmp_path, script)) == expected


@pytest.mark.parametrize(
    "config",
    [
        yaml.safe_dump(CONFIG),
        yaml.safe_dump(CONFIG).replace("\n", "\r\n"),
        "\ufeff" + yaml.safe_dump(CONFIG),
        json.dumps(CONFIG),
        user(token=f"{SECRET}\n"),
        cluster(**{"insecure-skip-tls-verify": "no"}),
        cluster(server=f"{SERVER}/"),
    ],
)
def test_every_form_of_a_valid_kubeconfig_is_accepted(config: str) -> None:
    assert "its API server cannot be reached" in problem(config)
    api_by_token(outputs(config), "other")


def test_a_login_that_works_gives_the_token(tmp_path: Path) -> None:
    works = login(tmp_path, f"echo '{CREDENTIAL % json.dumps({'token': SECRET})}'")
    assert "its API server cannot be reached" in problem(works)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["aks", "admin", "dev", SERVER, "[secret]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KUBECONFIG_PATHS = [
    *CONFIG, "contexts.0", "contexts.0.name", "contexts.0.context", "contexts.0.context.cluster",
    "contexts.0.context.user",
    "clusters.0", "clusters.0.cluster", "clusters.0.cluster.certificate-authority-data",
    "clusters.0.cluster.certificate-authority", "users.0", "users.0.user", "users.0.user.token",
    "users.0.user.tokenFile",
    "users.0.user.client-certificate-data", "users.0.user.auth-provider",
]  # fmt: skip


def changed(raw: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    document = copy.deepcopy(raw)
    place: Any = document
    *way, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
    for part in way:
        place = place[part]
    place[last] = value
    return document


@settings(max_examples=300)
@given(path=st.sampled_from(KUBECONFIG_PATHS), value=VALUES)
def test_any_value_in_a_kubeconfig_is_at_most_one_line_of_error(path: str, value: object) -> None:
    problem(json.dumps(changed(CONFIG, path, value)))


READS: list[Callable[[Outputs], object]] = [
    lambda it: it.text("kubeconfig"),
    lambda it: it.mapping("clusterBasis"),
    lambda it: it.pools(),
    lambda it: it.basis("apiAccess", "privateCluster"),
]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(
        [*GOOD, "clusterBasis.stack", "clusterBasis.apiAccess", "poolContract.0", "poolContract.0.name"]
    ),
    value=VALUES,
)
def test_any_value_in_outputs_is_read_or_one_line_of_error(tmp_path: Path, path: str, value: object) -> None:
    file = tmp_path / "outputs.json"
    file.write_text(json.dumps(changed(GOOD, path, value)), encoding="utf-8")
    for read in READS:
        try:
            stack_outputs = of_file("dev", file)
            read(stack_outputs)
            assert all(isinstance(pool["name"], str) for pool in stack_outputs.pools())
        except StackError as error:
            assert "\n" not in str(error)  # noqa: PT017 - either is right
            assert len(str(error)) <= 600  # noqa: PT017


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_file_in_any_encoding_of_json_is_read(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "outputs.json"
    file.write_bytes(json.dumps(GOOD, indent=2).replace("\n", "\r\n").encode(encoding))
    assert of_file("dev", file).pools() == [{"name": "cpuspot"}]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff\x00\xfe", "not JSON; expected a stack's outputs"),
        (b"[" * 100_000, "not JSON; expected a stack's outputs"),
        (
            b'{"clusterBasis": {"stack": "a\\nb"}}',
            "these are the outputs of stack a b; expected those of dev",
        ),
        (b'{"clusterBasis": {"stack": [1]}}', "these are the outputs of stack [1]; expected those of dev"),
    ],
)
def test_a_file_of_something_else_is_one_line(tmp_path: Path, data: bytes, expected: str) -> None:
    file = tmp_path / "outputs.json"
    file.write_bytes(data)
    with pytest.raises(StackError) as refused:
        of_file("dev", file)
    assert str(refused.value) == f"{file}: {expected}"


def test_text_that_is_not_a_path_is_an_error() -> None:
    with pytest.raises(StackError, match="cannot be read: it is not a path"):
        of_file("dev", Path("a\0b"))


@pytest.mark.parametrize("name", [None, 5, ["a"], {}])
def test_a_pool_without_a_name_is_no_pool(name: object) -> None:
    with pytest.raises(
        StackError, match="output poolContract has an unexpected type; expected a list of pools"
    ):
        Outputs("dev", {"poolContract": [{"name": name}]}).pools()


def test_a_cli_that_fails_silently_or_prints_no_text_is_an_error(tmp_path: Path) -> None:
    engine = tmp_path / "pulumi"
    engine.write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    engine.chmod(0o700)
    with pytest.raises(
        StackError,
        match=r"^dev: `pulumi stack output` failed: exit code 7$",
    ):
        of_stack("dev", project=tmp_path, command=str(engine))
    engine.write_text("#!/bin/sh\nprintf '\\377'\n", encoding="utf-8")
    with pytest.raises(StackError, match=r"not JSON; expected a stack's outputs$"):
        of_stack("dev", project=tmp_path, command=str(engine))
    engine.write_text("#!/bin/sh\nprintf '\\377\\033[31m' >&2; exit 1\n", encoding="utf-8")
    with pytest.raises(StackError, match=r"failed: �\\x1b\[31m$"):
        of_stack("dev", project=tmp_path, command=str(engine))


def test_the_response_of_a_proxy_is_one_line_and_no_page() -> None:
    page = "<html>\n<body>\n" + "Bad gateway " * 200
    line = str(stack_error(ApiError(502, "", page), outputs("")))
    assert line.startswith("dev: the API server refuses: <html> <body> Bad gateway")
    assert len(line) == 600


@pytest.mark.parametrize("basis", [{"stack": "dev"}, {**BASIS, "apiAccess": {"privateCluster": "no"}}])
def test_values_that_older_outputs_lack_hide_no_error(basis: object) -> None:
    older_outputs = Outputs("dev", {"clusterBasis": basis})
    assert "dev: its API server cannot be reached: gone" in str(
        stack_error(UnreachableError("gone"), older_outputs)
    )


def test_other_errors_of_a_request() -> None:
    private = Outputs("dev", {"clusterBasis": {"apiAccess": {"privateCluster": True}}})
    assert "private address and cannot be reached" in str(stack_error(UnreachableError("gone"), private))
    assert str(stack_error(UnavailableError("no JSON"), private)) == "dev: no JSON"
    assert "may have expired" in str(stack_error(ApiError(401, "Unauthorized", "no"), private))
    assert "or request it" in str(stack_error(ApiError(403, "Forbidden", "may not"), private))


def test_outputs_of_text_are_read_too() -> None:
    assert parse("dev", json.dumps(GOOD), "here").basis("stack") == "dev"


@pytest.mark.parametrize("value", ['"\\ud800"', "NaN", "[Infinity]"])
def test_values_that_no_json_file_can_hold_are_refused(value: str) -> None:
    text = json.dumps(GOOD)[:-1] + f', "ingressFqdn": {value}}}'
    with pytest.raises(StackError, match="not JSON; expected a stack's outputs"):
        parse("dev", text, "outputs.json")
