"""What differs between a program and what exists, read from `pulumi preview --refresh --json`. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.recorder.marks import UNKNOWNS

_UNCHANGED: Final = frozenset({"same", "read", "refresh"})
_ROLE_ASSIGNMENT: Final = "azure-native:authorization:RoleAssignment"
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_POOL: Final = "azure-native:containerservice:AgentPool"
_PROVIDER: Final = "pulumi:providers:"
_CONFLICT: Final = "server-side apply field conflict"
_OWNER: Final = re.compile(r'conflicts? with "([^"\n]{1,200})"')
_LISTED_POOL: Final = re.compile(r"agentPoolProfiles\[(\d+)\]")
_CONSEQUENCES: Final = ("preview failed", "Resource monitor has terminated, shutting down")
"""Errors without a resource that follow those of resources: the engine's, and the program's where the engine stopped
first (pulumi's Python SDK, `pulumi/runtime/settings.py`)."""
_LAST_LINES: Final = 5


class PreviewError(InconclusiveError):
    """The preview failed for another reason than drift; the text is for the user."""


@dataclass(frozen=True)
class Drift:
    """One resource that differs from the program.

    Attributes:
        operation: what `pulumi up` would do about it.
        paths: properties that differ; empty for one that is created or deleted.
        owners: field managers that hold fields of it, for an object whose preview fails because of them.
    """

    operation: str
    type: str
    name: str
    paths: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()


def drifts(output: str, errors: str) -> list[Drift]:
    """The resources that differ, sorted, by stdout and stderr of `pulumi preview --refresh --json`.

    Left out is what only looks different in a preview (`docs/facts/pulumi.md#drift`): role assignments whose principal
    is known after `up`, and the pools that a cluster lists and the stack has as resources of their own.

    Raises:
        PreviewError: it failed, and not by a conflict with a field manager; or its output has an unexpected form.
    """
    try:
        return _drifts(json.loads(output))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        lines = [line for line in errors.splitlines() if line.strip()]
        otherwise = "`pulumi preview --json` wrote nothing that can be read"
        raise PreviewError("\n".join(lines[-_LAST_LINES:]) or otherwise) from error


def _drifts(document: Mapping[str, Any]) -> list[Drift]:
    steps: list[Mapping[str, Any]] = document.get("steps") or []
    owners = _owners(document.get("diagnostics") or [])
    pools = {_inputs(step, "newState").get("agentPoolName") for step in steps if _type(step) == _POOL}
    by_urn = {urn: Drift("update", type_in(urn), name_in(urn), (), held) for urn, held in owners.items()}
    for step in steps:
        if step["op"] in _UNCHANGED or _type(step).startswith(_PROVIDER) or _only_looks_replaced(step):
            continue
        paths = tuple(_differing(step, pools))
        if paths or step["op"] != "update":
            urn = step["urn"]
            by_urn[urn] = Drift(step["op"], _type(step), name_in(urn), paths, owners.get(urn, ()))
    return sorted(by_urn.values(), key=lambda drift: (drift.type, drift.name))


def _owners(diagnostics: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Field managers by resource, from the messages of a preview that they made fail."""
    owners: dict[str, tuple[str, ...]] = {}
    others: list[str] = []
    for diagnostic in diagnostics:
        if diagnostic.get("severity") != "error":
            continue
        urn, message = diagnostic.get("urn") or "", str(diagnostic.get("message"))
        if _CONFLICT in message and urn:
            owners[urn] = tuple(sorted(set(_OWNER.findall(message)))) or ("unknown",)
        elif urn or message.strip().removeprefix("error: ") not in _CONSEQUENCES:
            others.append(message.strip())
    if others or (not owners and any(entry.get("severity") == "error" for entry in diagnostics)):
        raise PreviewError("\n".join(others) or "pulumi preview failed without a reason")
    return owners


def _differing(step: Mapping[str, Any], own_pools: set[Any]) -> Iterator[str]:
    listed: Sequence[Mapping[str, Any]] = _inputs(step, "oldState").get("agentPoolProfiles") or []
    different: Mapping[str, Any] = step.get("detailedDiff") or {}
    for path in different:
        pool = _LISTED_POOL.fullmatch(path)
        if _type(step) == _CLUSTER and pool and int(pool[1]) < len(listed):
            name = listed[int(pool[1])].get("name")
            if name in own_pools:
                continue
            yield f"agentPoolProfiles[{name}]"
        else:
            yield path


def _only_looks_replaced(step: Mapping[str, Any]) -> bool:
    """Whether a role assignment's principal is all that differs, and nobody knows it before `up`."""
    after = _inputs(step, "newState")
    return (
        _type(step) == _ROLE_ASSIGNMENT
        and set(step.get("detailedDiff") or {}) == {"principalId"}
        and after.get("principalId") in UNKNOWNS
    )


def _inputs(step: Mapping[str, Any], which: str) -> Mapping[str, Any]:
    """The inputs of a step's `oldState` or `newState`; empty where it has none."""
    state: Mapping[str, Any] = step.get(which) or {}
    return state.get("inputs") or {}


def _type(step: Mapping[str, Any]) -> str:
    return type_in(step["urn"])


def type_in(urn: str) -> str:
    """The type in a URN, whose parents' types stand before it."""
    return urn.split("::")[2].rpartition("$")[2]


def name_in(urn: str) -> str:
    """The name in a URN."""
    return urn.split("::", 3)[3]
