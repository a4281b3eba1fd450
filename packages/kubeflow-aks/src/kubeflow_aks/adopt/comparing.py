"""What the program states of a resource, compared with what is there."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.adopt.existing import find
from kubeflow_aks.json_values import at, entries, is_mapping
from kubeflow_aks.recorder.run import Resource
from kubeflow_aks.text.columns import cut_apart

_PLACE: Final = frozenset(
    {"resourceName", "resourceGroupName", "agentPoolName", "configName", "type", "name"}
)
"""What makes up the id, by which the resource is imported."""
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_REPLACING: Final[Mapping[str, tuple[str, ...]]] = {
    _CLUSTER: (
        "diskEncryptionSetID",
        "linuxProfile",
        "location",
        "networkProfile",
        "nodeResourceGroup",
        "windowsProfile",
    ),
    "azure-native:containerservice:AgentPool": ("gpuInstanceProfile", "vmSize"),
    "azure-native:managedidentity:UserAssignedIdentity": ("location",),
}
"""Properties for which azure-native replaces a resource (docs/facts/pulumi.md#what-azure-native-replaces)."""
_FOR_LIFE: Final = (
    "availabilityZones",
    "maxPods",
    "osDiskSizeGB",
    "osDiskType",
    "vmSize",
    "enableEncryptionAtHost",
)
"""What Azure refuses to change of the cluster's own pool (docs/facts/aks.md#immutable-pool-properties)."""
_LONGEST: Final = 60


@dataclass(frozen=True, kw_only=True)
class Change:
    """One property that the first `up` would change.

    Attributes:
        path: as azure-native spells it.
        before: what is there; None for nothing.
        after: what the program states; None where it states nothing.
        replaces: whether the resource would be made anew, or Azure would refuse.
    """

    path: str
    before: Any
    after: Any
    replaces: bool

    def __str__(self) -> str:
        before, after = cut_apart(_shown(self.before), _shown(self.after), _LONGEST)
        return f"{self.path}: {before} → {after}"


def changes(resource: Resource, existing: Mapping[str, Any]) -> list[Change]:
    """What differs, but for what the program leaves as it is."""
    ignored = frozenset(resource.options.get("ignoreChanges", ()))
    replacing = (*_REPLACING.get(resource.type, ()), *resource.options.get("replaceOnChanges", ()))
    unknown = resource.unknown_inputs
    differences = [
        *_stated(resource.inputs, existing, "", ignored, unknown),
        *_unstated(resource, existing, ignored),
    ]
    return [
        Change(path=path, before=before, after=after, replaces=_replaces(path, replacing, resource.type))
        for path, before, after in sorted(differences, key=lambda difference: difference[0])
    ]


def _replaces(path: str, replacing: tuple[str, ...], kind: str) -> bool:
    if path.startswith("agentPoolProfiles["):
        return path.rpartition(".")[2] in _FOR_LIFE
    inside = path if kind != _CLUSTER else path.partition(".")[0]
    return any(inside == replaced or path.startswith(f"{replaced}.") for replaced in replacing)


def _stated(
    inputs: Mapping[str, Any], existing: Any, path: str, ignored: frozenset[str], unknown: frozenset[str]
) -> Iterator[tuple[str, Any, Any]]:
    """Every property that the program states and that is otherwise there."""
    for key, value in inputs.items():
        here = f"{path}.{key}" if path else key
        if (not path and key in _PLACE) or here in ignored:
            continue
        before = find(existing, key)
        if key == "agentPoolProfiles":
            yield from _own_pools(value, entries(before), ignored, unknown)
        elif here in unknown or any(unknown_path.startswith(f"{here}[") for unknown_path in unknown):
            continue
        elif is_mapping(value):
            yield from _stated(value, before, here, ignored, unknown)
        elif not _same(before, value):
            yield here, before, value


def _own_pools(
    stated: list[Mapping[str, Any]], existing: list[Any], ignored: frozenset[str], unknown: frozenset[str]
) -> Iterator[tuple[str, Any, Any]]:
    """The cluster's own pool, which AKS finds by its name."""
    for pool in stated:
        before = next((it for it in existing if find(it, "name") == pool["name"]), None)
        path = f"agentPoolProfiles[{pool['name']}]"
        left = {*ignored, f"{path}.count", f"{path}.name", f"{path}.type", f"{path}.mode"}
        yield from _stated(pool, before, path, frozenset(left), unknown)
        if labels := find(before, "nodeLabels"):
            yield f"{path}.nodeLabels", labels, None


def _unstated(
    resource: Resource, existing: Mapping[str, Any], ignored: frozenset[str]
) -> Iterator[tuple[str, Any, Any]]:
    """What is there of a pool that the program would replace for stating nothing of it."""
    for key in resource.options.get("replaceOnChanges", ()):
        before = find(existing, key)
        if before not in (None, [], {}) and at(resource.inputs, key) is None and key not in ignored:
            yield key, before, None


def _same(before: Any, after: Any) -> bool:
    """Equal for Azure, which ignores the case of sizes and ids, and takes numbers and booleans as text."""
    if before in (None, [], {}, "") and after in (None, [], {}, ""):
        return True
    if isinstance(before, list) and isinstance(after, list):
        return sorted(map(_plain, entries(before))) == sorted(map(_plain, entries(after)))
    return _plain(before) == _plain(after)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{float(value):g}"
    return value.casefold() if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
