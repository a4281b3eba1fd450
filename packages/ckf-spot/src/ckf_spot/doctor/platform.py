"""Looks at what the whole cluster needs for spot work."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ckf_spot import contract, sources, yaml_text
from ckf_spot.agent_pool import GPU, POOL_LABEL, AgentPool
from ckf_spot.cluster import ForbiddenError
from ckf_spot.doctor.findings import Finding, line, looked, right, unknown, wrong
from ckf_spot.doctor.reader import Reader
from ckf_spot.errors import PlacementError
from ckf_spot.fields import Object, at
from ckf_spot.pools import Pools

CONTRACT: Final = "pool contract"
RETRIES: Final = "argoRetries"
"""Also the key of the pool contract's ConfigMap that the program writes once it has set Argo's policy."""
BACKEND: Final = "Kubeflow Pipelines"
EXPANDER: Final = "priority map"
GPUS: Final = "GPUs"
_ARGO: Final = ("kubeflow", "argo-workflow-controller-configmap")
"""ConfigMap of the charm argo-controller."""
_DEFAULTS: Final = "workflowDefaults"
_SET_RETRIES: Final = (
    "an administrator sets kubeflow.argoRetries: true in the program and runs `pulumi up` "
    "(docs/how-to/make-retries-retry.md)"
)
_PRIORITIES: Final = ("kube-system", "cluster-autoscaler-priority-expander")
"""ConfigMap of the autoscaler (kubernetes/autoscaler, cluster-autoscaler/expander/priority/readme.md, 1.34)."""
_REFRESH: Final = (
    "an administrator runs `pulumi refresh`, then `pulumi up --skip-preview`, which writes it again"
)
_SERVER: Final = re.compile(r"/(?:kfp-)?api-server:v?(2\.\d+)")
"""The images' names: `charmedkubeflow/api-server` of the charm, `kfp-api-server` upstream."""


def look(reader: Reader, pools: Pools | None) -> list[Finding]:
    """All looks at the cluster; those that need the contract are left out without it."""
    findings = [
        *looked(RETRIES, lambda: _retries(reader)),
        *looked(BACKEND, lambda: _backend(reader, pools)),
    ]
    if pools is not None:
        findings += [
            *looked(CONTRACT, lambda: _same_contract(reader, pools)),
            *looked(EXPANDER, lambda: _priorities(reader, pools)),
            *looked(GPUS, lambda: _gpus(reader, pools)),
        ]
    return findings


def _same_contract(reader: Reader, pools: Pools) -> Iterator[Finding]:
    """Whether a contract that was read from a file is still the cluster's."""
    data = reader.config_map(sources.NAMESPACE, sources.CONFIG_MAP)
    if data is None or contract.KEY not in data:
        return
    origin = f"ConfigMap {sources.NAMESPACE}/{sources.CONFIG_MAP}"
    theirs = {pool.name: pool for pool in contract.parse(data[contract.KEY], origin)}
    ours = {pool.name: pool for pool in pools.all}
    other = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
    if other:
        yield wrong(
            CONTRACT,
            f"the file is not the cluster's: {', '.join(other)} differ",
            f"leave --pools and {sources.ENVIRONMENT} out, or let an administrator write the file again "
            "(`pulumi stack output poolContract --json > pools.json`)",
        )


def _retries(reader: Reader) -> Iterator[Finding]:
    """Whether a step whose pod vanished is tried again (docs/facts/placement.md#retries-of-lost-pods)."""
    try:
        data = reader.config_map(*_ARGO)
    except ForbiddenError as error:
        yield _retries_by_the_contract(reader, line(error))
        return
    where = f"ConfigMap {'/'.join(_ARGO)}"
    if data is None:
        yield wrong(RETRIES, f"there is no {where}", "deploy Charmed Kubeflow in the Juju model kubeflow")
        return
    defaults = yaml_text.parse(data.get(_DEFAULTS, ""), f"{where}: {_DEFAULTS}")
    policy = at(defaults, "spec", "templateDefaults", "retryStrategy", "retryPolicy")
    if policy == "Always":
        yield right(RETRIES, "a step of a pipeline whose pod vanished is tried again")
    elif policy is None:
        yield wrong(
            RETRIES, "a pipeline fails when the pod of a step vanishes, whatever its retries", _SET_RETRIES
        )
    else:
        yield wrong(RETRIES, f"retryPolicy {policy!r} leaves out some of what an eviction does", _SET_RETRIES)


def _retries_by_the_contract(reader: Reader, why: str) -> Finding:
    """What the program published of Argo's policy, for users who may not read Argo's ConfigMap."""
    published = reader.config_map(sources.NAMESPACE, sources.CONFIG_MAP) or {}
    if published.get(RETRIES) == "true":
        return right(
            RETRIES, "a step of a pipeline whose pod vanished is tried again, as the last `pulumi up` set it"
        )
    return unknown(RETRIES, f"{why}, and the pool contract does not say that it is set; ask an administrator")


def _backend(reader: Reader, pools: Pools | None) -> Iterator[Finding]:
    """Whether the backend is the release that pipelines are placed for."""
    images = reader.pipeline_images()
    if images is None:
        yield wrong(BACKEND, "it does not run in the namespace kubeflow", "deploy Charmed Kubeflow")
        return
    release = next((match[1] for image in images if (match := _SERVER.search(image))), None)
    if release is None:
        yield unknown(BACKEND, f"no image names its release: {', '.join(images)}")
    elif pools is not None and str(pools.backend) != release:
        yield wrong(
            BACKEND,
            f"the cluster runs {release}, and pipelines are placed for {pools.backend}",
            f"use Pools.load(backend={release!r}), here --backend {release}",
        )
    else:
        yield right(BACKEND, release)


def _priorities(reader: Reader, pools: Pools) -> Iterator[Finding]:
    """Whether the autoscaler makes spot nodes before on-demand ones (docs/facts/aks.md#priority-expander)."""
    data = reader.config_map(*_PRIORITIES)
    where = f"ConfigMap {'/'.join(_PRIORITIES)}"
    if data is None or "priorities" not in data:
        yield wrong(EXPANDER, f"{where} is missing: the autoscaler picks pools at random", _REFRESH)
        return
    levels = _levels(yaml_text.parse(data["priorities"], f"{where}: priorities"), where)
    of_pool = {pool.name: _level(pool, levels) for pool in pools.all}
    closed = [name for name, level in of_pool.items() if level is None]
    for name in closed:
        yield wrong(
            EXPANDER, f"no level of it matches {name}: the autoscaler never makes a node there", _REFRESH
        )
    late = [
        (spot.name, other.name)
        for spot in pools.all
        for other in pools.all
        if spot.spot
        and spot.fallback == other.shared_name
        and not _before(of_pool[spot.name], of_pool[other.name])
    ]
    for spot, fallback in late:
        yield wrong(EXPANDER, f"{fallback} is scaled up before {spot}, or with the same priority", _REFRESH)
    if not closed and not late:
        yield right(EXPANDER, "spot nodes are made before on-demand ones")


def _levels(priorities: Any, where: str) -> dict[int, list[re.Pattern[str]]]:
    """Level to patterns of scale sets' names; PlacementError where it is no such map."""
    try:
        return {
            int(str(level)): [re.compile(pattern) for pattern in patterns]
            for level, patterns in priorities.items()
        }
    except (AttributeError, TypeError, ValueError, re.error):
        raise PlacementError(
            f"{where}: priorities is no map of levels to lists of patterns; {_REFRESH}"
        ) from None


def _level(pool: AgentPool, levels: Mapping[int, list[re.Pattern[str]]]) -> int | None:
    """The highest level that matches the pool's scale set."""
    scale_set = f"aks-{pool.name}-12345678-vmss"
    return max(
        (
            level
            for level, patterns in levels.items()
            if any(pattern.search(scale_set) for pattern in patterns)
        ),
        default=None,
    )


def _before(spot: int | None, fallback: int | None) -> bool:
    return spot is None or fallback is None or spot > fallback


def _gpus(reader: Reader, pools: Pools) -> Iterator[Finding]:
    """Whether GPU nodes show their GPUs (docs/facts/aks.md#gpu-driver-and-device-plugin)."""
    nodes = reader.nodes().items
    for pool in pools.all:
        if not pool.gpus:
            continue
        its = [node for node in nodes if at(node, "metadata", "labels", POOL_LABEL) == pool.name]
        what = f"{GPUS} of {pool.name}"
        without = [node["metadata"]["name"] for node in its if _shown(node) < pool.gpus]
        if without:
            yield wrong(
                what,
                f"{', '.join(without)} should have {pool.gpus} {GPU} and shows fewer",
                "it may be starting; else look at `kubectl --namespace kubeflow-aks get pods`: the device plugin",
            )
        elif its:
            yield right(what, f"{pool.gpus} on each of {len(its)} nodes")
        else:
            yield unknown(what, "there is no node of it now; the device plugin shows when there is one")


def _shown(node: Object) -> int:
    amount = str(at(node, "status", "allocatable", GPU) or 0)
    return int(amount) if amount.isdecimal() else 0
