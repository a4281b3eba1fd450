"""One rule of Azure, and the requests that rules judge."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.text.files import rows

BAD_REQUEST: Final = 400
_INVALID: Final = (
    "The value of parameter {} is invalid. Error details: {} "
    "Please see https://aka.ms/aks-naming-rules for more details."
)
"""AKS's sentence for a parameter it refuses."""
SPOT_KEY: Final = "kubernetes.azure.com/scalesetpriority"
SPOT_TAINT: Final = f"{SPOT_KEY}=spot:NoSchedule"

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Rule(Generic[T]):
    """A request that breaks it is answered with `status`, `code` and `message`."""

    id: str
    code: str = "InvalidParameter"
    message: str
    """Template of the message; its fields are what `broken` returns."""
    broken: Callable[[T], Mapping[str, object] | None]
    """The fields of the message when a request breaks the rule, else None."""
    source: str = ""
    """Document of the rule: it is Azure's, the words are ours."""
    quotes: str = ""
    """In place of `source`: what quotes the message as Azure words it."""
    status: int = BAD_REQUEST


@dataclass(frozen=True, kw_only=True)
class PoolRequest:
    """A PUT of one agent pool, inline or not."""

    name: str
    body: Json
    """The pool's properties in wire names."""
    existing: Json | None
    """Body of a GET before the PUT, None when the pool is new."""
    location: str
    control_plane_version: str
    """Kubernetes version that the cluster runs, `1.34.4`."""
    cluster: Json
    """Body of its cluster before the PUT, with the pools it has."""
    subnets: Mapping[str, Json]
    """Body of every subnet of Azure, by `arm.key` of its id."""
    today: Callable[[], date]

    @property
    def spot(self) -> bool:
        """Whether its priority is Spot."""
        return self.body.get("scaleSetPriority") == "Spot"

    @property
    def system(self) -> bool:
        """Whether its mode is System."""
        return self.body.get("mode") == "System"

    @property
    def taints(self) -> list[str]:
        """Node taints, `key=value:Effect` each."""
        return list(self.body.get("nodeTaints") or [])

    @property
    def size(self) -> aks_facts.VmSize | None:
        """Its VM size, None when the catalogue does not know it."""
        return vm_size(str(self.body.get("vmSize", "")))

    @property
    def pools(self) -> list[Json]:
        """Every pool that the cluster has after the PUT."""
        others = [pool for pool in arm.listed(self.cluster, "agentPoolProfiles") if pool["name"] != self.name]
        return [*others, (self.existing or {}) | self.body]

    @property
    def overlay(self) -> bool:
        """Whether the cluster's pods have a range of their own, so that a node takes one address of its subnet."""
        return arm.at(self.cluster, "networkProfile.networkPluginMode") == "overlay"


@dataclass(frozen=True, kw_only=True)
class ClusterRequest:
    """A PUT of a managed cluster."""

    name: str
    resource_group: str
    body: Json
    existing: Json | None
    today: date
    subnets: Mapping[str, Json]
    """Body of every subnet of Azure, by `arm.key` of its id."""
    networks: Mapping[str, Json]
    """Body of every virtual network of Azure, by `arm.key` of its id."""

    @property
    def new(self) -> bool:
        """Whether there is no such cluster yet."""
        return self.existing is None

    @property
    def pools(self) -> list[Json]:
        """Its inline agent pools."""
        return list(self.body.get("agentPoolProfiles") or [])

    def get(self, path: str) -> Any:
        """The value at a dotted path of the request."""
        return arm.at(self.body, path)

    def before(self, path: str) -> Any:
        """The value at a dotted path before the request."""
        return arm.at(self.existing or {}, path)

    @property
    def subnet_ids(self) -> list[str]:
        """Ids of the subnets its inline pools use, as `arm.key` has them."""
        return sorted({arm.key(pool["vnetSubnetID"]) for pool in self.pools if pool.get("vnetSubnetID")})

    def pool_subnets(self) -> list[Json]:
        """The subnets its inline pools use and Azure knows."""
        return [self.subnets[subnet_id] for subnet_id in self.subnet_ids if subnet_id in self.subnets]

    def pool_networks(self) -> list[Json]:
        """The virtual networks of these subnets, each with all its subnets."""
        ids = sorted({str(arm.parent_id_of(subnet_id)) for subnet_id in self.subnet_ids})
        return [self.networks[network_id] for network_id in ids if network_id in self.networks]


@dataclass(frozen=True, kw_only=True)
class ResourceRequest:
    """A PUT of any resource."""

    type: str
    """Pulumi type token."""
    id: str
    body: Json
    existing: Json | None
    peers: tuple[Json, ...]
    """Bodies of the other resources of the type."""

    @property
    def name(self) -> str:
        """Name of the resource."""
        return arm.name_of(self.id)


def rules(checks: Mapping[str, Callable[[T], Mapping[str, object] | None]]) -> tuple[Rule[T], ...]:
    """The rules of these ids; `refusals.csv` has their answers, and what these rest on."""
    return tuple(_rule(answers()[rule_id], broken) for rule_id, broken in checks.items())


def _rule(row: Mapping[str, str], broken: Callable[[T], Mapping[str, object] | None]) -> Rule[T]:
    parameter, message = row["parameter"], row["message"]
    return Rule(
        id=row["rule"],
        code=row["code"] or Rule.code,
        message=_INVALID.format(parameter, message) if parameter else message,
        broken=broken,
        source=row["source"],
        quotes=row["quotes"],
        status=int(row["status"] or Rule.status),
    )


@cache
def answers() -> Mapping[str, Mapping[str, str]]:
    """The rows of `refusals.csv` by rule: status (400 if empty), code (`InvalidParameter` if empty), words, source."""
    return {row["rule"]: row for row in rows(Path(__file__).with_name("refusals.csv"))}


def when(broken: bool, **fields: object) -> Mapping[str, object] | None:  # noqa: FBT001 - reads as "when x"
    """The fields of a message when a rule is broken, else None."""
    return fields if broken else None


def disabled(request: ClusterRequest, path: str) -> Mapping[str, object] | None:
    """What a request breaks that switches off what stays on for ever."""
    return when(request.before(path) is True and request.get(path) is False)


def vm_size(name: str) -> aks_facts.VmSize | None:
    """A VM size by its name in any case, as AKS takes it."""
    return _sizes().get(name.casefold())


@cache
def _sizes() -> Mapping[str, aks_facts.VmSize]:
    return {name.casefold(): size for name, size in aks_facts.vm_sizes().items()}
