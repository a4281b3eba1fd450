"""The caller's sign-in to Azure: where Resource Manager is and a token for it, both from `az`.

The token is kept in memory only, and is in no message: what `az` prints on standard output is never shown.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from typing import Any, Final, cast
from urllib.parse import urlsplit

from drill.errors import DrillError
from kube.connection import LOCAL_HOSTS
from kube.objects import at

_SECONDS: Final = 60.0
_LAST_LINES: Final = 2
_TOKEN: Final = re.compile(r"[\w.~+/=-]+", re.ASCII)
"""A bearer token's letters (RFC 6750, "b64token")."""


class SignIn:
    """Whoever is signed in with `az`, in whichever of Azure's clouds."""

    def __init__(self, command: str = "az") -> None:
        """Asks for the cloud; a token is asked for when it is needed.

        Raises:
            DrillError: there is no `az`, or it does not answer.
        """
        self._command = command
        endpoint = at(_asked(command, "cloud", "show"), "endpoints", "resourceManager")
        self.endpoint = str(endpoint or "").rstrip("/")
        if not _is_safe(self.endpoint):
            raise DrillError(
                "`az cloud show` names no Resource Manager that is reached by https; `az cloud set` sets one"
            )
        self._token = ""

    @property
    def local(self) -> bool:
        """Whether that is a stand-in on this machine."""
        return urlsplit(self.endpoint).hostname in LOCAL_HOSTS

    def token(self, *, anew: bool = False) -> str:
        """A bearer token for Resource Manager, the last one unless `anew`.

        Raises:
            DrillError: nobody is signed in.
        """
        if anew or not self._token:
            answer = _asked(
                self._command, "account", "get-access-token", "--resource", f"{self.endpoint}/"
            ).get("accessToken")
            if not isinstance(answer, str) or not _TOKEN.fullmatch(answer):
                raise DrillError("`az account get-access-token` gives no token; run `az login`")
            self._token = answer
        return self._token


def _is_safe(endpoint: str) -> bool:
    """Whether a token may be sent there: by https, or to this machine."""
    try:
        parts = urlsplit(endpoint)
        local = parts.hostname in LOCAL_HOSTS
        return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and local))
    except ValueError:
        return False


def _asked(command: str, *words: str) -> Mapping[str, Any]:
    """What a command of `az` answers.

    Raises:
        DrillError: it can't be run, fails, or answers with something else.
    """
    said = f"`{command} {' '.join(words[:2])}`"
    try:
        done = subprocess.run(  # noqa: S603 - the caller's own az, with words of ours
            [command, *words, "--output", "json"],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise DrillError(f"{said} does not answer within {_SECONDS:.0f} s; try it by hand") from None
    except OSError:
        raise DrillError(
            f"{command} can't be run; install the Azure CLI and `az login`: evictions are asked for with that sign-in"
        ) from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise DrillError(f"{said} failed: {' | '.join(lines[-_LAST_LINES:])}; `az login` signs in")
    try:
        answer: object = json.loads(done.stdout)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise DrillError(f"{said} answers with something else than a JSON object; try it by hand")
    return cast(Mapping[str, Any], answer)
