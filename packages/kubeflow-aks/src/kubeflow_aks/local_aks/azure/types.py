"""The ARM types the program may use, and how azure-native treats each; `types.csv` has them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER
from kubeflow_aks.text.files import rows

_IDS: Final = ("scope", "resourceUri")
"""Inputs that are whole ids: what a resource belongs to that can belong to any other."""


class AutoName(Enum):
    """How azure-native names a resource whose program gives no name (`getDefaultName` in `provider.go`)."""

    RANDOM = "logical name and 8 random hex digits"
    COPY = "logical name as it is"
    UUID = "random UUID"


class Evidence(Enum):
    """Source for the values that Azure adds to a PUT."""

    RECORDING = "recording"
    """Azure-native 2.90.0 in March 2025 (tests/local_aks/azure/data/azure-native-aks-recording.json)."""
    API_SCHEMA = "API schema"
    """Azure's, as the SDK of azure-native has it: names and forms of all values, and defaults."""
    DOCUMENT = "document"
    NOTHING = "nothing"
    """Our assumption."""


@dataclass(frozen=True, kw_only=True)
class Inline:
    """A property of a resource that holds nested resources, which can also be resources of their own."""

    property: str
    type: str
    """Pulumi type token of the nested resource."""
    segment: str
    """Segment of the nested resource's id, e.g. `agentPools`."""
    owned: bool
    """Whether a PUT that leaves an entry out deletes it, and a PUT that brings a new one creates it."""


@dataclass(frozen=True, kw_only=True)
class ArmType:
    """One resource type."""

    pulumi: str
    """Pulumi type token."""
    arm: str
    """The `type` of its bodies."""
    path: str
    """Its id; names in braces are inputs of the resource, the last of them its name."""
    auto_name: AutoName = AutoName.RANDOM
    force_new: frozenset[str] = frozenset()
    """Body properties whose change replaces the resource (`forceNewMap` in `replacement.go`, `x-ms-mutability`)."""
    inline: Inline | None = None
    located: bool = True
    """Whether it has a location, which Check fills in."""
    evidence: Evidence = Evidence.API_SCHEMA
    """What its answers rest on."""
    other_evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    """Properties whose values rest on something else."""

    @cached_property
    def path_inputs(self) -> tuple[str, ...]:
        """The inputs that make up its id."""
        return tuple(name for name in re.findall(r"{(\w+)}", self.path) if name != "subscriptionId")

    @property
    def name_input(self) -> str:
        """The input that names it."""
        return self.path_inputs[-1]

    @property
    def replacing(self) -> frozenset[str]:
        """Every property path whose change replaces the resource."""
        return self.force_new.union(self.path_inputs)

    def id_of(self, inputs: Mapping[str, Any], subscription: str) -> str:
        """The ARM id that inputs describe."""
        return self.path.format(subscriptionId=subscription, **inputs).replace("//", "/")

    def names_in(self, arm_id: str) -> dict[str, str]:
        """The path inputs read back from an id; empty when the id is of another type."""
        pattern = re.sub(r"{(\w+)}", lambda m: f"(?P<{m[1]}>{'.+' if m[1] in _IDS else '[^/]+'})", self.path)
        match = re.fullmatch(pattern, arm_id, re.IGNORECASE)
        return {k: v for k, v in match.groupdict().items() if k != "subscriptionId"} if match else {}


VIRTUAL_NETWORK: Final = "azure-native:network:VirtualNetwork"
BLOB_CONTAINER: Final = "azure-native:storage:BlobContainer"
FEDERATED_CREDENTIAL: Final = "azure-native:managedidentity:FederatedIdentityCredential"
STORAGE_ACCOUNT: Final = "azure-native:storage:StorageAccount"
SUBNET: Final = "azure-native:network:Subnet"
PUBLIC_IP: Final = "azure-native:network:PublicIPAddress"
REGISTRY: Final = "azure-native:containerregistry:Registry"
RESOURCE_GROUP: Final = "azure-native:resources:ResourceGroup"
ROLE_ASSIGNMENT: Final = "azure-native:authorization:RoleAssignment"
LOG_WORKSPACE: Final = "azure-native:operationalinsights:Workspace"

_INLINE: Final = {
    VIRTUAL_NETWORK: Inline(property="subnets", type=SUBNET, segment="subnets", owned=True),
    MANAGED_CLUSTER: Inline(property="agentPoolProfiles", type=AGENT_POOL, segment="agentPools", owned=False),
}


def _type(row: Mapping[str, str]) -> ArmType:
    return ArmType(
        pulumi=row["token"],
        arm=row["arm"],
        path=row["path"],
        auto_name=AutoName[row["named"].upper()],
        force_new=frozenset(row["replaced by"].split()),
        inline=_INLINE.get(row["token"]),
        located=row["located"] == "yes",
        evidence=Evidence(row["evidence"]),
        other_evidence={
            **dict.fromkeys(row["documented"].split(), Evidence.DOCUMENT),
            **dict.fromkeys(row["assumed"].split(), Evidence.NOTHING),
        },
    )


TYPES: Final[Mapping[str, ArmType]] = {
    row["token"]: _type(row) for row in rows(Path(__file__).with_name("types.csv"))
}
"""Every type the stand-in knows, by Pulumi type token."""
