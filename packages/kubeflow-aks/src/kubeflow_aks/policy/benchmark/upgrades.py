"""Versions, upgrade channels and maintenance windows."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.values import (
    Inputs,
    at,
    in_turn,
    must_be,
    must_be_set,
    must_not_be,
    of_type,
    on,
)
from kubeflow_aks.policy.rule import UNKNOWN, Resource
from kubeflow_aks.policy.rules.resources import CLUSTER, POOL
from kubeflow_aks.policy.table import rules

_MAINTENANCE: Final = "azure-native:containerservice:MaintenanceConfiguration"
_WINDOWS: Final = ("aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule")


def _is_of(child: Inputs, cluster: Resource) -> bool:
    """Whether something belongs to a cluster; also if a name is not known yet."""
    name, named = at(cluster.inputs, "resourceName"), at(child, "resourceName")
    return name is UNKNOWN or named is UNKNOWN or name is None or name == named


def _windows(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    windows = [it.inputs for it in of_type(resources, _MAINTENANCE)]

    def lacking(cluster: Resource) -> Iterator[str]:
        for window in _WINDOWS:
            if not any(at(it, "configName") == window and _is_of(it, cluster) for it in windows):
                yield f"no maintenance window {window}"

    return in_turn(of_type(resources, CLUSTER), lacking)


def _same_version(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    clusters = list(of_type(resources, CLUSTER))

    def differing(pool: Resource) -> Iterator[str]:
        version = at(pool.inputs, "orchestratorVersion")
        expected = {at(it.inputs, "kubernetesVersion") for it in clusters if _is_of(pool.inputs, it)}
        if version is not None and expected and version not in expected:
            versions = " or ".join(sorted(str(it) for it in expected))
            yield f"orchestratorVersion is {version}; expected the cluster's {versions}"

    return in_turn(of_type(resources, POOL), differing)


RULES: Final = rules(
    {
        "aks-upgrade-channel": on(
            CLUSTER,
            must_be_set("autoUpgradeProfile.upgradeChannel"),
            must_not_be("autoUpgradeProfile.upgradeChannel", "none", instead="patch or another channel"),
        ),
        "aks-node-image-channel": on(
            CLUSTER,
            must_be("autoUpgradeProfile.nodeOSUpgradeChannel", "NodeImage", "SecurityPatch"),
            where=lambda inputs: (
                at(inputs, "autoUpgradeProfile.upgradeChannel") != "node-image"
            ),  # it does both
        ),
        "aks-maintenance-windows": _windows,
        "aks-one-version": _same_version,
        # Both sources list Standard only.
        "aks-paid-tier": on(CLUSTER, must_be("sku.tier", "Standard", "Premium")),
    }
)
