"""The one place that asks a cluster: reads, and dry runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final, TypeVar

from kube.api import ApiServer
from kube.errors import ApiError, KubeError, UnreachableError
from kube.objects import Kind, Object, at, fields, name_of
from verify.probes import PROBES, Probe
from verify.seen import Answer, Seen, labels, text

T = TypeVar("T")

_PATIENCE: Final = 60.0
"""Seconds after which nothing more is asked for."""
_QUIET: Final = 5.0
"""Seconds without a word."""
_NODES_READ: Final = 50
"""Nodes whose log is read: each is a request to a kubelet."""
_MANAGER: Final = "kubeflow-aks-verify"
_UNFINISHED: Final = "status.phase!=Succeeded,status.phase!=Failed"
_LIMITS_APP: Final = "inotify-limits"
_POD: Final = Kind("", "v1", "Pod")
_NODE: Final = Kind("", "v1", "Node")
_NAMESPACE: Final = Kind("", "v1", "Namespace")
_EVENT: Final = Kind("", "v1", "Event")
_STORAGE_CLASS: Final = Kind("storage.k8s.io", "v1", "StorageClass")
_PRIORITY_MAP: Final = "cluster-autoscaler-priority-expander"


class Asking:
    """One look at a cluster."""

    def __init__(self, api: ApiServer, juju: ApiServer | None, say: Callable[[str], None]) -> None:
        """Nothing is asked yet.

        Args:
            api: the API server, as whoever looks.
            juju: the same as Juju; None where there is no token.
            say: takes a line where it takes long.
        """
        self._api, self._juju, self._say = api, juju, say
        self._began = self._said = time.monotonic()

    def look(self) -> Seen:
        """All that the checks need.

        Raises:
            UnreachableError: the API server can't be reached, or no longer.
            ApiError: it does not take the sign-in.
        """
        version = self._answer("the version", lambda: self._api.read("/version"))
        namespaces = self._list("namespaces", _NAMESPACE)
        pods = self._list("pods", _POD, fieldSelector=_UNFINISHED)
        there = {name_of(each) for each in namespaces.found or [{"metadata": {"name": "default"}}]}
        return Seen(
            now=datetime.now(UTC),
            version=version,
            namespaces=namespaces,
            pods=pods,
            nodes=self._list("nodes", _NODE),
            storage_classes=self._list("storage classes", _STORAGE_CLASS),
            priority_map=self._config_map("kube-system", _PRIORITY_MAP),
            autoscaler=self._config_map("kube-system", "cluster-autoscaler-status"),
            expander_events=self._list(
                "events", _EVENT, "kube-system", fieldSelector=f"involvedObject.name={_PRIORITY_MAP}"
            ),
            untriggered=self._list("events", _EVENT, fieldSelector="reason=NotTriggerScaleUp"),
            argo=self._config_map("kubeflow", "argo-workflow-controller-configmap"),
            limits=self._limits(pods.found or []),
            guard={probe.name: self._probe(probe) for probe in PROBES if probe.namespace in there},
            juju=self._as_juju(),
        )

    def _list(self, what: str, kind: Kind, namespace: str = "", **selectors: str) -> Answer[list[Object]]:
        def everything() -> list[Object]:
            found: list[Object] = []
            for page in self._api.pages(kind, namespace, **selectors):
                found += map(_trimmed, page)
                self._tell(f"{what}, {len(found)} so far")
                self._hurry()
            return found

        return self._answer(what, everything)

    def _config_map(self, namespace: str, name: str) -> Answer[Object]:
        wanted: Object = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": namespace},
        }
        return self._answer(f"ConfigMap {name}", lambda: self._api.get(wanted), missing=dict[str, object]())

    def _limits(self, pods: list[Object]) -> Mapping[str, Answer[str]]:
        """What the container that raises kernel limits wrote, node by node."""
        daemons = [pod for pod in pods if labels(pod).get("app.kubernetes.io/name") == _LIMITS_APP]
        return {
            text(pod, "spec", "nodeName"): self._answer(f"log of {name_of(pod)}", self._log_of(pod))
            for pod in daemons[:_NODES_READ]
        }

    def _log_of(self, pod: Object) -> Callable[[], str]:
        return lambda: self._api.log(text(pod, "metadata", "namespace"), name_of(pod), "raise", last=10)

    def _probe(self, probe: Probe) -> Answer[str]:
        """With what words the API server refuses a pod; empty where it would let it in."""

        def refusal() -> str:
            try:
                self._api.create(probe.pod, _MANAGER, dry_run=True)
            except ApiError as error:
                # Who may not make pods is refused before any policy is asked; the policy names itself.
                if error.forbidden and "ValidatingAdmissionPolicy" in error.message:
                    return error.message
                raise
            return ""

        return self._answer(probe.name, refusal)

    def _as_juju(self) -> Answer[Object]:
        """Whom the API server takes Juju's token for; empty where it takes it for nobody."""
        juju = self._juju
        if juju is None:
            return Answer(why="the outputs have no token of Juju")

        def review() -> Object:
            try:
                asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
                return fields(juju.create(asked, _MANAGER).get("status"))
            except ApiError as error:
                if error.status == HTTPStatus.UNAUTHORIZED:
                    return {}
                raise

        return self._answer("Juju's token", review)

    def _answer(self, what: str, ask: Callable[[], T], *, missing: T | None = None) -> Answer[T]:
        """What was asked for, or why it can't be had; `missing` is for what does not exist."""
        self._tell(what)
        try:
            self._hurry()
            return Answer(ask())
        except ApiError as error:
            if error.status == HTTPStatus.UNAUTHORIZED:
                raise
            if error.not_found and missing is not None:
                return Answer(missing)
            return Answer(why=f"you may not ask for it: {error}" if error.forbidden else str(error))
        except UnreachableError:
            raise
        except (KubeError, _TooLongError) as error:
            return Answer(why=str(error))

    def _hurry(self) -> None:
        if time.monotonic() - self._began > _PATIENCE:
            raise _TooLongError(
                f"the API server took longer than {_PATIENCE:.0f} s for what was asked before"
            )

    def _tell(self, what: str) -> None:
        if (now := time.monotonic()) - self._said > _QUIET:
            self._said = now
            self._say(f"{now - self._began:.0f} s: reading {what}")


class _TooLongError(Exception):
    """There is no time left."""


def _trimmed(obj: Object) -> Object:
    """An object without what no check reads: a large cluster's pods would take gigabytes."""
    metadata = {key: value for key, value in fields(obj.get("metadata")).items() if key != "managedFields"}
    spec = {
        key: at(obj, "spec", key)
        for key in ("nodeName", "priority", "taints")
        if at(obj, "spec", key) is not None
    }
    status = {
        key: value
        for key, value in fields(obj.get("status")).items()
        if key not in ("images", "volumesInUse")
    }
    rest = {key: value for key, value in obj.items() if key not in ("metadata", "spec", "status")}
    return {**rest, "metadata": metadata, "spec": spec, "status": status}
