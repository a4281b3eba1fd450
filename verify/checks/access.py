"""Who signs in still may."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from deployed.outputs import Outputs
from kube import kubeconfig
from kube.errors import UnreachableError
from kube.objects import fields
from verify.findings import Told, broken, kept
from verify.seen import NotSeenError, Seen, text

_SOON: Final = timedelta(days=14)
"""Our choice: time enough to have a sign-in renewed."""


def juju(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """The API server takes Juju's token for Juju's account."""
    user = text(seen.juju.known(), "userInfo", "username")
    if not user:
        yield broken(
            "the API server does not take Juju's token: its secret has been deleted, or its account",
            "run `pulumi up --refresh`, then give Juju the new token: `make handoff`, and "
            "`juju update-credential`",
        )
        return
    yield from _until(seen, outputs.text("jujuToken"), f"Juju's token is taken, as {user}", "run `pulumi up`")


def ours(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """The sign-in of the output kubeconfig is taken, and will be for a while."""
    seen.version.known()
    try:
        user = kubeconfig.active(kubeconfig.parse(outputs.text("kubeconfig"))).user
    except UnreachableError as error:
        raise NotSeenError(str(error)) from None
    if user.get("exec"):
        yield kept("the kubeconfig signs in by a program, as whoever runs it")
        return
    token = user.get("token")
    yield from _until(
        seen,
        token if isinstance(token, str) else "",
        "the sign-in of the kubeconfig is taken",
        "run `pulumi up`, which reads it anew",
    )


def _until(seen: Seen, token: str, taken: str, todo: str) -> Iterator[Told]:
    ends = _end(token)
    if ends is None:
        yield kept(f"{taken}; it says no end" if token else taken)
    elif ends - seen.now < _SOON:
        yield kept(f"{taken}, until {ends:%Y-%m-%d %H:%M} UTC only", todo)
    else:
        yield kept(f"{taken}, until {ends:%Y-%m-%d}")


def _end(token: str) -> datetime | None:
    """When a JSON web token ends (RFC 7519, `exp`); None where it does not say."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 - header, claims and signature
        return None
    try:
        claims: Any = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        ends = fields(claims).get("exp")
        return datetime.fromtimestamp(ends, UTC) if isinstance(ends, int | float) else None
    except (ValueError, binascii.Error, OverflowError, OSError, RecursionError):
        return None
