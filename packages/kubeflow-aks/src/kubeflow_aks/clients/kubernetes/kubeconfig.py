"""Kubeconfigs: the active cluster and its credentials. No error quotes anything of a kubeconfig."""

import base64
import re
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from kubeflow_aks.clients.kubernetes.errors import UnreachableError
from kubeflow_aks.clients.kubernetes.objects import Object, at, fields, is_object, items

_TOKEN: Final = re.compile("[!-~]+")
"""Visible ASCII: what a header can hold, and all that a token of any kind has."""

_FILES: Final = {"cluster": ("certificate-authority",), "user": ("client-certificate", "client-key")}
"""Keys of an entry that name a file; `{key}-data` has its contents."""


@dataclass(frozen=True)
class ActiveCluster:
    """What the current context of a kubeconfig points to: its entries, empty if it names none, and its namespace."""

    cluster: Object
    user: Object
    namespace: str


def load(kubeconfig: object) -> Object:
    """A kubeconfig, its path or its text (YAML or JSON) as an object; an empty or missing one is an empty object.

    Raises:
        UnreachableError: it cannot be read.
    """
    if not isinstance(kubeconfig, str):
        return parse(kubeconfig)
    try:
        return parse(_text_of(kubeconfig))
    except (OSError, UnicodeDecodeError):
        raise UnreachableError("the kubeconfig cannot be read") from None


def parse(kubeconfig: object) -> Object:
    """A kubeconfig or its text (YAML or JSON) as an object, read from no file; an empty or missing one is empty.

    Raises:
        UnreachableError: it is not a kubeconfig.
    """
    if is_object(kubeconfig):
        return kubeconfig
    if kubeconfig is not None and not isinstance(kubeconfig, str):
        raise UnreachableError("the kubeconfig is neither text nor an object")
    if not kubeconfig:
        return {}
    try:
        loaded: Any = yaml.safe_load(kubeconfig)
    except (yaml.YAMLError, ValueError, RecursionError):  # an impossible date, endless brackets
        # The exception quotes the text around the mistake, which may be a token: it is not chained.
        raise UnreachableError("failed to parse the kubeconfig: it is not YAML") from None
    if not is_object(loaded):
        raise UnreachableError("kubeconfig: a path or other text is not allowed; expected its contents")
    return loaded


def active(config: Object, *, context: str = "", cluster: str = "", namespace: str = "") -> ActiveCluster:
    """The cluster, user and namespace of a loaded kubeconfig's current context, or of the names in their place."""
    chosen = _entry(config, "context", context or str(config.get("current-context") or ""))
    return ActiveCluster(
        cluster=_entry(config, "cluster", cluster or str(chosen.get("cluster") or "")),
        user=_entry(config, "user", str(chosen.get("user") or "")),
        namespace=namespace or str(chosen.get("namespace") or "") or "default",
    )


def inline_credential_files(config: Object) -> Object:
    """A loaded kubeconfig with the certificates and keys themselves, where it names files of them.

    Raises:
        UnreachableError: one of the files cannot be read.
    """
    return {
        **config,
        **{
            f"{what}s": [_with_inline_files(entry, what) for entry in items(config.get(f"{what}s"))]
            for what in _FILES
        },
    }


def tls(target: ActiveCluster) -> ssl.SSLContext:
    """The TLS side of a connection: the cluster's CA and the user's client certificate.

    Raises:
        UnreachableError: one of them is not a certificate.
    """
    authority = pem(target.cluster, "certificate-authority")
    try:
        context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    except (ssl.SSLError, ValueError):
        raise UnreachableError("the certificate authority of the kubeconfig is not a certificate") from None
    if target.cluster.get("insecure-skip-tls-verify") is True:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    certificate, key = pem(target.user, "client-certificate"), pem(target.user, "client-key")
    if certificate and key:
        # The ssl module reads a certificate chain from a file only; Windows opens no file twice that is to be deleted.
        with tempfile.TemporaryDirectory(prefix="kubeflow-aks-") as folder:
            chain = Path(folder) / "chain.pem"
            chain.write_bytes(certificate + b"\n" + key)
            try:
                context.load_cert_chain(
                    chain, password=""
                )  # without a password it would prompt at the terminal
            except ssl.SSLError:
                raise UnreachableError(
                    "the client certificate of the kubeconfig is not a certificate and its key"
                ) from None
    return context


def authorization(target: ActiveCluster) -> dict[str, str]:
    """The HTTP headers that identify the user.

    Raises:
        UnreachableError: the user signs in by another program, or its token is not a token.
    """
    if any(target.user.get(key) is not None for key in ("exec", "auth-provider")):
        raise UnreachableError(
            "the user of the kubeconfig signs in with another program; expected a token or a client certificate"
        )
    token = str(target.user.get("token") or _contents(target.user.get("tokenFile"))).strip()
    if token and not is_token(token):  # the HTTP library would quote it in its error
        raise UnreachableError("the token of the kubeconfig is not a token")
    return {"Authorization": f"Bearer {token}"} if token else {}


def is_token(text: str) -> bool:
    """Whether a text can be a bearer token."""
    return bool(_TOKEN.fullmatch(text))


def pem(entry: Object, key: str) -> bytes:
    """Certificates or a key of a cluster or user, from `{key}-data` or the file `{key}`; empty if there is neither.

    Raises:
        UnreachableError: they cannot be read.
    """
    data = entry.get(f"{key}-data")
    if not data:
        return _contents(entry.get(key)).encode()
    try:
        return base64.b64decode(data)
    except (ValueError, TypeError):
        raise UnreachableError(f"`{key}-data` of the kubeconfig is not base64") from None


def _text_of(kubeconfig: str) -> str:
    path = Path(kubeconfig).expanduser() if "\n" not in kubeconfig else None
    try:
        is_file = path is not None and path.is_file()
    except OSError:  # a one-line kubeconfig can be longer than a path may be
        is_file = False
    return path.read_text(encoding="utf-8") if path and is_file else kubeconfig


def _entry(config: Object, what: str, name: str) -> Object:
    named = (entry for entry in items(config.get(f"{what}s")) if at(entry, "name") == name)
    return fields(at(next(named, None), what))


def _with_inline_files(named: object, what: str) -> Object:
    entry = dict(fields(at(named, what)))
    for key in _FILES[what]:
        if path := entry.pop(key, None):
            entry[f"{key}-data"] = base64.b64encode(_read(path).encode()).decode()
    return {**fields(named), what: entry}


def _contents(path: object) -> str:
    return _read(path).strip() if isinstance(path, str) and path else ""


def _read(path: Any) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError, TypeError):
        raise UnreachableError("a file that the kubeconfig names cannot be read") from None
