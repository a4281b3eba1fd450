"""The API server of a deployed stack, signed in to by the kubeconfig of its outputs."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from kubernetes.config import ConfigException  # pyright: ignore[reportMissingTypeStubs]
from kubernetes.config.exec_provider import ExecProvider  # pyright: ignore[reportMissingTypeStubs]
from kubernetes.config.kube_config import ConfigNode  # pyright: ignore[reportMissingTypeStubs]

from deployed.errors import StackError
from deployed.outputs import Outputs
from kube import kubeconfig
from kube.api import ApiServer
from kube.errors import ApiError, KubeError, UnreachableError
from kube.kubeconfig import ActiveCluster
from kube.objects import at, fields

_CONNECT_SECONDS: Final = 10.0
_ON_THIS_MACHINE: Final = ("http://127.0.0.1:", "http://localhost:")
"""Where plain HTTP goes over no network, such as that of `kubectl proxy`."""


def api_of(outputs: Outputs) -> ApiServer:
    """The API server by the output `kubeconfig`; nothing is asked yet but for the sign-in, where a program does that.

    Raises:
        StackError: the kubeconfig can't be used, or nobody is signed in.
    """
    try:
        return _api(_signed_in(_target(outputs), outputs.stack))
    except UnreachableError as error:
        raise StackError(f"{outputs.stack}: {error}") from None


def api_by_token(outputs: Outputs, token: str) -> ApiServer:
    """The same API server as another user.

    Args:
        outputs: of the stack.
        token: bearer token of the user.

    Raises:
        StackError: the kubeconfig can't be used.
    """
    try:
        return _api(replace(_target(outputs), user={"token": token}))
    except UnreachableError as error:
        raise StackError(f"{outputs.stack}: {error}") from None


def told(error: KubeError, outputs: Outputs) -> StackError:
    """What went wrong with a request, as one line with what to do."""
    stack = outputs.stack
    if isinstance(error, ApiError):
        if error.status == HTTPStatus.UNAUTHORIZED:
            return StackError(
                f"{stack}: the API server does not take the sign-in of the output kubeconfig (it may have expired); "
                "run `pulumi up`, which reads it anew"
            )
        if error.forbidden:
            return StackError(f"{stack}: {error.message}; sign in as somebody who may, or ask for the right")
        return StackError(f"{stack}: the API server refuses: {error.message}")
    if isinstance(error, UnreachableError) and _is_private(outputs):
        return StackError(
            f"{stack}: its API server has a private address only, and can't be reached from here; go where the "
            f"network reaches, as docs/how-to/private-cluster-and-entra.md says ({error})"
        )
    if isinstance(error, UnreachableError):
        return StackError(
            f"{stack}: its API server can't be reached: {error}; is the cluster stopped (`make start`), or your "
            "address missing in apiAccess.authorizedIpRanges?"
        )
    return StackError(f"{stack}: {error}")


def _is_private(outputs: Outputs) -> bool:
    """Whether the outputs say that the API server has a private address; older ones say nothing."""
    try:
        return outputs.basis("apiAccess", "privateCluster") is True
    except StackError:
        return False


def _target(outputs: Outputs) -> ActiveCluster:
    """The cluster and user of the output `kubeconfig`.

    Raises:
        StackError: the sign-in would go over the network as plain text.
        UnreachableError: it is no kubeconfig.
    """
    target = kubeconfig.active(kubeconfig.parse(outputs.text("kubeconfig")))
    server = str(target.cluster.get("server") or "")
    if server and not server.startswith(("https://", *_ON_THIS_MACHINE)):
        raise StackError(
            f"{outputs.stack}: server {server} of the output kubeconfig is not allowed; expected one that begins with "
            "https://, for the sign-in is sent to it"
        )
    return target


def _api(target: ActiveCluster) -> ApiServer:
    return ApiServer(target, connect_seconds=_CONNECT_SECONDS, anywhere=True)


def _signed_in(target: ActiveCluster, stack: str) -> ActiveCluster:
    """The same with what the user's program, such as kubelogin, gives."""
    if "auth-provider" in target.user:
        raise StackError(
            f"{stack}: the output kubeconfig signs in by an auth-provider, which Kubernetes no longer has; run "
            "`pulumi up`, which reads it anew"
        )
    if "exec" not in target.user:
        return target
    plugin = fields(target.user.get("exec"))
    command = str(plugin.get("command") or "exec of the output kubeconfig")
    try:
        status: Any = ExecProvider(ConfigNode("exec", plugin), None).run()  # pyright: ignore[reportUnknownMemberType]
    except OSError:
        raise StackError(
            f"{stack}: {command} can't be run; install it, the kubeconfig signs in with it"
        ) from None
    except ConfigException as error:
        lines = " | ".join(line.strip() for line in str(error).splitlines() if line.strip())
        raise StackError(f"{stack}: {command} does not sign in: {lines}") from None
    except (TypeError, ValueError, AttributeError):  # of a form that the library does not look at
        raise StackError(
            f"{stack}: {command}, or what it answers, has another form; expected what kubelogin takes and gives"
        ) from None
    token = at(fields(status), "token")
    if not isinstance(token, str):
        raise StackError(f"{stack}: {command} gives no token")
    return replace(target, user={"token": token})
