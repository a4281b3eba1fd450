"""Reads all that the checks need from a cluster: requests that read, and dry runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Final, TypeVar

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError, UnreachableError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, fields, name_of
from kubeflow_aks.verify.admission_webhooks import FAILED_WEBHOOK, required_webhooks
from kubeflow_aks.verify.probes import PROBES, Probe
from kubeflow_aks.verify.snapshot import CONTRACT, OUR_NAMESPACE, ClusterSnapshot, Result, labels, text

T = TypeVar("T")

_LIMIT_SECONDS: Final = 60.0
"""Seconds after which nothing more is read."""
_ONE_SECONDS: Final = 15.0
"""Seconds for anything but a list: a server that sends byte by byte, or nothing, must not use up the whole time."""
_PROGRESS_SECONDS: Final = 5.0
"""Seconds without a line of progress."""
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
_DAEMON_SET: Final = Kind("apps", "v1", "DaemonSet")
_PRIORITY_CLASS: Final = Kind("scheduling.k8s.io", "v1", "PriorityClass")
_ENDPOINT_SLICE: Final = Kind("discovery.k8s.io", "v1", "EndpointSlice")
_API_SERVICE: Final = Kind("apiregistration.k8s.io", "v1", "APIService")
_WEBHOOKS: Final = (
    Kind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"),
    Kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"),
)
_PRIORITY_MAP: Final = "cluster-autoscaler-priority-expander"


class ClusterReader:
    """Takes one snapshot of a cluster."""

    def __init__(self, api: ApiServer, juju: ApiServer | None, progress: Callable[[str], None]) -> None:
        """Sends no request yet.

        Args:
            api: the API server, with the caller's credentials.
            juju: the API server with Juju's token; None if there is no token.
            progress: called with a line when reading takes long.
        """
        self._api, self._juju, self._progress = api, juju, progress
        self._began = self._reported = time.monotonic()

    def read(self) -> ClusterSnapshot:
        """All that the checks need.

        Raises:
            UnreachableError: the API server cannot be reached.
            ApiError: it rejects the credentials.
        """
        before = datetime.now(UTC)
        server = self._result("the time", self._api.time)
        clock = _ahead(before, server)
        version = self._result("the version", lambda: self._api.read("/version"))
        namespaces = self._list("namespaces", _NAMESPACE)
        pods = self._list("pods", _POD, fieldSelector=_UNFINISHED)
        there = {name_of(each) for each in namespaces.value or [{"metadata": {"name": "default"}}]}
        webhooks = self._webhooks()
        return ClusterSnapshot(
            now=datetime.now(UTC) - (clock.value or timedelta()),
            clock=clock,
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
            contract=self._config_map(OUR_NAMESPACE, CONTRACT),
            contract_readers=self._result("the rights to the pool contract", self._anybody_reads_contract),
            daemon_sets=self._list("DaemonSets", _DAEMON_SET, OUR_NAMESPACE),
            priority_classes=self._list("priority classes", _PRIORITY_CLASS),
            api_services=self._list("API services", _API_SERVICE),
            webhooks=webhooks,
            endpoints=self._endpoints(webhooks.value or []),
            juju=self._as_juju(),
            juju_rights=self._juju_rights(),
            guard=self._guard(there),
            limits=self._limits(pods.value or []),
        )

    def _list(self, what: str, kind: Kind, namespace: str = "", **selectors: str) -> Result[list[Object]]:
        def everything() -> list[Object]:
            found: list[Object] = []
            for page in self._api.pages(kind, namespace, **selectors):
                found += map(_trimmed, page)
                self._check_time()
            return found

        return self._result(what, everything, seconds=_LIMIT_SECONDS)

    def _webhooks(self) -> Result[list[Object]]:
        """Both kinds of configurations; unreadable if one of them is."""
        found: list[Object] = []
        for kind in _WEBHOOKS:
            result = self._list("webhooks", kind)
            if result.value is None:
                return result
            found += result.value
        return Result(found)

    def _endpoints(self, configurations: list[Object]) -> Mapping[str, Result[list[Object]]]:
        namespaces = {hook.namespace for hook in required_webhooks(configurations)}
        return {
            each: self._list("endpoints of webhooks", _ENDPOINT_SLICE, each) for each in sorted(namespaces)
        }

    def _anybody_reads_contract(self) -> bool:
        """Whether a user of no other group than that of all users with valid credentials may read the contract."""
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "LocalSubjectAccessReview",
            "metadata": {"namespace": OUR_NAMESPACE},
            "spec": {
                "user": _MANAGER,
                "groups": ["system:authenticated"],
                "resourceAttributes": {
                    "namespace": OUR_NAMESPACE,
                    "verb": "get",
                    "resource": "configmaps",
                    "name": CONTRACT,
                },
            },
        }
        return at(self._api.create(review, _MANAGER), "status", "allowed") is True

    def _config_map(self, namespace: str, name: str) -> Result[Object]:
        config_map: Object = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": namespace},
        }
        return self._result(
            f"ConfigMap {name}", lambda: self._api.get(config_map), missing=dict[str, object]()
        )

    def _limits(self, pods: list[Object]) -> Mapping[str, Result[str]]:
        """The log of the container that raises kernel limits, by node."""
        daemons = [pod for pod in pods if labels(pod).get("app.kubernetes.io/name") == _LIMITS_APP]
        return {
            text(pod, "spec", "nodeName"): self._result(f"log of {name_of(pod)}", self._log_of(pod))
            for pod in daemons[:_NODES_READ]
        }

    def _log_of(self, pod: Object) -> Callable[[], str]:
        return lambda: self._api.log(text(pod, "metadata", "namespace"), name_of(pod), "raise", last=10)

    def _guard(self, namespaces: set[str]) -> Mapping[str, Result[str]]:
        """The answer to each probe of an existing namespace; a webhook that fails is called once, as it takes time."""
        answers: dict[str, Result[str]] = {}
        failed: dict[str, Result[str]] = {}
        for probe in PROBES:
            if probe.namespace in namespaces:
                answers[probe.name] = failed.get(probe.namespace) or self._probe(probe)
                if FAILED_WEBHOOK in answers[probe.name].reason:
                    failed[probe.namespace] = answers[probe.name]
        return answers

    def _probe(self, probe: Probe) -> Result[str]:
        """The API server's refusal of a pod; empty if it admits it."""

        def refusal() -> str:
            try:
                self._api.create(probe.pod, _MANAGER, dry_run=True)
            except ApiError as error:
                # Without the right to create pods the request is refused before any policy; a policy names itself.
                if error.forbidden and "ValidatingAdmissionPolicy" in error.message:
                    return error.message
                raise
            return ""

        return self._result(probe.name, refusal)

    def _as_juju(self) -> Result[Object]:
        """The user that the API server authenticates Juju's token as; empty if it rejects the token."""
        juju = self._juju
        if juju is None:
            return Result(reason="the outputs have no jujuToken")

        def user() -> Object:
            try:
                review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
                return fields(juju.create(review, _MANAGER).get("status"))
            except ApiError as error:
                if error.status == HTTPStatus.UNAUTHORIZED:
                    return {}
                raise

        return self._result("Juju's token", user)

    def _juju_rights(self) -> Result[bool]:
        """Whether Juju's account may do everything, as `cluster-admin` lets it."""
        juju = self._juju
        if juju is None:
            return Result(reason="the outputs have no jujuToken")
        everything = {"namespace": "", "verb": "*", "group": "*", "version": "*", "resource": "*"}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": everything},
        }

        def allowed() -> bool | None:
            try:
                return at(juju.create(review, _MANAGER), "status", "allowed") is True
            except ApiError as error:
                if error.status == HTTPStatus.UNAUTHORIZED:
                    return None
                raise

        result = self._result("Juju's rights", allowed)
        if result.value is None and not result.reason:
            return Result(reason="the API server rejects Juju's token")
        return Result(result.value, result.reason)

    def _result(
        self, what: str, ask: Callable[[], T], *, missing: T | None = None, seconds: float | None = None
    ) -> Result[T]:
        """The result of requests.

        Args:
            what: they read, for messages.
            ask: sends them.
            missing: stands for an object that does not exist.
            seconds: for all of them; by default what one may take.
        """
        try:
            self._check_time()
            return Result(self._in_time(what, ask, _ONE_SECONDS if seconds is None else seconds))
        except ApiError as error:
            if error.status == HTTPStatus.UNAUTHORIZED:
                raise
            if error.not_found and missing is not None:
                return Result(missing)
            return Result(reason=f"no permission: {error}" if error.forbidden else str(error))
        except UnreachableError:
            raise
        except (KubeError, _TooLongError) as error:
            return Result(reason=str(error))

    def _in_time(self, what: str, ask: Callable[[], T], seconds: float) -> T:
        """What `ask` returns.

        It runs in a thread of its own: a time limit of a socket begins anew with each byte, and there is none for the
        look-up of a name. A thread that is too slow is left alone, and ends with the process.

        Raises:
            _TooLongError: it takes longer.
        """
        running: Future[T] = Future()

        def run() -> None:
            try:
                running.set_result(ask())
            except Exception as error:  # noqa: BLE001 - raised again where the result is expected
                running.set_exception(error)

        threading.Thread(target=run, name=f"reading {what}", daemon=True).start()
        began = time.monotonic()
        end = min(began + seconds, self._began + _LIMIT_SECONDS)
        while not running.done():
            if (now := time.monotonic()) >= end:
                raise _TooLongError(f"the API server has not answered completely within {now - began:.0f} s")
            self._report(what)
            wait([running], timeout=min(_PROGRESS_SECONDS, end - now))
        return running.result()

    def _check_time(self) -> None:
        if time.monotonic() - self._began > _LIMIT_SECONDS:
            raise _TooLongError(
                f"the API server took longer than {_LIMIT_SECONDS:.0f} s for earlier requests"
            )

    def _report(self, what: str) -> None:
        if (now := time.monotonic()) - self._reported > _PROGRESS_SECONDS:
            self._reported = now
            self._progress(f"{now - self._began:.0f} s: reading {what}")


class _TooLongError(Exception):
    """The time for reading is over."""


def _ahead(before: datetime, server: Result[datetime | None]) -> Result[timedelta]:
    """How far this machine's clock is ahead of the server's, which sends whole seconds."""
    if server.value is None:
        return Result(reason=server.reason or "the API server does not send its time")
    return Result(before - server.value)


def _trimmed(obj: Object) -> Object:
    """An object without the fields that no check reads: a large cluster's pods would take gigabytes."""
    metadata = {key: value for key, value in fields(obj.get("metadata")).items() if key != "managedFields"}
    spec = {
        key: at(obj, "spec", key)
        for key in ("nodeName", "priority", "taints", "unschedulable")
        if at(obj, "spec", key) is not None
    }
    status = {
        key: value
        for key, value in fields(obj.get("status")).items()
        if key not in ("images", "volumesInUse")
    }
    rest = {key: value for key, value in obj.items() if key not in ("metadata", "spec", "status")}
    return {**rest, "metadata": metadata, "spec": spec, "status": status}
