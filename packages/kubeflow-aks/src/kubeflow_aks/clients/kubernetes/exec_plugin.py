"""Signs in with the program that a kubeconfig names in its user's `exec`, such as kubelogin.

Source: "Client Authentication (v1)", "Client Authentication (v1beta1)" and "client-go credential plugins" of
kubernetes.io, 2026-11-23.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from kubeflow_aks.clients import programs
from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.errors import SignInError
from kubeflow_aks.clients.kubernetes.kubeconfig import ActiveCluster
from kubeflow_aks.clients.kubernetes.objects import Object, at, fields, is_list, is_object, items

_VERSIONS: Final = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_MODES: Final = (None, "Never", "IfAvailable")
"""Values of `interactiveMode` with which a program works without a terminal; v1beta1 may leave it out."""
_INFO: Final = "KUBERNETES_EXEC_INFO"
_EXTENSION: Final = "client.authentication.k8s.io/exec"
_CLUSTER_KEYS: Final = (
    "server",
    "tls-server-name",
    "insecure-skip-tls-verify",
    "certificate-authority-data",
    "proxy-url",
    "disable-compression",
)
_SECONDS: Final = 60.0
"""Our choice: kubelogin with `az` takes some seconds, one that waits for a person never ends."""


@dataclass(frozen=True)
class Credentials:
    """A kubeconfig's user that the program printed, with token or certificate; `expires` may be unknown."""

    user: Object = field(repr=False)
    expires: datetime | None

    @property
    def expired(self) -> bool:
        """Whether they are no longer valid."""
        return self.expires is not None and self.expires <= datetime.now(UTC)


@dataclass(frozen=True)
class ExecPlugin:
    """The program, with what it may know of the cluster; None if the kubeconfig provides nothing."""

    command: str
    arguments: Sequence[str] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    api_version: str = _VERSIONS[0]
    install_hint: str = ""
    cluster: Object | None = field(default=None, repr=False)
    seconds: float = _SECONDS

    @classmethod
    def of(cls, target: ActiveCluster) -> ExecPlugin | None:
        """The program of a kubeconfig's user; None if the user signs in without one.

        Raises:
            SignInError: all that is wrong with `exec`; no argument and no variable is quoted.
            UnreachableError: the cluster's certificate authority cannot be read.
        """
        entry: object = target.user.get("exec")
        if entry is None:
            return None
        if mistakes := _mistakes(entry):
            raise SignInError("; ".join(mistakes))
        settings = fields(entry)
        return cls(
            command=str(settings["command"]),
            arguments=tuple(map(str, items(settings.get("args")))),
            environment={
                str(at(variable, "name")): str(at(variable, "value"))
                for variable in items(settings.get("env"))
            },
            api_version=str(settings["apiVersion"]),
            install_hint=str(settings.get("installHint") or ""),
            cluster=_cluster(target.cluster) if settings.get("provideClusterInfo") is True else None,
        )

    def credentials(self) -> Credentials:
        """Runs the program, which may sign in anew or use what it has stored.

        Raises:
            SignInError: it is missing, fails, exceeds the time limit, or prints no valid credentials.
        """
        if not programs.is_installed(self.command):
            hint = f": {self.install_hint}" if self.install_hint else ""
            raise SignInError(
                f"`{self.command}` is missing; install it, the kubeconfig signs in with it{hint}"
            )
        words = [self.command, *self.arguments]
        code, out, err = programs.run(
            words,
            error=SignInError,
            environment={**os.environ, **self.environment, _INFO: self._info()},
            seconds=self.seconds,
        )
        called = programs.called(words)
        if code:
            raise SignInError(f"{called} does not sign in: {programs.reason_of(code, err)}")
        answer = _parsed(out, self.api_version, called)
        if answer.expired:
            raise SignInError(
                f"{called} printed credentials that expired at {answer.expires:%Y-%m-%d %H:%M:%S %Z}; sign in anew, "
                "such as with `az login`, and check this machine's clock"
            )
        return answer

    def _info(self) -> str:
        cluster = {} if self.cluster is None else {"cluster": self.cluster}
        spec = {"interactive": False, **cluster}
        return json.dumps({"apiVersion": self.api_version, "kind": "ExecCredential", "spec": spec})


def _mistakes(entry: object) -> list[str]:
    """One line for each mistake of form."""
    if not is_object(entry):
        return ["exec of the kubeconfig has an unexpected type; expected an object"]
    command, version, mode = (entry.get(key) for key in ("command", "apiVersion", "interactiveMode"))
    checks = {
        "command: expected the name or path of a program": isinstance(command, str) and command != "",
        "args: expected a list of texts": _is_list_of(entry.get("args"), ()),
        "env: expected a list of name and value, both texts": _is_list_of(
            entry.get("env"), ("name", "value")
        ),
        f"apiVersion: {_quoted(version)} is not allowed; expected {' or '.join(_VERSIONS)}": version
        in _VERSIONS,
        f"interactiveMode: {_quoted(mode)} is not allowed; expected Never or IfAvailable, because the program gets no "
        "terminal": mode in _MODES,
    }
    return [f"exec.{line}" for line, kept in checks.items() if not kept]


def _is_list_of(value: object, keys: Sequence[str]) -> bool:
    """Whether it is missing or a list of texts, or of objects with texts at the keys."""
    texts = [at(entry, key) for entry in items(value) for key in keys] if keys else items(value)
    return value is None or (is_list(value) and all(isinstance(text, str) for text in texts))


def _quoted(value: object) -> str:
    return json.dumps(value, default=str)


def _cluster(cluster: Object) -> Object:
    """What a program gets of the cluster; its certificate authority always as data."""
    passed_on = {key: cluster[key] for key in _CLUSTER_KEYS if key in cluster}
    if authority := kubeconfig.pem(cluster, "certificate-authority"):
        passed_on["certificate-authority-data"] = base64.b64encode(authority).decode()
    for extension in items(cluster.get("extensions")):
        if at(extension, "name") == _EXTENSION:
            passed_on["config"] = at(extension, "extension")
    return passed_on


def _parsed(text: str, api_version: str, called: str) -> Credentials:
    """The credentials that a program printed, or a `SignInError`; no message quotes anything of them."""
    try:
        answer: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise SignInError(f"{called} printed something unexpected; expected an ExecCredential") from None
    if at(answer, "kind") != "ExecCredential" or at(answer, "apiVersion") != api_version:
        raise SignInError(
            f"{called} printed something unexpected; expected an ExecCredential of {api_version}"
        )
    token = at(answer, "status", "token")
    certificate = at(answer, "status", "clientCertificateData")
    key = at(answer, "status", "clientKeyData")
    user: Object = {}
    if isinstance(token, str) and kubeconfig.is_token(token):
        user["token"] = token
    elif token:
        raise SignInError(f"{called} printed a token with letters that no token has")
    if isinstance(certificate, str) and isinstance(key, str) and certificate and key:
        user["client-certificate-data"] = base64.b64encode(certificate.encode()).decode()
        user["client-key-data"] = base64.b64encode(key.encode()).decode()
    if not user:
        raise SignInError(f"{called} printed neither a token nor a client certificate with its key")
    return Credentials(user, _time(at(answer, "status", "expirationTimestamp"), called))


def _time(value: object, called: str) -> datetime | None:
    """A time of RFC 3339; None if there is none."""
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(str(value))
        if time.tzinfo:
            return time.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise SignInError(f"{called} printed an expirationTimestamp that is not a time of RFC 3339")
