"""Credentials are accepted, for a while longer, and give the rights that they must."""

import base64
import binascii
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.errors import UnreachableError
from kubeflow_aks.clients.kubernetes.objects import fields
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import first_of, one_line
from kubeflow_aks.verify.findings import RESTORE, CheckResult, failed, group_by_first, passed, unknown
from kubeflow_aks.verify.snapshot import OUR_NAMESPACE, ClusterSnapshot, UnknownError, text

_ACCOUNT: Final = f"system:serviceaccount:{OUR_NAMESPACE}:juju"
_SOON: Final = timedelta(days=14)
"""Our choice: enough time to renew credentials."""
_MOST_ACTIONS: Final = 4
_SAME_TIME: Final = timedelta(minutes=1)
"""Our choice: far more than a request takes, far less than any check allows for."""


def juju(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The API server accepts Juju's token as Juju's service account."""
    user = text(snapshot.juju.required(), "userInfo", "username")
    if user != _ACCOUNT:
        yield failed(
            f"the API server takes Juju's token for {one_line(user)} instead of {_ACCOUNT}"
            if user
            else "the API server rejects Juju's token: its secret or its service account was deleted",
            f"{RESTORE}, then give Juju the new token: `./kubeflow-aks handoff`, and `juju update-credential`",
        )
        return
    yield from _expiry(
        snapshot,
        outputs.text("jujuToken"),
        f"the API server accepts Juju's token ({user})",
        "run `pulumi up`",
    )


def juju_rights(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Juju's account may do everything: its charms make namespaces, roles and custom resources."""
    if snapshot.juju_rights.required():
        yield passed("Juju's account has the rights of a cluster administrator")
    else:
        yield failed(
            "Juju's account lacks the rights of a cluster administrator: ClusterRoleBinding kubeflow-aks-juju is "
            "missing or was changed",
            RESTORE,
        )


def programs(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """The programs that the stack runs in the cluster may do what it registered for their service accounts."""
    rights = snapshot.rights.required()
    lacking = [(right.account, right.action) for right in rights if right.allowed.value is False]
    for account, actions in group_by_first(lacking).items():
        yield failed(
            f"service account {account} may not {first_of(actions, _MOST_ACTIONS)}, so the program that runs by it "
            "does not do its work",
            RESTORE,
        )
    reasons = [(right.allowed.reason, right.account) for right in rights if right.allowed.value is None]
    for reason, accounts in group_by_first(reasons).items():
        yield unknown(
            f"{counted(len(accounts), 'right')} of the stack's programs cannot be checked here: {one_line(reason)}"
        )
    if not lacking and not reasons:
        yield passed(f"the stack's programs have the rights that it registered for them: {len(rights)}")


def clock(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """This machine's clock is the API server's; if not, this report still goes by the API server's."""
    ahead = snapshot.clock.required()
    if abs(ahead) <= _SAME_TIME:
        yield passed("this machine's clock agrees with the API server's")
    else:
        way = "ahead of" if ahead > timedelta() else "behind"
        yield passed(
            f"this machine's clock is {counted(round(abs(ahead).total_seconds() / 60), 'minute')} {way} the API "
            "server's, by which this report goes",
            "set this machine's clock: sign-ins may fail by it",
        )


def ours(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The API server accepts the credentials of the output kubeconfig, and will for a while."""
    snapshot.version.required()
    try:
        user = kubeconfig.active(kubeconfig.parse(outputs.text("kubeconfig"))).user
    except UnreachableError as error:
        raise UnknownError(str(error)) from None
    if user.get("exec"):
        yield passed("the kubeconfig gets its credentials from a program, for whoever runs it")
        return
    token = user.get("token")
    yield from _expiry(
        snapshot,
        token if isinstance(token, str) else "",
        "the API server accepts the kubeconfig's credentials",
        "run `pulumi up`, which reads the kubeconfig again",
    )


def _expiry(snapshot: ClusterSnapshot, token: str, accepted: str, action: str) -> Iterator[CheckResult]:
    ends = _expires(token)
    if ends is None:
        yield passed(f"{accepted}; it does not expire" if token else accepted)
    elif ends - snapshot.now < _SOON:
        yield passed(f"{accepted}; it expires at {ends:%Y-%m-%d %H:%M} UTC", action)
    else:
        yield passed(f"{accepted}; it expires on {ends:%Y-%m-%d}")


def _expires(token: str) -> datetime | None:
    """When a JSON web token expires (RFC 7519, `exp`); None if it does not say."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 - header, claims and signature
        return None
    try:
        claims: Any = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        ends = fields(claims).get("exp")
        return datetime.fromtimestamp(ends, UTC) if isinstance(ends, int | float) else None
    except (ValueError, binascii.Error, OverflowError, OSError, RecursionError):
        return None
