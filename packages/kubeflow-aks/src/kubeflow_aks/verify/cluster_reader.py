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
from kubeflow_aks.clients.kubernetes.objects import (
    Kind,
    Object,
    at,
    drop,
    fields,
    items,
    name_of,
    resource_id,
)
from kubeflow_aks.verify import comparison
from kubeflow_aks.verify.admission_webhooks import FAILED_WEBHOOK, conversion_webhooks, required_webhooks
from kubeflow_aks.verify.probes import PROBES, Probe
from kubeflow_aks.verify.rights import registered_rights
from kubeflow_aks.verify.snapshot import (
    CONTRACT,
    OUR_NAMESPACE,
    ClusterSnapshot,
    Result,
    Right,
    StackObject,
    labels,
    text,
)

T = TypeVar("T")

_LIMIT_SECONDS: Final = 60.0
"""Seconds after which nothing more is read."""
_ONE_SECONDS: Final = 15.0
"""Seconds for anything but a list: a server that sends byte by byte, or nothing, must not use up the whole time."""
_PROGRESS_SECONDS: Final = 5.0
"""Seconds without a line of progress."""
_NODES_READ: Final = 50
"""Nodes whose log is read: each is a request to a kubelet."""
_OWNERS_READ: Final = 20
"""Controllers without pods that are looked at."""
_MANAGER: Final = "kubeflow-aks-verify"
_UNFINISHED: Final = "status.phase!=Succeeded,status.phase!=Failed"
_LIMITS_APP: Final = "inotify-limits"
_POD: Final = Kind("", "v1", "Pod")
_EVENT: Final = Kind("", "v1", "Event")
_DEFINITION: Final = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
_WEBHOOKS: Final = (
    Kind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"),
    Kind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"),
)
_PRIORITY_MAP: Final = "cluster-autoscaler-priority-expander"
_SYSTEM: Final = "kube-system"
_SPEC_OF: Final = {
    _POD: ("nodeName", "priority", "serviceAccountName"),
    _DEFINITION: ("conversion", "versions"),
}
"""Fields of a spec that a check reads, of kinds with a large one."""


class ClusterReader:
    """Takes one snapshot of a cluster."""

    def __init__(
        self,
        api: ApiServer,
        juju: ApiServer | None,
        registered: Result[list[Object]],
        progress: Callable[[str], None],
    ) -> None:
        """Sends no request yet.

        Args:
            api: the API server, with the caller's credentials.
            juju: the API server with Juju's token; None if there is no token.
            registered: the Kubernetes objects that the program registered.
            progress: called with a line when reading takes long.
        """
        self._api, self._juju, self._registered, self._progress = api, juju, registered, progress
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
        namespaces = self._list("namespaces", Kind("", "v1", "Namespace"))
        pods = self._list("pods", _POD, fieldSelector=_UNFINISHED)
        there = {name_of(namespace) for namespace in namespaces.value or [{"metadata": {"name": "default"}}]}
        webhooks, definitions = self._webhooks(), self._list("definitions of custom resources", _DEFINITION)
        return ClusterSnapshot(
            now=datetime.now(UTC) - (clock.value or timedelta()),
            clock=clock,
            version=version,
            namespaces=namespaces,
            pods=pods,
            nodes=self._list("nodes", Kind("", "v1", "Node")),
            storage_classes=self._list("storage classes", Kind("storage.k8s.io", "v1", "StorageClass")),
            priority_map=self._named("ConfigMap", "kube-system", _PRIORITY_MAP),
            autoscaler=self._named("ConfigMap", "kube-system", "cluster-autoscaler-status"),
            expander_events=self._list(
                "events", _EVENT, "kube-system", fieldSelector=f"involvedObject.name={_PRIORITY_MAP}"
            ),
            untriggered=self._list("events", _EVENT, fieldSelector="reason=NotTriggerScaleUp"),
            argo=self._named("ConfigMap", "kubeflow", "argo-workflow-controller-configmap"),
            contract=self._named("ConfigMap", OUR_NAMESPACE, CONTRACT),
            contract_readers=self._result("the rights to the pool contract", self._anybody_reads_contract),
            objects=self._objects(),
            rights=self._rights(),
            priority_classes=self._list("priority classes", Kind("scheduling.k8s.io", "v1", "PriorityClass")),
            api_services=self._list("API services", Kind("apiregistration.k8s.io", "v1", "APIService")),
            webhooks=webhooks,
            endpoints=self._endpoints(webhooks.value or [], definitions.value or []),
            definitions=definitions,
            budgets=self._list("disruption budgets", Kind("policy", "v1", "PodDisruptionBudget")),
            quotas=self._list("quotas", Kind("", "v1", "ResourceQuota")),
            refusals=self._refusals(),
            policies=self._list(
                "network policies", Kind("networking.k8s.io", "v1", "NetworkPolicy"), OUR_NAMESPACE
            ),
            dns=self._named("Service", _SYSTEM, "kube-dns"),
            drivers=self._list("storage drivers", Kind("storage.k8s.io", "v1", "CSIDriver")),
            juju=self._by_juju("Juju's token", _user, rejected=dict[str, object]()),
            juju_rights=self._by_juju("Juju's rights", _may_do_everything),
            guard=self._guard(there),
            limits=self._limits(pods.value or []),
        )

    def _list(self, what: str, kind: Kind, namespace: str = "", **selectors: str) -> Result[list[Object]]:
        def everything() -> list[Object]:
            objects: list[Object] = []
            for page in self._api.pages(kind, namespace, **selectors):
                objects += (_trimmed(obj, _SPEC_OF.get(kind)) for obj in page)
                self._check_time()
            return objects

        return self._result(what, everything, seconds=_LIMIT_SECONDS)

    def _webhooks(self) -> Result[list[Object]]:
        """Both kinds of configurations; unreadable if one of them is."""
        configurations: list[Object] = []
        for kind in _WEBHOOKS:
            result = self._list("webhooks", kind)
            if result.value is None:
                return result
            configurations += result.value
        return Result(configurations)

    def _endpoints(
        self, configurations: list[Object], definitions: list[Object]
    ) -> Mapping[str, Result[list[Object]]]:
        """The endpoints by namespace: those of the cluster's DNS, and where a webhook has its service."""
        hooks = [*required_webhooks(configurations), *conversion_webhooks(definitions)]
        return {
            namespace: self._list(
                "endpoints of webhooks", Kind("discovery.k8s.io", "v1", "EndpointSlice"), namespace
            )
            for namespace in sorted({_SYSTEM, *(hook.namespace for hook in hooks)})
        }

    def _objects(self) -> Result[list[StackObject]]:
        """What the program registered, beside what is there."""
        if self._registered.value is None:
            return Result(reason=self._registered.reason)
        return Result([self._object(registered) for registered in self._registered.value])

    def _object(self, registered: Object) -> StackObject:
        what = f"{registered['kind']} {resource_id(registered)}"
        return StackObject(
            registered,
            expected=self._result(
                what, lambda: self._api.create(comparison.trial(registered), _MANAGER, dry_run=True)
            ),
            live=self._result(what, lambda: self._api.get(registered), missing=dict[str, object]()),
        )

    def _refusals(self) -> Result[list[Object]]:
        """Events on controllers that could not create a pod, of those that are still there and want one."""
        result = self._list("events", _EVENT, fieldSelector="reason=FailedCreate")
        if result.value is None:
            return result
        owners = {uid: event for event in result.value if (uid := text(event, "involvedObject", "uid"))}
        waiting = {uid for uid, event in list(owners.items())[:_OWNERS_READ] if self._waits(event)}
        return Result([event for event in result.value if text(event, "involvedObject", "uid") in waiting])

    def _waits(self, event: Object) -> bool:
        """Whether the controller of an event is still there, as far as can be read, and wants pods."""
        named = fields(event.get("involvedObject"))
        metadata = {key: named.get(key) for key in ("name", "namespace")}
        obj: Object = {"apiVersion": named.get("apiVersion"), "kind": named.get("kind"), "metadata": metadata}
        owner = self._result("a controller", lambda: self._api.get(obj), missing=dict[str, object]()).value
        return owner is None or (
            at(owner, "metadata", "uid") == named.get("uid") and at(owner, "spec", "replicas") != 0
        )

    def _rights(self) -> Result[list[Right]]:
        """The rights that the program registered for its service accounts, and whether they have them."""
        if self._registered.value is None:
            return Result(reason=self._registered.reason)
        return Result(
            [
                Right(account, attributes, self._result("rights", self._review(account, attributes)))
                for account, attributes in registered_rights(self._registered.value)
            ]
        )

    def _review(self, account: str, attributes: Object) -> Callable[[], bool]:
        namespace, _, name = account.partition("/")
        groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"]
        spec = {
            "user": f"system:serviceaccount:{namespace}:{name}",
            "groups": groups,
            "resourceAttributes": attributes,
        }
        return lambda: _allowed(self._api, {"kind": "SubjectAccessReview", "spec": spec})

    def _anybody_reads_contract(self) -> bool:
        """Whether a user of no other group than that of all users with valid credentials may read the contract."""
        here = {"namespace": OUR_NAMESPACE}
        right = {**here, "verb": "get", "resource": "configmaps", "name": CONTRACT}
        spec = {"user": _MANAGER, "groups": ["system:authenticated"], "resourceAttributes": right}
        return _allowed(self._api, {"kind": "LocalSubjectAccessReview", "metadata": here, "spec": spec})

    def _named(self, kind: str, namespace: str, name: str) -> Result[Object]:
        """An object of the core group; empty if it does not exist."""
        metadata = {"name": name, "namespace": namespace}
        obj: Object = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
        return self._result(f"{kind} {name}", lambda: self._api.get(obj), missing=dict[str, object]())

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

    def _by_juju(self, what: str, ask: Callable[[ApiServer], T], rejected: T | None = None) -> Result[T]:
        """The result of a request with Juju's token; `rejected` where the API server does not take it."""
        juju = self._juju
        if juju is None:
            return Result(reason="the outputs have no jujuToken")

        def answer() -> T | None:
            try:
                return ask(juju)
            except ApiError as error:
                if error.status == HTTPStatus.UNAUTHORIZED:
                    return rejected
                raise

        result = self._result(what, answer)
        if result.value is None and not result.reason:
            return Result(reason="the API server rejects Juju's token")
        return Result(result.value, result.reason)

    def _result(
        self, what: str, ask: Callable[[], T], *, missing: T | None = None, seconds: float | None = None
    ) -> Result[T]:
        """The result of requests; `missing` stands for an object that does not exist."""
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


def _allowed(api: ApiServer, review: Object) -> bool:
    answer = api.create({"apiVersion": "authorization.k8s.io/v1", **review}, _MANAGER)
    return at(answer, "status", "allowed") is True


def _user(api: ApiServer) -> Object:
    """The user that the API server authenticates a token as."""
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    return fields(api.create(review, _MANAGER).get("status"))


def _may_do_everything(api: ApiServer) -> bool:
    """As `cluster-admin` lets an account."""
    everything = {"namespace": "", "verb": "*", "group": "*", "version": "*", "resource": "*"}
    spec = {"resourceAttributes": everything}
    return _allowed(api, {"kind": "SelfSubjectAccessReview", "spec": spec})


def _ahead(before: datetime, server: Result[datetime | None]) -> Result[timedelta]:
    """How far this machine's clock is ahead of the server's, which sends whole seconds."""
    if server.value is None:
        return Result(reason=server.reason or "the API server does not send its time")
    return Result(before - server.value)


def _trimmed(obj: Object, spec: tuple[str, ...] | None) -> Object:
    """An object without fields that no check reads: a large cluster's pods would take gigabytes.

    Args:
        obj: from a list.
        spec: fields of its spec to keep; None for all.
    """
    metadata = {key: value for key, value in fields(obj.get("metadata")).items() if key != "managedFields"}
    status = {
        key: value
        for key, value in fields(obj.get("status")).items()
        if key not in ("images", "volumesInUse")
    }
    rest = {key: value for key, value in obj.items() if key not in ("metadata", "spec", "status")}
    whole = fields(obj.get("spec"))
    kept = whole if spec is None else {key: whole[key] for key in spec if key in whole}
    for version in items(kept.get("versions")):
        drop(version, "schema")  # some MiB each
    return {**rest, "metadata": metadata, "spec": kept, "status": status}
