"""The plan document: what one run registered, as JSON for people, cost, policy and the local AKS.

`plan.schema.json` beside this file is its contract. The order of everything is stable: resources by URN, keys by name,
pools as the program makes them.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict, cast

from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.recorder.monitor import Resource
from kubeflow_aks.recorder.run import Record
from kubeflow_aks.recorder.stack_files import ENCRYPTED

VERSION = 1
SECRET = "[secret]"  # noqa: S105 - what stands in place of a secret
SCHEMA = Path(__file__).parent / "plan.schema.json"

WORKLOAD_LABEL: Final = "kubeflow-aks/workload"
"""Node label by which batch work selects its pools (docs/decisions/0003-labels-and-taints.md)."""
_CLUSTER = "azure-native:containerservice:ManagedCluster"
_AGENT_POOL = "azure-native:containerservice:AgentPool"


class PoolContractError(InconclusiveError, LookupError):
    """The program's output `poolContract` leaves out an agent pool; the text is one line for the user."""


class PlannedResource(TypedDict):
    """One resource; inputs with wire names, paths as `metadata.labels.app` or `subjects[0].name`."""

    urn: str
    type: str
    name: str
    parent: str
    inputs: dict[str, Any]
    secretInputs: list[str]
    unknownInputs: list[str]
    options: dict[str, Any]
    dependsOn: list[str]


class OsDisk(TypedDict):
    """OS disk of a pool's nodes."""

    type: str
    sizeGib: int


class Pool(TypedDict):
    """One agent pool; taints as `key=value:Effect`, price in USD per hour (-1: up to on demand).

    `pool` is the name that several VM sizes for the same work share.
    """

    name: str
    pool: str
    role: str
    vmSize: str
    priority: str
    min: int
    max: int
    labels: dict[str, str]
    taints: list[str]
    evictionPolicy: str | None
    maxPrice: float | None
    osDisk: OsDisk
    fallbackOf: str | None


class PlanDocument(TypedDict):
    """The whole document."""

    version: int
    stack: str
    resources: list[PlannedResource]
    outputs: dict[str, Any]
    secretOutputs: list[str]
    unknownOutputs: list[str]
    pools: list[Pool]


class _Contract(TypedDict):
    """One pool of the program's output `poolContract`."""

    name: str
    role: str
    fallback: str | None
    pool: NotRequired[str | None]


def plan_document(record: Record) -> PlanDocument:
    """The document of one run. Secrets are masked, known or not; other unknown values are None.

    Raises:
        PoolContractError: the program made an agent pool that its `poolContract` output does not name.
    """
    return {
        "version": VERSION,
        "stack": record.stack,
        "resources": planned_resources(record),
        "outputs": _masked(record.outputs, record.secret_outputs),
        "secretOutputs": sorted(record.secret_outputs),
        "unknownOutputs": sorted(record.unknown_outputs),
        "pools": list(_pools(record)),
    }


def planned_resources(record: Record) -> list[PlannedResource]:
    """The document's resources, also of a program whose pools the document cannot describe."""
    return [_resource(record.resources[urn]) for urn in sorted(record.resources)]


def to_json(document: PlanDocument) -> str:
    """The text of `plan.json`; the same plan gives the same bytes. Values that nobody decrypted are `SECRET`."""
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return text.replace(json.dumps(ENCRYPTED)[1:-1], SECRET)


def shared_name(entry: Mapping[str, Any]) -> str:
    """The name in the contract that a pool shares with those of other VM sizes for the same work, or its own."""
    return entry.get("pool") or entry["name"]


def _resource(resource: Resource) -> PlannedResource:
    return {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "parent": resource.parent,
        "inputs": _masked(resource.inputs, resource.secret_inputs),
        "secretInputs": sorted(resource.secret_inputs),
        "unknownInputs": sorted(resource.unknown_inputs),
        "options": _options(resource),
        "dependsOn": sorted(resource.depends_on),
    }


def _options(resource: Resource) -> dict[str, Any]:
    options = dict(sorted(resource.options.items()))
    if provider := options.get(
        "provider"
    ):  # the protocol has `<urn>::<id>`, but the id is unknown before `up`
        options["provider"] = provider.rpartition("::")[0]
    return options


def _masked(value: Any, secrets: Collection[str], path: str = "") -> Any:
    """A value without its secrets, keys in order; paths are built as `recorder.monitor.Values` builds them."""
    if path and path in secrets:
        return SECRET
    if isinstance(value, dict):
        items = sorted(cast(dict[str, Any], value).items())
        return {key: _masked(item, secrets, f"{path}.{key}" if path else key) for key, item in items}
    if isinstance(value, list):
        return [_masked(item, secrets, f"{path}[{i}]") for i, item in enumerate(cast(list[Any], value))]
    return value


def _pools(record: Record) -> Iterator[Pool]:
    """The cluster's own profiles, other system pools, then the pools in the order of the contract.

    None of a program without that output: what its pools are for is known to its authors only.
    """
    if "poolContract" not in record.outputs:
        return
    for cluster in record.of(_CLUSTER):
        for profile in cluster.inputs["agentPoolProfiles"]:
            yield _pool(profile, {"name": profile["name"], "role": "system", "fallback": None})
    contract = cast(list[_Contract], record.outputs.get("poolContract") or [])
    inputs = {pool.inputs["agentPoolName"]: pool.inputs for pool in record.of(_AGENT_POOL)}
    for name in [name for name, pool in inputs.items() if pool["mode"] == "System"]:
        yield _pool(inputs.pop(name), {"name": name, "role": "system", "fallback": None})
    if unnamed := inputs.keys() - {entry["name"] for entry in contract}:
        names = ", ".join(sorted(unnamed))
        raise PoolContractError(
            f"{record.stack}: the output poolContract does not name the agent pools {names}"
        )
    spot_of = {entry["fallback"]: shared_name(entry) for entry in contract if entry["fallback"]}
    for entry in contract:
        yield _pool(inputs[entry["name"]], entry, spot_of.get(shared_name(entry)))


def _pool(wire: dict[str, Any], entry: _Contract, fallback_of: str | None = None) -> Pool:
    return {
        "name": entry["name"],
        "pool": shared_name(entry),
        "role": entry["role"],
        "vmSize": wire["vmSize"],
        "priority": wire.get("scaleSetPriority", "Regular"),
        "min": wire["minCount"],
        "max": wire["maxCount"],
        "labels": dict(sorted(wire.get("nodeLabels", {}).items())),
        "taints": wire.get("nodeTaints", []),
        "evictionPolicy": wire.get("scaleSetEvictionPolicy"),
        "maxPrice": wire.get("spotMaxPrice"),
        "osDisk": {"type": wire["osDiskType"], "sizeGib": wire["osDiskSizeGB"]},
        "fallbackOf": fallback_of,
    }
