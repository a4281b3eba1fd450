"""A cluster that is there already, as `az` prints it, or Azure's API.

`az` spells acronyms like words (`osDiskSizeGb`) where Azure's API does not (`osDiskSizeGB`), so keys are compared
without their case.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.clients.az import Az
from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.json_values import entries, folded, is_mapping, text
from kubeflow_aks.text.files import content
from kubeflow_aks.text.sentences import shown

_ID: Final = re.compile(
    r"/subscriptions/[^/]+/resourceGroups/(?P<group>[^/]+)/providers/Microsoft\.ContainerService/managedClusters/"
    r"(?P<name>[^/]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class ExistingCluster:
    """One cluster of Azure.

    Attributes:
        id: ARM id.
        body: its properties, as `az aks show` has them.
        pools: its agent pools, each with a name; at least one, but where AKS Automatic has them to itself.
        maintenance: its maintenance configurations, each with a name; of a file that was not given, none.
    """

    id: str
    body: Mapping[str, Any]
    pools: tuple[Mapping[str, Any], ...]
    maintenance: tuple[Mapping[str, Any], ...]

    @property
    def name(self) -> str:
        """Its name."""
        return self.id.rpartition("/")[2]

    @property
    def automatic(self) -> bool:
        """Whether it is AKS Automatic, whose managed system pools `az` does not list."""
        return text(find(self.body, "sku", "name")).lower() == "automatic"

    @property
    def group(self) -> str:
        """Its resource group."""
        match = _ID.fullmatch(self.id)
        return match["group"] if match else ""


def find(value: Any, *path: str) -> Any:
    """The value at a path of keys whose case and hyphens do not matter, or None."""
    for key in path:
        if not is_mapping(value):
            return None
        value = next((item for name, item in value.items() if folded(name) == folded(key)), None)
    return value


def queried(az: Az, group: str, name: str) -> ExistingCluster:
    """The cluster of a name, as the caller of `az` may read it.

    Raises:
        AzError: no answer.
        InconclusiveError: an unexpected answer.
    """
    of_cluster = ("--resource-group", group, "--cluster-name", name)
    return cluster_of(
        az.json("aks", "show", "--resource-group", group, "--name", name),
        az.json("aks", "nodepool", "list", *of_cluster),
        az.json("aks", "maintenanceconfiguration", "list", *of_cluster),
    )


def read_json(file: str) -> Any:
    """The JSON of a file, `-` for stdin; its encoding is detected.

    Raises:
        InconclusiveError: it is not JSON.
        OSError: it can't be read.
    """
    try:
        return json.loads(content(file))
    except (ValueError, RecursionError):
        raise InconclusiveError(f"{file}: not JSON; expected what `az` prints with --output json") from None


def cluster_of(cluster: Any, pools: Any = None, maintenance: Any = None) -> ExistingCluster:
    """The cluster of parsed JSON: of `az aks show` or Azure's API, with answers that list its pools and windows.

    Without a list of pools they are those of the cluster.

    Raises:
        InconclusiveError: one of them is something else.
    """
    body = _flat(cluster)
    arm_id = text(find(body, "id"))
    if not _ID.fullmatch(arm_id):
        arm_id_shown = shown(arm_id) or "missing"
        raise InconclusiveError(
            f"id: {arm_id_shown}; expected the ARM id of an AKS cluster, as `az aks show` prints it"
        )
    if not text(find(body, "location")):
        raise InconclusiveError("location: missing; expected the region, as `az aks show` prints it")
    profiles = find(body, "agentPoolProfiles") if pools is None else pools
    named = _named(profiles, "pools", "`az aks nodepool list`")
    listed = () if maintenance is None else maintenance
    existing = ExistingCluster(
        id=arm_id,
        body=body,
        pools=named,
        maintenance=_named(listed, "maintenance", "`az aks maintenanceconfiguration list`"),
    )
    if not (named or existing.automatic):
        raise InconclusiveError(
            "agentPoolProfiles: missing; expected a list of pools, as `az aks show` prints it"
        )
    return existing


def _named(value: Any, what: str, command: str) -> tuple[Mapping[str, Any], ...]:
    if value is not None and not (isinstance(value, Sequence) and not isinstance(value, str)):
        raise InconclusiveError(f"{what}: not a list; expected what {command} prints")
    bodies = tuple(map(_flat, entries(value)))
    for number, one in enumerate(bodies):
        if not text(find(one, "name")):
            raise InconclusiveError(f"{what}[{number}]: without a name; expected what {command} prints")
    return bodies


def _flat(value: Any) -> Mapping[str, Any]:
    """An object with its `properties` among its own keys, as `az` prints what Azure's API nests."""
    if not is_mapping(value):
        return {}
    inner = find(value, "properties")
    flat = {**value, **inner} if is_mapping(inner) else value
    kind = text(find(flat, "typePropertiesType")) or text(find(flat, "type"))  # of a pool, or ARM's
    return {**flat, "type": None if "/" in kind else kind or None}
