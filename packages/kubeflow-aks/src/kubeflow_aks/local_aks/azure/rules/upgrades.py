"""Rules of Kubernetes upgrades, of the control plane and of pools (docs/facts/aks.md#kubernetes-upgrades)."""

from collections.abc import Mapping
from typing import Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, PoolRequest, Rule, rules, when

_MOST_BEHIND: Final = 3
"""Minors by which nodes may be older than the control plane."""
_NO_CHANNEL: Final = (None, "none")
_CHANNEL: Final = "autoUpgradeProfile.upgradeChannel"


def parts(version: str) -> tuple[int, ...]:
    """The numbers of `major.minor` or `major.minor.patch`."""
    return tuple(int(part) for part in version.split("."))


def same(version: str, running: str) -> bool:
    """Whether a requested version matches the running one: `1.34` matches every patch of it."""
    numbers = parts(version)
    return numbers == parts(running)[: len(numbers)]


def _target(request: ClusterRequest) -> tuple[str, str] | None:
    """The requested and the running version, where they differ."""
    requested, has = request.get("kubernetesVersion"), request.before("currentKubernetesVersion")
    return (str(requested), str(has)) if requested and has and not same(str(requested), str(has)) else None


def _path(request: ClusterRequest) -> Mapping[str, object] | None:
    """A downgrade, or a skipped minor without long-term support."""
    if (target := _target(request)) is None:
        return None
    requested, has = target
    plans = (request.get("supportPlan"), request.before("supportPlan"))
    steps = _MOST_BEHIND if plans == ("AKSLongTermSupport",) * 2 else 1
    now = parts(has)[1]
    offered = [v for v in aks_facts.kubernetes_versions() if now < parts(v)[1] <= now + steps]
    too_far = parts(requested)[1] > now + steps
    return when(
        parts(requested) < parts(has) or too_far, requested=requested, has=has, offered=" ".join(offered)
    )


def _stated(request: ClusterRequest) -> Mapping[str, object] | None:
    """Pool versions in a cluster request that contradict each other; a pool that the request omits states none."""
    if request.existing is None:
        return None
    has = {
        pool["name"]: pool["orchestratorVersion"]
        for pool in arm.listed(request.existing, "agentPoolProfiles")
    }
    stated = {p["name"]: v for p in request.pools if (v := p.get("orchestratorVersion"))}
    target = _target(request)
    requested = request.get("kubernetesVersion")
    if target is None and all(has.get(name) == version for name, version in stated.items()):
        return None
    mixed = bool(stated) and bool(has.keys() - stated.keys())
    foreign = any(version not in (has.get(name), requested) for name, version in stated.items())
    alone = target is not None and not (stated and all(version == requested for version in stated.values()))
    channel = {request.get(_CHANNEL), request.before(_CHANNEL)} - set(_NO_CHANNEL)
    return when(mixed or foreign or (alone and bool(channel)))


def _left_behind(request: ClusterRequest) -> Mapping[str, object] | None:
    requested = request.get("kubernetesVersion") or request.before("kubernetesVersion")
    return next(
        (
            skew
            for pool in arm.listed(request.existing or {}, "agentPoolProfiles")
            if (skew := _skew(pool["currentOrchestratorVersion"], str(requested)))
        ),
        None,
    )


def _skew(version: str, control_plane: str) -> Mapping[str, object] | None:
    minor, control_minor = parts(version)[1], parts(control_plane)[1]
    return when(
        control_minor - minor > _MOST_BEHIND,
        version=version,
        control_plane=control_plane,
        minor=minor,
        control_minor=control_minor,
    )


def _requested_version(request: PoolRequest) -> str:
    """The version that the pool will have."""
    stated = request.body.get("orchestratorVersion") or (request.existing or {}).get("orchestratorVersion")
    return str(stated or request.control_plane_version)


def _ahead(request: PoolRequest) -> Mapping[str, object] | None:
    requested, control_plane = _requested_version(request), request.control_plane_version
    ahead = parts(requested) > parts(control_plane)[: len(parts(requested))]
    return when(ahead, version=requested, control_plane=control_plane)


def _pool_path(request: PoolRequest) -> Mapping[str, object] | None:
    has = str((request.existing or {}).get("currentOrchestratorVersion") or "")
    requested = _requested_version(request)
    if not has or same(requested, has):
        return None
    steps = _MOST_BEHIND if request.cluster["supportPlan"] == "AKSLongTermSupport" else 1
    bad = parts(requested) < parts(has) or parts(requested)[1] > parts(has)[1] + steps
    return when(bad, requested=requested, has=has)


CLUSTER_UPGRADE_RULES: Final[tuple[Rule[ClusterRequest], ...]] = rules(
    {
        "version-upgrade": _path,
        "pool-versions-stated": _stated,
        "pools-left-behind": _left_behind,
    }
)

POOL_UPGRADE_RULES: Final[tuple[Rule[PoolRequest], ...]] = rules(
    {
        "pool-version": _ahead,
        "pool-left-behind": lambda r: _skew(_requested_version(r), r.control_plane_version),
        "pool-upgrade": _pool_path,
    }
)
