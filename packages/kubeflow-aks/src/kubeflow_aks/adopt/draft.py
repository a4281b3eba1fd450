"""The stack file that comes nearest to a cluster: settings that the program accepts and that replace nothing."""

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aks_facts import vm_sizes
from kubeflow_aks.adopt.comparing import Change, changes, imported
from kubeflow_aks.adopt.existing import ExistingCluster, find
from kubeflow_aks.adopt.infer_settings import Settings, cluster_settings, own_identity, user_pool_settings
from kubeflow_aks.adopt.refusals import refusals, system_pool_reason, user_pool_reason
from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.json_values import at, text
from kubeflow_aks.recorder.run import Record, RefusedError, record
from kubeflow_aks.recorder.stack_files import read_stack

CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
POOL: Final = "azure-native:containerservice:AgentPool"
IDENTITY: Final = "azure-native:managedidentity:UserAssignedIdentity"
MAINTENANCE: Final = "azure-native:containerservice:MaintenanceConfiguration"
_POOL_MISTAKE: Final = re.compile(r"(?:systemPool|pools\.(?P<name>[^\s.:\[]+))[.:\[]")
_OPTIONAL: Final = ("autoscaler", "tags")
"""Groups whose values may be left out one by one, as the maintenance window may: the program's own take their place."""
_REFUSED: Final = "the program does not take the settings of this cluster; nothing was written:"
_OWN_POOL: Final = re.compile(r"agentPoolProfiles\[(?P<name>[^\]]+)\]")
_HOST: Final = (False, False, True)
_ONE_HOST: Final = (
    "the settings describe one Regular pool without taints and GPU, and another one comes first"
)


@dataclass(kw_only=True)
class Draft:
    """A stack file in the making.

    Attributes:
        pools: pools of the cluster that the settings describe, by name.
        left: why each other pool is not managed, by name.
        unstated: the program's message on each other value that it refuses, by key; its own takes the place.
    """

    settings: Settings
    pools: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    left: dict[str, str] = field(default_factory=dict[str, str])
    unstated: dict[str, str] = field(default_factory=dict[str, str])
    recorded: Record

    def imported(self, cluster: ExistingCluster) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """URN in the program, ARM id and what is there, of everything that is imported."""
        [managed] = self.recorded.of(CLUSTER)
        yield managed.urn, cluster.id, {**cluster.body, "agentPoolProfiles": list(cluster.pools)}
        if identity := own_identity(cluster):
            yield self.recorded.one(IDENTITY, f"{managed.name}-identity").urn, identity, {}
        for pool in self.recorded.of(POOL):
            name = str(pool.inputs["agentPoolName"])
            if name in self.pools:
                yield pool.urn, f"{cluster.id}/agentPools/{name}", self.pools[name]
        there = {text(find(window, "name")).lower(): window for window in cluster.maintenance}
        for window in self.recorded.of(MAINTENANCE):
            name = str(window.inputs["configName"])
            if name.lower() in there:
                yield window.urn, f"{cluster.id}/maintenanceConfigurations/{name}", there[name.lower()]

    def other_properties(self, cluster: ExistingCluster) -> Settings:
        """What the program does not state of the cluster's own pool, but for its version and power: both change."""
        [managed] = self.recorded.of(CLUSTER)
        [stated] = managed.inputs["agentPoolProfiles"]
        _, _, existing = next(self.imported(cluster))
        return {
            name: value
            for pool in imported(managed, existing)["agentPoolProfiles"]
            for name, value in pool.items()
            if name not in {*stated, "orchestratorVersion", "powerState"}
        }

    def changes(self, cluster: ExistingCluster) -> Iterator[tuple[str, Change]]:
        """URN and change of what is imported; of the identity `az aks show` has only the id."""
        certain = (
            {"identity.userAssignedIdentities[0]": own_identity(cluster)} if own_identity(cluster) else {}
        )
        for urn, _, existing in self.imported(cluster):
            if existing:
                for change in changes(self.recorded.resources[urn], existing, certain):
                    yield urn, change


def drafted(cluster: ExistingCluster, stack: str, root: Path, *, owner: str) -> Draft:
    """The nearest stack file of a cluster without `refusals`; pools that would be refused or replaced are left out.

    Raises:
        CommandError: the program refuses what is no pool's, no system pool is left, or the cluster would be replaced.
    """
    rejected: dict[str, str] = {}
    unstated: dict[str, str] = {}
    others: dict[str, Settings] = {}
    while True:
        system, pools, left = _chosen(cluster, rejected)
        system_name = text(find(system, "name"))
        settings = cluster_settings(cluster, system, owner=owner, environment=stack)
        settings["systemPool"] |= others.get(system_name, {})
        for key in unstated:
            group, _, name = key.partition(".")
            settings[group].pop(name)
        names = {text(find(pool, "name")) for pool in cluster.pools}
        settings["pools"] = _pools(root, stack, pools, names, settings.get("tags", {}))
        try:
            recorded = record(stack, root=root, preview=True, draft=stack_file(root, stack, settings))
        except RefusedError as refused:
            mistakes = [line.strip() for line in str(refused).splitlines()[1:]]
            of_pools = _pool_mistakes(mistakes, text(find(system, "name")), pools)
            of_values = _value_mistakes(mistakes, settings)
            if not (of_pools or of_values):
                raise CommandError("\n".join([_REFUSED, *(f"  {it}" for it in mistakes)])) from None
            rejected |= of_pools
            unstated |= of_values
            continue
        draft = Draft(settings=settings, pools=pools, left=left, unstated=unstated, recorded=recorded)
        if system_name not in others:
            properties = draft.other_properties(cluster)
            others[system_name] = {"otherProperties": properties} if properties else {}
            continue
        replaced = _replaced(draft, cluster)
        if not replaced:
            return draft
        rejected |= replaced


def stack_file(root: Path, stack: str, settings: Settings) -> dict[str, Any]:
    """What the stack file holds: the settings under the project's name."""
    project = read_stack(root, stack, draft={}).project
    return {"config": {f"{project}:{key}": value for key, value in settings.items()}}


def _chosen(
    cluster: ExistingCluster, rejected: Mapping[str, str]
) -> tuple[Mapping[str, Any], dict[str, Mapping[str, Any]], dict[str, str]]:
    """The system pool, the user pools that the settings may describe, and why they can't describe the others.

    Raises:
        CommandError: none can be the system pool.
    """
    system = next((pool for pool in cluster.pools if not system_pool_reason(pool, rejected)), None)
    if system is None:
        raise CommandError("\n".join(refusals(cluster, rejected)))
    pools: dict[str, Mapping[str, Any]] = {}
    left: dict[str, str] = {}
    for pool in cluster.pools:
        name = text(find(pool, "name"))
        if pool is system:
            continue
        reason = rejected.get(name) or user_pool_reason(pool)
        if not reason and _use(user_pool_settings(pool, {})) == _HOST:
            reason = (
                _ONE_HOST if any(_use(user_pool_settings(it, {})) == _HOST for it in pools.values()) else ""
            )
        if reason:
            left[name] = reason
        else:
            pools[name] = pool
    return system, pools, left


def _use(pool: Any) -> tuple[bool, bool, bool]:
    """What an entry of `pools` is for: whether it is spot, has GPUs, and takes pods without a toleration."""
    spot, size = at(pool, "priority") == "Spot", vm_sizes().get(at(pool, "vmSize"))
    gpus = bool(size and size.gpus)
    return spot, gpus, not (spot or gpus or at(pool, "taints"))


def _pools(
    root: Path,
    stack: str,
    pools: Mapping[str, Mapping[str, Any]],
    taken: set[str],
    tags: Mapping[str, str],
) -> Settings:
    """The cluster's own pools, and under names that are free the standard ones whose use none of them has."""
    settings: Settings = {name: user_pool_settings(pool, tags) for name, pool in pools.items()}
    config = read_stack(root, stack, draft={})
    standard: Any = json.loads(config.values.get(f"{config.project}:pools") or "{}")
    uses = set(map(_use, settings.values()))
    return settings | {_free(name, taken): pool for name, pool in standard.items() if _use(pool) not in uses}


def _free(name: str, taken: set[str]) -> str:
    """The name, or one that neither a pool nor its fallback has."""
    for start in ("", "ckf", *(f"ckf{number}" for number in range(2, 100))):
        candidate = f"{start}{name}"
        if not {candidate, f"{candidate.removesuffix('spot')}od"} & taken:
            return candidate
    return name


def _pool_mistakes(mistakes: list[str], system: str, pools: Container[str]) -> dict[str, str]:
    """The first mistake of the system pool and of each user pool that has one, by the pool's name."""
    first: dict[str, str] = {}
    for mistake in mistakes:
        match = _POOL_MISTAKE.match(mistake)
        name = (match["name"] or system) if match else ""
        if name == system or name in pools:
            first.setdefault(name, mistake)
    return first


def _value_mistakes(mistakes: list[str], settings: Settings) -> dict[str, str]:
    """The mistakes of values that the stack file can leave out, by key."""
    starts = {
        f"{group}.{name}": f"{group}.{name}: " for group in _OPTIONAL for name in settings.get(group, {})
    }
    if "maintenance" in settings["kubernetes"]:
        starts["kubernetes.maintenance"] = "kubernetes.maintenance"
    return {key: it for it in mistakes for key, start in starts.items() if it.startswith(start)}


def _replaced(draft: Draft, cluster: ExistingCluster) -> dict[str, str]:
    """Why each pool that would be replaced is left, by name.

    Raises:
        CommandError: the cluster itself would be replaced.
    """
    reasons: dict[str, str] = {}
    fatal: list[str] = []
    for urn, change in draft.changes(cluster):
        resource = draft.recorded.resources[urn]
        match = _OWN_POOL.match(change.path)
        name = match["name"] if match else text(at(resource.inputs, "agentPoolName"))
        if change.replaces and name:
            reasons.setdefault(name, f"it would be replaced: {change}")
        elif change.replaces:
            fatal.append(f"  {change}")
    if fatal:
        raise CommandError(
            "\n".join(["the first `up` would replace the cluster; nothing was written:", *fatal])
        )
    return reasons
