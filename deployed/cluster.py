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


def api_of(outputs: Outputs) -> ApiServer:
    """The API server by the output `kubeconfig`; nothing is asked yet but for the sign-in, where a program does that.

    Raises:
        StackError: the kubeconfig can't be used, or nobody is signed in.
    """
    try:
        target = kubeconfig.active(kubeconfig.parse(outputs.text("kubeconfig")))
        return _api(_signed_in(target, outputs.stack))
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
        target = kubeconfig.active(kubeconfig.parse(outputs.text("kubeconfig")))
        return _api(replace(target, user={"token": token}))
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
    if isinstance(error, UnreachableError) and outputs.basis("apiAccess", "privateCluster"):
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


def _api(target: ActiveCluster) -> ApiServer:
    return ApiServer(target, connect_seconds=_CONNECT_SECONDS, anywhere=True)


def _signed_in(target: ActiveCluster, stack: str) -> ActiveCluster:
    """The same with what the user's program, such as kubelogin, gives."""
    plugin = fields(target.user.get("exec"))
    if not plugin:
        return target
    command = str(plugin.get("command"))
    try:
        status: Any = ExecProvider(ConfigNode("exec", plugin), None).run()  # pyright: ignore[reportUnknownMemberType]
    except OSError:
        raise StackError(
            f"{stack}: {command} can't be run; install it, the kubeconfig signs in with it"
        ) from None
    except ConfigException as error:
        lines = " | ".join(line.strip() for line in str(error).splitlines() if line.strip())
        raise StackError(f"{stack}: {command} does not sign in: {lines}") from None
    token = at(fields(status), "token")
    if not isinstance(token, str):
        raise StackError(f"{stack}: {command} gives no token")
    return replace(target, user={"token": token})
