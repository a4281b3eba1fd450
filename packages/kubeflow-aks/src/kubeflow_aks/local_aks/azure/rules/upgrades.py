"""Rules of Kubernetes upgrades, of the control plane and of pools (docs/facts/aks.md#kubernetes-upgrades)."""

from collections.abc import Mapping
from typing import Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, PoolRequest, Rule, when

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
    requested, has = request.get("kubernetesVersion"), request.had("currentKubernetesVersion")
    return (str(requested), str(has)) if requested and has and not same(str(requested), str(has)) else None


def _path(request: ClusterRequest) -> Mapping[str, object] | None:
    """A downgrade, or a skipped minor without long-term support."""
    if (target := _target(request)) is None:
        return None
    requested, has = target
    plans = (request.get("supportPlan"), request.had("supportPlan"))
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
    channel = {request.get(_CHANNEL), request.had(_CHANNEL)} - set(_NO_CHANNEL)
    return when(mixed or foreign or (alone and bool(channel)))


def _left_behind(request: ClusterRequest) -> Mapping[str, object] | None:
    requested = request.get("kubernetesVersion") or request.had("kubernetesVersion")
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


_SKEW: Final = (
    "Node pool version {version} and control plane version {control_plane} is incompatible. Minor version of node "
    "pool cannot be more than 3 versions less than control plane's version. Minor version of node pool is {minor} and "
    "control plane is {control_minor}. For more information, see https://aka.ms/aks/UpgradeVersionRules."
)
_SKEW_SOURCE: Final = '"AKS error NodePoolMcVersionIncompatible"; supported-kubernetes-versions.md'

CLUSTER_UPGRADE_RULES: Final[tuple[Rule[ClusterRequest], ...]] = (
    Rule(
        id="version-upgrade",
        code="OperationNotAllowed",
        message="Upgrading Kubernetes version {has} to {requested} is not allowed. Available upgrades: [{offered}]. "
        "Please see https://aka.ms/aks-supported-k8s-ver for version details.",
        broken=_path,
        quotes="rancher/dashboard#11884; supported-kubernetes-versions.md, upgrade-aks-control-plane.md",
    ),
    Rule(
        id="pool-versions-stated",
        code="NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged",
        message="Using managed cluster api, all Agent pools' OrchestratorVersion must be all specified or all "
        "unspecified. If all specified, they must be stay unchanged or the same with control plane. For agent pool "
        "specific change, please use per agent pool operations: https://aka.ms/agent-pool-rest-api",
        broken=_stated,
        quotes="Azure/AKS#4765, Azure/ARO-HCP#662; with a channel: auto-upgrade-cluster.md",
    ),
    Rule(
        id="pools-left-behind",
        code="NodePoolMcVersionIncompatible",
        message=_SKEW,
        broken=_left_behind,
        source=_SKEW_SOURCE,
    ),
)

POOL_UPGRADE_RULES: Final[tuple[Rule[PoolRequest], ...]] = (
    Rule(
        id="pool-version",
        code="NodePoolMcVersionIncompatible",
        message="Node pool version {version} and control plane version {control_plane} are incompatible. Minor "
        "version of node pool cannot be bigger than control plane version. For more information, please check "
        "https://aka.ms/aks/UpgradeVersionRules.",
        broken=_ahead,
        source="managedClusters.json 2025-09-01, orchestratorVersion",
    ),
    Rule(
        id="pool-left-behind",
        code="NodePoolMcVersionIncompatible",
        message=_SKEW,
        broken=lambda r: _skew(_requested_version(r), r.control_plane_version),
        source=_SKEW_SOURCE,
    ),
    Rule(
        id="pool-upgrade",
        code="AgentPoolUpgradeVersionNotAllowed",
        message="Upgrade agent pool version from {has} to {requested} is not allowed, you can only upgrade one minor "
        "version at a time. Please use [az aks get-upgrades] command to get the supported upgrade paths. For more "
        "information, please check https://aka.ms/version-skew-policy",
        broken=_pool_path,
        quotes="nebari-dev/nebari#524, Azure/AKS#1697; with long-term support: supported-kubernetes-versions.md",
    ),
)
