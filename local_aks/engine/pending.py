"""Creations that a killed engine had begun: the state knows them as pending, nobody knows how they ended.

`pulumi up` would create such a resource again and be refused, because it exists. `pulumi refresh` asks a person for its
id, or takes it by `--import-pending-creates`, and then forgets the resource (engine 3.259 renames the operation to
"importing", which nothing reads). Here the id is looked up and written into the state, a refresh reads the outputs, and
the inputs are put back to those the engine had sent. The refresh would take in what the cloud filled in, and the next
`up` would replace the resource to take that out again. So the state is as if the answer had arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

_CREATING: Final = "creating"


@dataclass(frozen=True)
class PendingCreate:
    """A resource whose creation was begun.

    Attributes:
        inputs: as the program gave them; secrets are encrypted.
    """

    urn: str
    type: str
    inputs: Mapping[str, Any]


LookUp = Callable[[PendingCreate], str | None]
"""The id of the resource if it exists after all."""


def pending_creates(deployment: Mapping[str, Any]) -> tuple[PendingCreate, ...]:
    """What a deployment says was being created when its engine was killed."""
    creating = [
        operation["resource"] for operation in _operations(deployment) if operation["type"] == _CREATING
    ]
    return tuple(PendingCreate(of["urn"], of["type"], of.get("inputs", {})) for of in creating)


def settled(deployment: Mapping[str, Any], look_up: LookUp) -> dict[str, Any]:
    """The deployment without pending creations; those that exist are resources, for the next refresh to read."""
    ids = {pending.urn: look_up(pending) for pending in pending_creates(deployment)}
    created = [of for operation in _operations(deployment) if (of := operation["resource"])["urn"] in ids]
    taken_in = [{**of, "id": ids[of["urn"]]} for of in created if ids[of["urn"]]]
    left = [operation for operation in _operations(deployment) if operation["type"] != _CREATING]
    return {**deployment, "resources": [*deployment["resources"], *taken_in], "pending_operations": left}


def as_sent(deployment: Mapping[str, Any], creates: Collection[PendingCreate]) -> dict[str, Any]:
    """The deployment with the inputs of these creations as the engine had sent them."""
    inputs = {pending.urn: dict(pending.inputs) for pending in creates}
    resources = [
        {**of, "inputs": inputs[of["urn"]]} if of["urn"] in inputs else of
        for of in deployment.get("resources", [])
    ]
    return {**deployment, "resources": resources}


def _operations(deployment: Mapping[str, Any]) -> list[dict[str, Any]]:
    return deployment.get("pending_operations") or []
