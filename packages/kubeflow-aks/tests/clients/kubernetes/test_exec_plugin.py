"""Signing in with a program: real ones that work, fail, hang, are missing, or print something else."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import ApiError, SignInError, UnreachableError
from kubeflow_aks.clients.kubernetes.exec_plugin import Credentials, ExecPlugin
from kubeflow_aks.clients.kubernetes.kubeconfig import ActiveCluster
from tests.clients.conftest import Program
from tests.serving import serving

V1, V1BETA1 = "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"
SECRET = "hush-hush"  # noqa: S105 - nobody's
FUTURE, PAST = "2126-01-01T00:00:00Z", "2020-01-01T00:00:00Z"
ANEW = "; sign in anew, such as with `az login`, and check this machine's clock"
NO_TERMINAL = "Never or IfAvailable, because the program gets no terminal"


def user(command: object, **entry: Any) -> dict[str, Any]:
    return {"exec": {"apiVersion": V1, "command": command, "interactiveMode": "Never", **entry}}


def plugin(command: object, **entry: Any) -> ExecPlugin:
    made = ExecPlugin.of(ActiveCluster({"server": "https://aks.example"}, user(command, **entry), "default"))
    assert made
    return made


def credential(api_version: str = V1, **status: Any) -> str:
    return json.dumps({"apiVersion": api_version, "kind": "ExecCredential", "status": status})


def prints(text: str) -> str:
    return f"cat <<'END'\n{text}\nEND"


def mistake(call: Callable[[], object]) -> str:
    with pytest.raises(SignInError) as raised:
        call()
    line = str(raised.value)
    assert SECRET not in line
    assert "\n" not in line
    return line


def test_the_entry_that_aks_writes(program: Program, tmp_path: Path) -> None:
    """As in components/cluster/kubeconfig.py: v1beta1 without `interactiveMode`, empty keys as null."""
    printed = credential(V1BETA1, token=SECRET, expirationTimestamp=FUTURE)
    command = program(f'echo "$@" > {tmp_path}/got\n{prints(printed)}')
    entry = {
        "apiVersion": V1BETA1,
        "command": command,
        "args": ["get-token", "--environment", "AzurePublicCloud", "--login", "azurecli"],
        "env": None,
        "provideClusterInfo": False,
        "installHint": None,
    }
    made = ExecPlugin.of(ActiveCluster({}, {"exec": entry}, "default"))
    assert made
    assert made.credentials().user == {"token": SECRET}
    assert (tmp_path / "got").read_text() == "get-token --environment AzurePublicCloud --login azurecli\n"


@pytest.mark.parametrize("version", [V1, V1BETA1])
def test_a_token_of_both_versions(program: Program, version: str) -> None:
    printed = credential(version, token=SECRET, expirationTimestamp=FUTURE)
    answer = plugin(program(prints(printed)), apiVersion=version).credentials()
    assert (answer.user, answer.expired) == ({"token": SECRET}, False)
    assert SECRET not in repr(answer)


def test_the_program_gets_arguments_variables_and_the_cluster(program: Program, tmp_path: Path) -> None:
    command = program(
        f'printf "%s\\n" "$@" "$A" "$HOME" "$KUBERNETES_EXEC_INFO" > {tmp_path}/got\n'
        f"read line && exit 9\n{prints(credential(token=SECRET))}"
    )
    cluster = {
        "server": "https://aks.example",
        "certificate-authority": str(tmp_path / "ca.crt"),
        "name": "not passed",
        "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}],
    }
    (tmp_path / "ca.crt").write_text("CA")
    entry = user(
        command,
        args=["get-token", "a b", "$HOME"],
        env=[{"name": "A", "value": "1"}],
        provideClusterInfo=True,
    )
    made = ExecPlugin.of(ActiveCluster(cluster, entry, "default"))
    assert made
    assert made.credentials().user == {"token": SECRET}
    *words, info = (tmp_path / "got").read_text().splitlines()
    assert words == ["get-token", "a b", "$HOME", "1", os.environ["HOME"]]
    assert json.loads(info) == {
        "apiVersion": V1,
        "kind": "ExecCredential",
        "spec": {
            "interactive": False,
            "cluster": {
                "server": "https://aks.example",
                "certificate-authority-data": "Q0E=",
                "config": {"audience": "x"},
            },
        },
    }


def test_without_provideclusterinfo_it_gets_no_cluster(program: Program, tmp_path: Path) -> None:
    command = program(f'echo "$KUBERNETES_EXEC_INFO" > {tmp_path}/got\n{prints(credential(token=SECRET))}')
    plugin(command).credentials()
    assert json.loads((tmp_path / "got").read_text())["spec"] == {"interactive": False}


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("no JSON", "printed something unexpected; expected an ExecCredential"),
        ("[" * 20_000, "printed something unexpected; expected an ExecCredential"),
        ("5", f"printed something unexpected; expected an ExecCredential of {V1}"),
        (json.dumps({"token": SECRET}), f"printed something unexpected; expected an ExecCredential of {V1}"),
        (credential(V1BETA1, token=SECRET), f"printed something unexpected; expected an ExecCredential of {V1}"),
        (credential(), "printed neither a token nor a client certificate with its key"),
        (credential(token=5), "printed a token with letters that no token has"),
        (credential(token=f"{SECRET} x"), "printed a token with letters that no token has"),
        (credential(token=""), "printed neither a token nor a client certificate with its key"),
        (credential(clientCertificateData=SECRET), "printed neither a token nor a client certificate with its key"),
        (
            credential(token=SECRET, expirationTimestamp=PAST),
            f"printed credentials that expired at 2020-01-01 00:00:00 UTC{ANEW}",
        ),
        *(
            (
                credential(token=SECRET, expirationTimestamp=value),
                "printed an expirationTimestamp that is not a time of RFC 3339",
            )
            for value in ("tomorrow", 5, "2126-01-01T00:00:00", "2126-99-01T00:00:00Z")
        ),
    ],
)  # fmt: skip
def test_what_is_no_credential_is_one_line_without_it(program: Program, printed: str, expected: str) -> None:
    command = program(prints(printed))
    assert mistake(plugin(command, args=["get-token"]).credentials) == f"`login get-token` {expected}"


def test_bytes_that_are_no_text_are_no_credential(program: Program) -> None:
    assert "printed something unexpected" in mistake(plugin(program("printf '\\377'")).credentials)


def test_a_program_that_fails_is_its_last_lines(program: Program) -> None:
    command = program(
        f"echo {SECRET}; printf 'zero\\nfirst\\n\\n second eyJhbGciOiJSUzI1NiJ9.x\\n' >&2; exit 3"
    )
    assert mistake(plugin(command).credentials) == "`login` does not sign in: first | second [secret]"
    assert mistake(plugin(program("exit 3")).credentials) == "`login` does not sign in: exit code 3"


def test_a_missing_program_comes_with_the_hint_of_the_kubeconfig() -> None:
    missing = plugin("no-such-login", installHint="see\nhttps://example.org")
    assert mistake(missing.credentials) == (
        "`no-such-login` is missing; install it, the kubeconfig signs in with it: see https://example.org"
    )


def test_a_program_that_cannot_be_started(program: Program) -> None:
    command = program("")
    Path(command).write_bytes(b"\x7fELF no program")
    assert mistake(plugin(command).credentials).endswith("cannot be run: Exec format error")


def test_a_program_that_waits_for_a_person_ends_at_the_limit(program: Program) -> None:
    command = program("echo 'To sign in, open https://example.org' >&2; sleep 60")
    began = time.monotonic()
    assert mistake(ExecPlugin(command, seconds=0.5).credentials) == (
        "`login` took longer than 0 s: To sign in, open https://example.org"
    )
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"exec": "kubelogin"}, ["exec of the kubeconfig has an unexpected type; expected an object"]),
        ({"exec": []}, ["exec of the kubeconfig has an unexpected type; expected an object"]),
        (user(["sh"]), ["exec.command: expected the name or path of a program"]),
        (user(""), ["exec.command: expected the name or path of a program"]),
        (user("sh", args="-c"), ["exec.args: expected a list of texts"]),
        (user("sh", args=[SECRET, 5]), ["exec.args: expected a list of texts"]),
        (user("sh", env=[f"A={SECRET}"]), ["exec.env: expected a list of name and value, both texts"]),
        (user("sh", env={"A": SECRET}), ["exec.env: expected a list of name and value, both texts"]),
        (
            user("sh", env=[{"name": SECRET, "value": 5}]),
            ["exec.env: expected a list of name and value, both texts"],
        ),
        (
            user(None, args=5, env=5, apiVersion="v1", interactiveMode="Always"),
            [
                "exec.command: expected the name or path of a program",
                "exec.args: expected a list of texts",
                "exec.env: expected a list of name and value, both texts",
                f'exec.apiVersion: "v1" is not allowed; expected {V1} or {V1BETA1}',
                f'exec.interactiveMode: "Always" is not allowed; expected {NO_TERMINAL}',
            ],
        ),
    ],
)  # fmt: skip
def test_all_mistakes_of_form_come_together(entry: dict[str, Any], expected: list[str]) -> None:
    target = ActiveCluster({"server": "https://aks.example"}, entry, "default")
    assert mistake(lambda: ExecPlugin.of(target)) == "; ".join(expected)


@pytest.mark.parametrize("entry", [{}, {"exec": None}, {"token": SECRET}])
def test_a_user_without_a_program_has_no_plugin(entry: dict[str, Any]) -> None:
    assert ExecPlugin.of(ActiveCluster({}, entry, "default")) is None


@dataclass
class Server:
    """An API server that accepts some tokens and keeps what clients send; without tokens it accepts everybody."""

    url: str = ""
    accepted: set[str] = field(default_factory=lambda: {f"Bearer {SECRET}"})
    sign_ins: list[str | None] = field(default_factory=list[str | None])
    subjects: list[object] = field(default_factory=list[object])


@contextmanager
def api_server(context: ssl.SSLContext | None = None) -> Generator[Server]:
    """A running one."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.sign_ins.append(self.headers["Authorization"])
            if isinstance(self.connection, ssl.SSLSocket):
                server.subjects.append((self.connection.getpeercert() or {}).get("subject"))
            refused = server.accepted and self.headers["Authorization"] not in server.accepted
            self.send_response(401 if refused else 200)
            self.end_headers()
            self.wfile.write(b'{"reason": "Unauthorized"}' if refused else b"{}")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
            pass

    with serving(Handler, context) as server.url:
        yield server


@pytest.fixture
def server() -> Generator[Server]:
    with api_server() as running:
        yield running


def connected(cluster: Mapping[str, Any], command: str) -> Connection:
    target = ActiveCluster(dict(cluster), user(command), "default")
    return Connection(target, plugin=ExecPlugin.of(target))


def prints_in_turn(folder: Path, *tokens: str, **status: str) -> str:
    """A script that prints the next token with each run, and the last one from then on."""
    lines = [
        f"n=$(cat {folder}/runs 2>/dev/null || echo 0); echo $((n + 1)) > {folder}/runs",
        *(
            f"if [ $n = {number} ]; then {prints(credential(token=token, **status))}\nexit; fi"
            for number, token in enumerate(tokens[:-1])
        ),
        prints(credential(token=tokens[-1], **status)),
    ]
    return "\n".join(lines)


def runs(folder: Path) -> int:
    return int((folder / "runs").read_text())


def test_credentials_are_kept_until_they_expire(program: Program, tmp_path: Path, server: Server) -> None:
    command = program(prints_in_turn(tmp_path, SECRET, expirationTimestamp=FUTURE))
    connection = connected({"server": server.url}, command)
    for _ in range(3):
        connection.call("GET", "/version")
    assert runs(tmp_path) == 1
    assert server.sign_ins == [f"Bearer {SECRET}"] * 3


def test_expired_credentials_are_renewed(
    program: Program, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = program(prints_in_turn(tmp_path, "first", SECRET, expirationTimestamp=FUTURE))
    connection = connected({"server": server.url}, command)
    monkeypatch.setattr(Credentials, "expired", property(lambda it: it.user == {"token": "first"}))
    connection.call("GET", "/version")
    assert runs(tmp_path) == 2
    assert server.sign_ins == [f"Bearer {SECRET}"]


def test_rejected_credentials_are_renewed_once(program: Program, tmp_path: Path, server: Server) -> None:
    connection = connected({"server": server.url}, program(prints_in_turn(tmp_path, "revoked", SECRET)))
    connection.call("GET", "/version")
    assert server.sign_ins == ["Bearer revoked", f"Bearer {SECRET}"]
    server.accepted = {"Bearer nobody"}
    with pytest.raises(ApiError) as refused:
        connection.call("GET", "/version")
    assert refused.value.status == 401
    assert runs(tmp_path) == 3


def test_a_watch_renews_rejected_credentials(program: Program, tmp_path: Path, server: Server) -> None:
    connection = connected({"server": server.url}, program(prints_in_turn(tmp_path, "revoked", SECRET)))
    with connection.watch("/version", {}, seconds=5) as answer:
        assert answer.status == 200
    assert server.sign_ins == ["Bearer revoked", f"Bearer {SECRET}"]


def test_many_threads_renew_once(program: Program, tmp_path: Path, server: Server) -> None:
    connection = connected({"server": server.url}, program(prints_in_turn(tmp_path, "revoked", SECRET)))
    threads = [threading.Thread(target=connection.call, args=("GET", "/version")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert runs(tmp_path) == 2
    assert server.sign_ins.count(f"Bearer {SECRET}") == 8


def test_a_program_that_fails_later_is_an_error_of_that_request(
    program: Program, tmp_path: Path, server: Server
) -> None:
    revoked = prints(credential(token="revoked"))  # noqa: S106 - nobody's
    script = f"[ -e {tmp_path}/once ] && exit 4\ntouch {tmp_path}/once\n{revoked}"
    connection = connected({"server": server.url}, program(script))
    assert mistake(lambda: connection.call("GET", "/version")) == "`login` does not sign in: exit code 4"


def test_without_a_plugin_no_program_of_a_kubeconfig_runs(program: Program, tmp_path: Path) -> None:
    command = program(f"touch {tmp_path}/ran")
    with pytest.raises(UnreachableError, match="signs in with another program"):
        Connection(ActiveCluster({"server": "http://127.0.0.1:1"}, user(command), "default"))
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_client_certificate_is_presented(program: Program, tmp_path: Path) -> None:
    command = [
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"),
        *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"),
    ]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(certificate))
    context.load_cert_chain(certificate, key)
    context.verify_mode = ssl.CERT_REQUIRED
    printed = credential(clientCertificateData=certificate.read_text(), clientKeyData=key.read_text())
    with api_server(context) as server:
        server.accepted.clear()
        cluster = {"server": server.url, "certificate-authority": str(certificate)}
        connected(cluster, program(prints(printed))).call("GET", "/version")
    assert server.sign_ins == [None]
    assert server.subjects == [((("commonName", "localhost"),),)]


def test_a_client_certificate_that_is_none_is_an_error(program: Program) -> None:
    printed = credential(clientCertificateData=SECRET, clientKeyData=SECRET)
    target = ActiveCluster({"server": "https://127.0.0.1:1"}, user(program(prints(printed))), "default")
    with pytest.raises(UnreachableError, match="is not a certificate and its key"):
        Connection(target, plugin=ExecPlugin.of(target))
