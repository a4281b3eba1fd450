"""Properties of an agent pool that AKS never changes after creation (docs/facts/aks.md#immutable-pool-properties).

azure-native plans most of these as an update in place (docs/facts/pulumi.md#what-azure-native-replaces); Azure then
answers 400.
"""

from typing import Any, Final

from kubeflow_aks.local_aks.azure.rules.rule import PoolRequest, Rule, when

_SOURCES: Final = {
    "vmSize": 'manage-node-pools.md, "Limitations"',
    "osType": "managedClusters.json 2025-09-01",
    "osDiskType": "concepts-storage.md",
    "osDiskSizeGB": "docs/facts/aks.md#immutable-pool-properties",
    "kubeletDiskType": "managedClusters.json 2025-09-01",
    "maxPods": "docs/facts/aks.md#immutable-pool-properties",
    "vnetSubnetID": "docs/facts/aks.md#immutable-pool-properties",
    "podSubnetID": "docs/facts/aks.md#immutable-pool-properties",
    "availabilityZones": "availability-zones.md",
    # Regular for what was unset counts as a change, too.
    "scaleSetPriority": "spot-node-pool.md; kubernetes-sigs/cluster-api-provider-azure#1925",
    "scaleSetEvictionPolicy": "spot-node-pool.md",
    "spotMaxPrice": "spot-node-pool.md, Azure/AKS#4374",
    # Only a preview of the API changes it.
    "capacityReservationGroupID": "use-capacity-reservation-groups.md (2026-05-29); Azure/AKS#5436",
    "gpuInstanceProfile": "gpu-multi-instance.md",
    "gpuProfile": "use-nvidia-gpu.md",
    "hostGroupID": "managedClusters.json 2025-09-01",
    "kubeletConfig": "custom-node-configuration.md",
    "linuxOSConfig": "custom-node-configuration.md",
    "enableEncryptionAtHost": "docs/facts/aks.md#immutable-pool-properties",
    "enableFIPS": "docs/facts/aks.md#immutable-pool-properties",
    "enableNodePublicIP": "docs/facts/aks.md#immutable-pool-properties",
    "type": "managedClusters.json 2025-09-01",
}
_STRICT: Final = "scaleSetPriority"
_NOT_SHOWN: Final = {"osType": "Linux", "type": "VirtualMachineScaleSets"}
"""What a pool is that says nothing of it, as in the examples of managedClusters.json."""


def alters(name: str, before: Any, after: Any) -> bool:
    """Whether AKS never changes a property of a pool so; None for a value that is not shown or left out."""
    before = _NOT_SHOWN.get(name) if before is None else before
    return name in _SOURCES and after is not None and _normal(before) != _normal(after)


def _changed(request: PoolRequest, name: str) -> bool:
    """Whether a request changes a property; one left out keeps its value, the priority excepted."""
    if request.existing is None or (name not in request.body and name != _STRICT):
        return False
    return _normal(request.body.get(name)) != _normal(request.existing.get(name))


def _normal(value: Any) -> Any:
    """The form in which two equal values are equal: ARM ignores case in sizes and ids, and order in zones."""
    if isinstance(value, str):
        return value.casefold()
    if isinstance(value, list):
        return sorted(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value


def _rule(name: str, source: str) -> Rule[PoolRequest]:
    return Rule(
        id=f"immutable-{name}",
        code="PropertyChangeNotAllowed",
        message=f"Changing property 'properties.{name}' is not allowed.",
        broken=lambda request: when(_changed(request, name)),
        quotes=f"{source}; wording: pulumi/pulumi-azure-native#959",
    )


IMMUTABLE_RULES: Final = tuple(_rule(name, source) for name, source in _SOURCES.items())
