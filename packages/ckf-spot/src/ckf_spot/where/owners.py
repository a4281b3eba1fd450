"""What the makers of pods belong to: a Job to a CronJob, a JobSet to a TrainJob, a RayCluster to a RayJob."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ckf_spot.cluster import Cluster, ForbiddenError, Resource
from ckf_spot.fields import Object
from ckf_spot.where.work import OWNERS, controller

_Key = tuple[str, str, str]

_BETWEEN: Final[Mapping[str, Resource]] = {
    "Job": Resource("batch", "v1", "jobs"),
    "JobSet": Resource("jobset.x-k8s.io", "v1alpha2", "jobsets"),
    "RayCluster": Resource("ray.io", "v1", "rayclusters"),
}
"""Kinds that make pods for what people made; the other kinds that belong to something write it on their pods."""


class Owners:
    """Looks up the owners of a cluster's objects, a kind at a time and only if a pod needs it."""

    def __init__(self, cluster: Cluster, namespace: str | None) -> None:
        """Takes the namespace of the pods; None: all namespaces."""
        self._cluster = cluster
        self._namespace = namespace
        self._of: dict[_Key, Object | None] = {}
        self._forbidden: set[str] = set()

    def with_owners(self, pod: Object) -> Object:
        """A pod with what its controller belongs to, if that is known: the user may not be allowed to read it.

        Raises:
            PlacementError: the cluster does not answer.
        """
        owners = list(self._above(pod["metadata"]))
        return {**pod, OWNERS: owners} if owners else pod

    def _above(self, metadata: Object) -> Iterator[Object]:
        owner = controller(metadata)
        while owner and owner["kind"] in _BETWEEN:
            owner = self._owner((owner["kind"], metadata["namespace"], owner["name"]))
            if owner:
                yield {"kind": owner["kind"], "name": owner["name"]}

    def _owner(self, key: _Key) -> Object | None:
        if key not in self._of:
            self._list(key[0])
        return self._of.setdefault(key, None)

    def _list(self, kind: str) -> None:
        if kind in self._forbidden:
            return
        try:
            listed = self._cluster.objects(_BETWEEN[kind], self._namespace)
        except ForbiddenError:
            self._forbidden.add(kind)
            return
        for item in listed:
            metadata = item["metadata"]
            self._of[kind, metadata["namespace"], metadata["name"]] = controller(metadata)
