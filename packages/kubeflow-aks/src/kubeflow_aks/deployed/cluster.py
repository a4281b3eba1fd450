"""The API server of a deployed stack, signed in to by the kubeconfig of its outputs."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Final

from kubeflow_aks.clients.addresses import may_get_credentials
from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError, SignInError, UnreachableError
from kubeflow_aks.clients.kubernetes.exec_plugin import ExecPlugin
from kubeflow_aks.clients.kubernetes.kubeconfig import ActiveCluster
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import Outputs

_CONNECT_SECONDS: Final = 10.0
_NOT_ITS_CERTIFICATE: Final = "CERTIFICATE_VERIFY_FAILED"
"""OpenSSL's name for it, in Python's message."""


def api_of(outputs: Outputs) -> ApiServer:
    """The API server of the output `kubeconfig`; signs in by its program if it names one, and sends no request yet.

    Raises:
        StackError: the kubeconfig cannot be used, or the program does not sign in.
    """
    try:
        target = _target(outputs)
        return _api(target, ExecPlugin.of(target))
    except (SignInError, UnreachableError) as error:
        raise StackError(f"{outputs.stack}: {error}") from None


def api_by_token(outputs: Outputs, token: str) -> ApiServer:
    """The same API server as the user of a bearer token.

    Raises:
        StackError: the kubeconfig cannot be used.
    """
    try:
        return _api(replace(_target(outputs), user={"token": token}))
    except UnreachableError as error:
        raise StackError(f"{outputs.stack}: {error}") from None


def stack_error(error: KubeError, outputs: Outputs) -> StackError:
    """The error of a request as one line, with what to do."""
    stack = outputs.stack
    if isinstance(error, ApiError):
        if error.status == HTTPStatus.UNAUTHORIZED:
            return StackError(
                f"{stack}: the API server rejects the credentials of the output kubeconfig (they may have expired); "
                "run `pulumi up`, which reads the kubeconfig again"
            )
        if error.forbidden:
            return StackError(f"{stack}: {error.message}; use an account with that permission, or request it")
        return StackError(f"{stack}: the API server refuses: {error.message}")
    if _NOT_ITS_CERTIFICATE in str(error):
        return StackError(
            f"{stack}: the API server's certificate is not signed by the certificate authority of the output "
            "kubeconfig: the cluster was created again, its certificates were rotated, or something stands in between; "
            f"run `pulumi up --refresh`, then `./kubeflow-aks handoff {stack}` if Juju uses the cluster ({error})"
        )
    if isinstance(error, UnreachableError) and _is_private(outputs):
        return StackError(
            f"{stack}: its API server has a private address and cannot be reached from here; connect to its "
            f"network, see docs/how-to/private-cluster-and-entra.md ({error})"
        )
    if isinstance(error, UnreachableError):
        return StackError(
            f"{stack}: its API server cannot be reached: {error}; is the cluster stopped "
            "(`./kubeflow-aks start`), or your address missing in apiAccess.authorizedIpRanges?"
        )
    return StackError(f"{stack}: {error}")


def _is_private(outputs: Outputs) -> bool:
    """Whether the API server has a private address; outputs of older versions do not have that."""
    try:
        return outputs.basis("apiAccess", "privateCluster") is True
    except StackError:
        return False


def _target(outputs: Outputs) -> ActiveCluster:
    """The cluster and user of the output `kubeconfig`.

    Raises:
        StackError: credentials would be sent as plain text, or it signs in by an auth-provider.
        UnreachableError: it is not a kubeconfig.
    """
    target = kubeconfig.active(kubeconfig.parse(outputs.text("kubeconfig")))
    server = str(target.cluster.get("server") or "")
    if server and not may_get_credentials(server):
        raise StackError(
            f"{outputs.stack}: server {server} of the output kubeconfig is not allowed; expected one that begins with "
            "https://, because credentials are sent to it"
        )
    if target.user.get("auth-provider") is not None:
        raise StackError(
            f"{outputs.stack}: the output kubeconfig signs in by an auth-provider, which Kubernetes no longer has; run "
            "`pulumi up`, which reads it anew"
        )
    return target


def _api(target: ActiveCluster, plugin: ExecPlugin | None = None) -> ApiServer:
    return ApiServer(Connection(target, connect_seconds=_CONNECT_SECONDS, anywhere=True, plugin=plugin))
