"""The stack file that comes nearest to a cluster: settings that the program accepts and that replace nothing."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aks_facts import vm_sizes
from kubeflow_aks.adopt.comparing import Change, changes, imported
from kubeflow_aks.adopt.existing import ExistingCluster, find
from kubeflow_aks.adopt.infer_settings import Settings, cluster_settings, own_identity, user_pool_settings
from kubeflow_aks.adopt.refusals import system_pool_reason, user_pool_reason
from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.json_values import at, text
from kubeflow_aks.recorder.run import Record, RefusedError, record
from kubeflow_aks.recorder.stack_files import read_stack

CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
POOL: Final = "azure-native:containerservice:AgentPool"
IDENTITY: Final = "azure-native:managedidentity:UserAssignedIdentity"
MAINTENANCE: Final = "azure-native:containerservice:MaintenanceConfiguration"
_MISTAKE: Final = re.compile(r"\s*(?P<key>[A-Za-z]\w*(?:\.[^\s:]+)?): (?P<reason>.+)")
_OPTIONAL: Final = ("autoscaler", "tags")
"""Groups whose values may be left out one by one: the program's own take their place."""
_REFUSED: Final = "the program does not take the settings of this cluster; nothing was written:"
_ONE_HOST: Final = (
    "the settings describe one Regular pool without taints and GPU, and another one comes first"
)


@dataclass(kw_only=True)
class Draft:
    """A stack file in the making.

    Attributes:
        pools: pools of the cluster that the settings describe, by name.
        left: why each other pool is not managed, by name.
        unstated: why the program refuses each other value of the cluster, by key; its own takes the place.
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


def drafted(cluster: ExistingCluster, stack: str, root: Path, *, owner: str, created: str) -> Draft:
    """The nearest stack file of a cluster without `refusals`; pools that would be refused or replaced are left out.

    Raises:
        CommandError: the program refuses what is no pool's, or the cluster itself would be replaced.
    """
    system = next(pool for pool in cluster.pools if system_pool_reason(pool) == "")
    settings: Settings = {
        **cluster_settings(cluster, system, owner=owner, environment=stack),
        "created": created,
    }
    pools, left = _candidates(cluster, system)
    unstated: dict[str, str] = {}
    others: Settings | None = None
    while True:
        names = {text(find(pool, "name")) for pool in cluster.pools}
        settings["pools"] = _pools(root, stack, pools, names, settings["tags"])
        try:
            recorded = record(stack, root=root, preview=True, draft=stack_file(root, stack, settings))
        except RefusedError as refused:
            if not _without(_mistakes(refused), settings, pools, left, unstated):
                _, _, mistakes = str(refused).partition("\n")
                raise CommandError(f"{_REFUSED}\n{mistakes}") from None
            continue
        draft = Draft(settings=settings, pools=pools, left=left, unstated=unstated, recorded=recorded)
        if others is None:
            others = draft.other_properties(cluster)
            settings["systemPool"] |= {"otherProperties": others} if others else {}
        elif not _kept(draft, cluster):
            return draft


def stack_file(root: Path, stack: str, settings: Settings) -> dict[str, Any]:
    """What the stack file holds: the settings under the project's name."""
    project = read_stack(root, stack, draft={}).project
    return {"config": {f"{project}:{key}": value for key, value in settings.items()}}


def _candidates(
    cluster: ExistingCluster, system: Mapping[str, Any]
) -> tuple[dict[str, Mapping[str, Any]], dict[str, str]]:
    """The pools that the settings may describe, and why they can't describe the others."""
    candidates: dict[str, Mapping[str, Any]] = {}
    left: dict[str, str] = {}
    for pool in cluster.pools:
        name = text(find(pool, "name"))
        if name == text(find(system, "name")):
            continue
        if reason := user_pool_reason(pool):
            left[name] = reason
        else:
            candidates[name] = pool
    hosts = [name for name, pool in candidates.items() if _hosts(pool)]
    for name in hosts[1:]:
        left[name] = _ONE_HOST
        del candidates[name]
    return candidates, left


def _hosts(pool: Mapping[str, Any]) -> bool:
    """Whether Charmed Kubeflow could run there: on demand, without taints and GPU."""
    size = text(find(pool, "vmSize")).lower()
    gpus = next((vm_size.gpus for name, vm_size in vm_sizes().items() if name.lower() == size), 0)
    spot = text(find(pool, "scaleSetPriority")) == "Spot"
    return not spot and not find(pool, "nodeTaints") and not gpus


def _pools(
    root: Path,
    stack: str,
    pools: Mapping[str, Mapping[str, Any]],
    taken: set[str],
    tags: Mapping[str, str],
) -> Settings:
    """The cluster's own pools, and beside them the standard ones under names that are free."""
    settings: Settings = {name: user_pool_settings(pool, tags) for name, pool in pools.items()}
    config = read_stack(root, stack, draft={})
    standard: Any = json.loads(config.values.get(f"{config.project}:pools") or "{}")
    hosted = any(map(_hosts, pools.values()))
    for name, pool in standard.items():
        host = at(pool, "priority") in {None, "Regular"} and not at(pool, "taints")
        if not (host and hosted) and name not in settings:
            settings[_free(name, taken)] = pool
    return settings


def _free(name: str, taken: set[str]) -> str:
    """The name, or one that neither a pool nor its fallback has."""
    for start in ("", "ckf", *(f"ckf{number}" for number in range(2, 100))):
        candidate = f"{start}{name}"
        if not {candidate, f"{candidate.removesuffix('spot')}od"} & taken:
            return candidate
    return name


def _mistakes(refused: RefusedError) -> list[tuple[str, str]]:
    lines = str(refused).splitlines()[1:]
    return [(match["key"], match["reason"]) for line in lines if (match := _MISTAKE.fullmatch(line))]


def _without(
    mistakes: list[tuple[str, str]],
    settings: Settings,
    pools: dict[str, Mapping[str, Any]],
    left: dict[str, str],
    unstated: dict[str, str],
) -> bool:
    """Takes out what mistakes are about and the cluster can go without; whether there was something."""
    before = len(pools), json.dumps(settings, sort_keys=True)
    for key, reason in mistakes:
        group, _, rest = key.partition(".")
        name = re.split(r"[.\[]", rest)[0]
        if group == "pools" and name in pools:
            left[name] = f"{key}: {reason}"
            del pools[name]
        elif group in _OPTIONAL and name in settings.get(group, {}):
            settings[group] = {key: value for key, value in settings[group].items() if key != name}
            unstated[f"{group}.{name}"] = reason
        elif group == "kubernetes" and name == "maintenance" and settings[group].pop(name, None):
            unstated[f"{group}.{name}"] = reason
    return before != (len(pools), json.dumps(settings, sort_keys=True))


def _kept(draft: Draft, cluster: ExistingCluster) -> bool:
    """Leaves out each pool that would be replaced; whether there was one.

    Raises:
        CommandError: the cluster itself, or its own pool, would be replaced or Azure would refuse the change.
    """
    replaced = [(urn, change) for urn, change in draft.changes(cluster) if change.replaces]
    fatal = [f"  {change}" for urn, change in replaced if draft.recorded.resources[urn].type != POOL]
    if fatal:
        raise CommandError(
            "\n".join(["the first `up` would replace the cluster; nothing was written:", *fatal])
        )
    for urn, change in replaced:
        name = str(draft.recorded.resources[urn].inputs["agentPoolName"])
        draft.left.setdefault(name, f"it would be replaced: {change}")
        draft.pools.pop(name, None)
    return bool(replaced)
