"""Reads what a cluster's readiness depends on; it never writes."""

from typing import Any, Final

from ckf_spot.cluster import Cluster, ForbiddenError, NotThereError
from ckf_spot.fields import Object, map_at

_KUBEFLOW: Final = "kubeflow"
_PIPELINES: Final = ("kfp-api", "ml-pipeline")
"""What runs the API of Kubeflow Pipelines: the charm's StatefulSet, and upstream's Deployment."""

_POD_DEFAULTS: Final = {"group": "kubeflow.org", "version": "v1alpha1", "plural": "poddefaults"}
_POLICY: Final = "ValidatingAdmissionPolicy"
_ADMISSION: Final = {"group": "admissionregistration.k8s.io", "version": "v1"}


class Reader(Cluster):
    """The cluster that KUBECONFIG or `~/.kube/config` names, or the one around.

    What may not be read raises a `ForbiddenError`, what can't be read another `PlacementError`.
    """

    instead = "the pool contract as a file: --pools FILE"

    def __init__(self) -> None:
        """Connects to nothing yet.

        Raises:
            PlacementError: no cluster is configured, or the extra is missing.
        """
        super().__init__()
        from kubernetes import client  # noqa: PLC0415 - an extra, which is there by now

        self._apps: Any = client.AppsV1Api()
        self._classes: Any = {
            "priorityClassName": client.SchedulingV1Api().read_priority_class,
            "runtimeClassName": client.NodeV1Api().read_runtime_class,
        }

    def config_map(self, namespace: str, name: str) -> dict[str, str] | None:
        """The data of a ConfigMap, or None where there is none."""
        config_map = self._one(
            f"ConfigMap {namespace}/{name}",
            self._core.read_namespaced_config_map,
            name=name,
            namespace=namespace,
        )
        return None if config_map is None else config_map.get("data") or {}

    def namespace(self, name: str) -> Object | None:
        """A namespace, or None where there is none."""
        return self._one(f"namespace {name!r}", self._core.read_namespace, name=name)

    def quotas(self, namespace: str) -> tuple[Object, ...]:
        """The ResourceQuotas of a namespace."""
        what = f"quotas of namespace {namespace!r}"
        return self._list(what, self._core.list_namespaced_resource_quota, namespace=namespace).items

    def limits(self, namespace: str) -> tuple[Object, ...]:
        """The LimitRanges of a namespace."""
        what = f"limits of namespace {namespace!r}"
        return self._list(what, self._core.list_namespaced_limit_range, namespace=namespace).items

    def claims(self, namespace: str) -> tuple[Object, ...]:
        """The PersistentVolumeClaims of a namespace."""
        what = f"claims of namespace {namespace!r}"
        return self._list(what, self._core.list_namespaced_persistent_volume_claim, namespace=namespace).items

    def pod_defaults(self, namespace: str) -> tuple[Object, ...]:
        """The PodDefaults of a namespace; none where the cluster does not know the kind."""
        what = f"PodDefaults of namespace {namespace!r}"
        call = self._custom.list_namespaced_custom_object
        try:
            return self._list(what, call, **_POD_DEFAULTS, namespace=namespace).items
        except NotThereError:
            return ()

    def admission(self, policy: str, binding: str) -> tuple[str, ...]:
        """What a binding has a ValidatingAdmissionPolicy do, such as `Deny`; nothing where one of them is not there."""
        read = self._custom.get_cluster_custom_object
        rules, bound = (
            self._one(f"{kind} {name}", read, **_ADMISSION, plural=plural, name=name)
            for kind, plural, name in (
                (_POLICY, "validatingadmissionpolicies", policy),
                (f"{_POLICY}Binding", "validatingadmissionpolicybindings", binding),
            )
        )
        spec = map_at(bound, "spec") if rules and bound else {}
        return tuple(spec.get("validationActions") or ()) if spec.get("policyName") == policy else ()

    def has_class(self, field: str, name: str) -> bool | None:
        """Whether the cluster has the class that a field of a pod names; None: nobody knows, or it may not be read."""
        if field not in self._classes:
            return None
        try:
            return self._one(f"{field} {name!r}", self._classes[field], name=name) is not None
        except ForbiddenError:
            return None

    def pipeline_images(self) -> list[str] | None:
        """Images of the API of Kubeflow Pipelines, or None where there is none."""
        charm, upstream = _PIPELINES
        for name, read in (
            (charm, self._apps.read_namespaced_stateful_set),
            (upstream, self._apps.read_namespaced_deployment),
        ):
            workload = self._one(f"{name} in {_KUBEFLOW}", read, name=name, namespace=_KUBEFLOW)
            if workload is not None:
                return [
                    container["image"] for container in workload["spec"]["template"]["spec"]["containers"]
                ]
        return None

    def _one(self, what: str, call: Any, **arguments: str) -> Any:
        try:
            return self._object(what, call, **arguments)
        except NotThereError:
            return None
