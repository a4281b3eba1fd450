"""The file of `pulumi import`: what is there already, below the components that the program has it in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubeflow_aks.recorder.run import Record


def import_file(recorded: Record, imported: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The file's JSON, of a run of the program, and of URN and ARM id of each resource that is imported."""
    entries: dict[str, dict[str, Any]] = {}
    for urn, arm_id in imported:
        _add(recorded, urn, entries)["id"] = arm_id
    return {"resources": list(entries.values())}


def _add(recorded: Record, urn: str, entries: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The entry of a resource, after those of the components around it."""
    if urn in entries:
        return entries[urn]
    resource = recorded.resources[urn]
    parent = _add(recorded, resource.parent, entries) if resource.parent in recorded.resources else None
    kind = resource.type.rpartition(":")[2]
    entry: dict[str, Any] = {
        "type": resource.type,
        "name": f"{kind}-{resource.name}",  # in this file alone, where one name has one type
        "logicalName": resource.name,
    }
    if parent is not None:
        entry["parent"] = parent["name"]
    if not resource.custom:
        entry["component"] = True
    entries[urn] = entry
    return entry
