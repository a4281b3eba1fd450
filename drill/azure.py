"""Azure Resource Manager, as far as a drill needs it: read a scale set, and have one of its VMs evicted.

Source: "Virtual Machine Scale Set VMs - Simulate Eviction" (204 where Azure will evict the VM); Azure/azure-cli#14133
(it may take 30 minutes).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import urllib3

from drill.errors import DrillError
from drill.sign_in import SignIn
from kube.objects import at

_API_VERSION: Final = "2024-11-01"
_RIGHT: Final = "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/simulateEviction/action"
_READ_RIGHT: Final = "Microsoft.Compute/virtualMachineScaleSets/read"
_POOL_TAG: Final = "aks-managed-poolName"
_PROVIDER_ID: Final = re.compile(
    r"azure:///subscriptions/(?P<subscription>[^/]+)/resourceGroups/(?P<group>[^/]+)"
    r"/providers/Microsoft\.Compute/virtualMachineScaleSets/(?P<set>[^/]+)/virtualMachines/(?P<id>[^/]+)",
    re.IGNORECASE,
)
_ACCEPTED: Final = frozenset({HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT})
_AGAIN: Final = frozenset({HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})
_ATTEMPTS: Final = 5
_PAUSE_SECONDS: Final = 5.0
_LONGEST_PAUSE_SECONDS: Final = 60.0
_TIMEOUT: Final = urllib3.Timeout(connect=10.0, read=60.0)


@dataclass(frozen=True)
class Vm:
    """One VM of a scale set."""

    subscription: str
    group: str
    scale_set: str
    instance: str

    @classmethod
    def of(cls, node: str, provider_id: str) -> Vm:
        """The VM of a node, by its `spec.providerID`.

        Raises:
            DrillError: it is none of a scale set.
        """
        found = _PROVIDER_ID.fullmatch(provider_id)
        if not found:
            raise DrillError(f"node {node} is no VM of a scale set ({provider_id or 'it has no providerID'})")
        return cls(found["subscription"], found["group"], found["set"], found["id"])

    @property
    def set_path(self) -> str:
        """The scale set's path in Resource Manager."""
        return (
            f"/subscriptions/{quote(self.subscription, safe='')}/resourceGroups/{quote(self.group, safe='')}"
            f"/providers/Microsoft.Compute/virtualMachineScaleSets/{quote(self.scale_set, safe='')}"
        )

    @property
    def path(self) -> str:
        """Its own path."""
        return f"{self.set_path}/virtualMachines/{quote(self.instance, safe='')}"


class ResourceManager:
    """Resource Manager with the caller's sign-in."""

    def __init__(self, sign_in: SignIn, *, sleep: Callable[[float], object] = time.sleep) -> None:
        self._sign_in = sign_in
        self._sleep = sleep
        self._pool = urllib3.PoolManager(retries=False, timeout=_TIMEOUT)

    def check_spot(self, vm: Vm, pool: str) -> None:
        """Makes sure that a VM's scale set is that spot pool's.

        Raises:
            DrillError: it is another, is no spot pool, or can't be read.
        """
        answer = self._call("GET", vm.set_path, _READ_RIGHT)
        if answer.status != HTTPStatus.OK:
            raise DrillError(f"scale set {vm.scale_set} can't be read: {_said(answer)}")
        scale_set = _object(answer)
        if (owner := at(scale_set, "tags", _POOL_TAG)) != pool:
            raise DrillError(
                f"scale set {vm.scale_set} belongs to pool {owner}, not to {pool}; nothing was evicted"
            )
        if at(scale_set, "properties", "virtualMachineProfile", "priority") != "Spot":
            raise DrillError(
                f"{pool}: its scale set {vm.scale_set} is not a spot pool's; nothing was evicted"
            )

    def evict(self, vm: Vm) -> bool:
        """Has Azure evict a spot VM; False where it is gone already.

        Raises:
            DrillError: Azure does not.
        """
        answer = self._call("POST", f"{vm.path}/simulateEviction", _RIGHT)
        if answer.status == HTTPStatus.NOT_FOUND:
            return False
        if answer.status not in _ACCEPTED:
            raise DrillError(f"Azure does not evict {vm.scale_set}/{vm.instance}: {_said(answer)}")
        return True

    def _call(self, method: str, path: str, right: str) -> urllib3.BaseHTTPResponse:
        """One request, again while Azure is busy with another, and once more with a new token."""
        anew = False
        for attempt in range(_ATTEMPTS):
            answer = self._send(method, path, anew=anew)
            anew = answer.status == HTTPStatus.UNAUTHORIZED and not anew
            if answer.status == HTTPStatus.FORBIDDEN:
                raise DrillError(
                    f"whoever is signed in with `az` lacks the right {right} on the node resource group; "
                    f"ask for a role that has it ({_code(answer)})"
                )
            if answer.status == HTTPStatus.UNAUTHORIZED and not anew:
                raise DrillError("Azure does not take the sign-in of `az`; run `az login`")
            if attempt == _ATTEMPTS - 1 or not (anew or answer.status in _AGAIN):
                return answer
            if not anew:
                self._sleep(_pause(answer))
        raise AssertionError  # the last attempt returns

    def _send(self, method: str, path: str, *, anew: bool) -> urllib3.BaseHTTPResponse:
        headers = {"Authorization": f"Bearer {self._sign_in.token(anew=anew)}", "Accept": "application/json"}
        url = f"{self._sign_in.endpoint}{path}?api-version={_API_VERSION}"
        try:
            return self._pool.request(method, url, headers=headers, redirect=False)
        except urllib3.exceptions.HTTPError as error:
            reason = re.sub(r"^<.*?>: ", "", str(error))
            raise DrillError(f"{self._sign_in.endpoint} does not answer: {reason}") from None


def _pause(answer: urllib3.BaseHTTPResponse) -> float:
    """What Azure asks for with `Retry-After`, up to a minute."""
    wanted = answer.headers.get("Retry-After") or ""
    return min(float(wanted), _LONGEST_PAUSE_SECONDS) if wanted.isdecimal() else _PAUSE_SECONDS


def _object(answer: urllib3.BaseHTTPResponse) -> Mapping[str, Any]:
    try:
        value: object = json.loads(answer.data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _code(answer: urllib3.BaseHTTPResponse) -> str:
    return str(at(_object(answer), "error", "code") or answer.status)


def _said(answer: urllib3.BaseHTTPResponse) -> str:
    """Azure's own words, on one line."""
    message = str(at(_object(answer), "error", "message") or "")
    return f"{answer.status} {_code(answer)}{': ' if message else ''}{' '.join(message.split())}"
