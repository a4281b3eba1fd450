"""Which changed field replaces an object, per kind.

Source: `forceNew` in provider/pkg/provider/diff.go of pulumi-kubernetes, held against the recording of 4.32.0
(StorageClass `parameters`, DaemonSet `spec.selector`, ClusterRoleBinding `roleRef`, ConfigMap `data`).
What is immutable for the API server but not in that table (PriorityClass `value`, StorageClass `reclaimPolicy`) is
planned as an update and then refused by the server, by the real provider and here alike (recording, call 30).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Kind, is_list, is_object

FieldPath = tuple[str, ...]

ANY_ITEM: Final = "*"
IDENTITY: Final[tuple[FieldPath, ...]] = (("metadata", "name"), ("metadata", "namespace"))

_CONTAINER_FIELDS: Final = (
    "args",
    "command",
    "env",
    "image",
    "imagePullPolicy",
    "lifecycle",
    "livenessProbe",
    "ports",
    "readinessProbe",
    "resources",
    "securityContext",
    "stdin",
    "stdinOnce",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "tty",
    "volumeDevices",
    "volumeMounts",
    "workingDir",
)

_POD_FIELDS: Final = (
    "affinity",
    "automountServiceAccountToken",
    "dnsConfig",
    "dnsPolicy",
    "enableServiceLinks",
    "hostAliases",
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "hostname",
    "imagePullSecrets",
    "nodeName",
    "nodeSelector",
    "overhead",
    "preemptionPolicy",
    "priority",
    "priorityClassName",
    "readinessGates",
    "restartPolicy",
    "runtimeClassName",
    "schedulerName",
    "securityContext",
    "serviceAccount",
    "serviceAccountName",
    "shareProcessNamespace",
    "subdomain",
    "terminationGracePeriodSeconds",
    "volumes",
)

_VOLUME_SOURCES: Final = (
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "csi",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "glusterfs",
    "hostPath",
    "iscsi",
    "local",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
)


def _spec(*names: str) -> tuple[FieldPath, ...]:
    return tuple(("spec", name) for name in names)


_REPLACED_BY: Final[Mapping[Kind, tuple[FieldPath, ...]]] = {
    Kind("apps", "v1", "DaemonSet"): _spec("selector"),
    Kind("apps", "v1", "Deployment"): _spec("selector"),
    Kind("apps", "v1", "StatefulSet"): _spec(
        "podManagementPolicy", "revisionHistoryLimit", "selector", "serviceName", "volumeClaimTemplates"
    ),
    Kind("batch", "v1", "Job"): _spec("completions", "parallelism", "selector", "template"),
    Kind("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"): (("roleRef",),),
    Kind("rbac.authorization.k8s.io", "v1", "RoleBinding"): (("roleRef",),),
    Kind("storage.k8s.io", "v1", "StorageClass"): (("parameters",), ("provisioner",)),
    Kind("", "v1", "PersistentVolume"): _spec(*_VOLUME_SOURCES),
    Kind("", "v1", "PersistentVolumeClaim"): _spec(
        "accessModes", "selector", "storageClassName", "volumeName"
    ),
    Kind("", "v1", "Pod"): (
        *_spec(*_POD_FIELDS),
        *(
            ("spec", containers, ANY_ITEM, name)
            for containers in ("containers", "initContainers")
            for name in _CONTAINER_FIELDS
        ),
    ),
    Kind("", "v1", "ResourceQuota"): _spec("scopes"),
    Kind("", "v1", "Secret"): (("type",),),
    Kind("", "v1", "Service"): _spec("clusterIP"),
}

_CONFIG_MAP: Final = Kind("", "v1", "ConfigMap")
_SECRET: Final = Kind("", "v1", "Secret")


@dataclass(frozen=True)
class DiffRules:
    """The Provider's `enableConfigMapMutable` and `enableSecretMutable`; an `immutable: true` object overrules both."""

    config_map_mutable: bool = False
    secret_mutable: bool = False


def replaced_by(inputs: Mapping[str, Any], rules: DiffRules) -> tuple[FieldPath, ...]:
    """The fields whose change, to these inputs, replaces the object."""
    kind = Kind.of(inputs)
    immutable = inputs.get("immutable") is True
    paths = IDENTITY + _REPLACED_BY.get(kind, ())
    if kind == _CONFIG_MAP and (immutable or not rules.config_map_mutable):
        return (*paths, ("binaryData",), ("data",))
    if kind == _SECRET and (immutable or not rules.secret_mutable):
        return (*paths, ("stringData",), ("data",))
    return paths


def matches(rule: FieldPath, path: tuple[str | int, ...], value: object) -> bool:
    """Whether a change at a path touches a field of the table.

    Args:
        rule: a path of the table.
        path: where the change is: at the field, below it, or above it.
        value: the new value there; a change above the field touches it if the new value has the field.
    """
    for index, part in enumerate(rule):
        if index < len(path):
            if path[index] != part and not (part == ANY_ITEM and isinstance(path[index], int)):
                return False
        elif is_list(value) and part == ANY_ITEM:
            return any(matches(rule[index + 1 :], (), item) for item in value)
        elif is_object(value) and part in value:
            value = value[part]
        else:
            return False
    return True
