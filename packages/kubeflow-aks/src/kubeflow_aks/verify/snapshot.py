"""What was read from a cluster, as plain data; a field of an object may hold any JSON value."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from kubeflow_aks.clients.kubernetes.objects import Object, at, fields, is_true, items, resource_id
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.sentences import one_line

T = TypeVar("T")

POOL_LABEL: Final = "kubernetes.azure.com/agentpool"
OUR_NAMESPACE: Final = "kubeflow-aks"
"""The namespace of everything of this product."""
CONTRACT: Final = "agent-pools"
"""The ConfigMap with the pool contract."""
_SERVICE: Final = "kubernetes.io/service-name"
"""Label of an EndpointSlice with its service's name ("EndpointSlices", "Ownership")."""
_PLATFORM: Final = re.compile(r"kubeflow|(?:controller|knative)-.*")
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


class UnknownError(Exception):
    """A check lacks something that could not be read; the text is the reason."""


@dataclass(frozen=True)
class Result(Generic[T]):
    """A value that was read, or the reason why it could not be.

    Attributes:
        value: None if it could not be read.
        reason: empty if it was read.
    """

    value: T | None = None
    reason: str = ""

    def required(self) -> T:
        """The value.

        Raises:
            UnknownError: it could not be read.
        """
        if self.value is None:
            raise UnknownError(self.reason or "it was not read")
        return self.value


@dataclass(frozen=True)
class StackObject:
    """An object that the program registered.

    Attributes:
        registered: as the stack's state has it.
        expected: as the API server would make it now, by a dry run.
        live: as it is; empty if it does not exist.
    """

    registered: Object
    expected: Result[Object]
    live: Result[Object]

    @property
    def kind(self) -> str:
        """Its kind."""
        return text(self.registered, "kind")

    @property
    def name(self) -> str:
        """`Deployment kubeflow-aks/eviction-handler`, `StorageClass ckf-zrs`."""
        return f"{self.kind} {resource_id(self.registered)}"


@dataclass(frozen=True)
class Right:
    """A right that the program registered for one of its service accounts.

    Attributes:
        account: `namespace/name`.
        attributes: what it may do, as an access review takes it (`ResourceAttributes`).
        allowed: whether the API server lets it.
    """

    account: str
    attributes: Object
    allowed: Result[bool]

    @property
    def action(self) -> str:
        """`create pods/eviction`, `get configmaps in kubeflow-aks-return-to-spot`."""
        of = self.attributes
        subresource = f"/{of['subresource']}" if of.get("subresource") else ""
        where = f" in {of['namespace']}" if of.get("namespace") else ""
        return f"{of['verb']} {of['resource']}{subresource}{where}"


@dataclass(frozen=True)
class ClusterSnapshot:
    """The state of a cluster at one time. An object that does not exist is an empty one.

    Attributes:
        now: time of the snapshot by the API server's clock, or by this machine's if the server does not send its own.
        clock: by how much this machine's clock is ahead of the API server's.
        version: the API server's `/version`.
        pods: all pods that have not ended.
        priority_map: ConfigMap of the autoscaler's priority expander.
        autoscaler: ConfigMap with the autoscaler's status.
        expander_events: events on the priority map.
        untriggered: the autoscaler's events on pods for which it adds no node.
        argo: ConfigMap of Argo's workflow controller.
        limits: by node, the log of the container that raises kernel limits.
        guard: by probe, the API server's refusal; empty if it admits the pod.
        juju: the user that the API server authenticates Juju's token as; empty if it rejects the token.
        contract: ConfigMap with the pool contract.
        contract_readers: whether every user with valid credentials may read it.
        objects: what the program registered.
        rights: of the program's service accounts.
        webhooks: all configurations of admission webhooks.
        endpoints: by namespace, the EndpointSlices where a webhook has its service.
        refusals: events on controllers that could not create a pod.
        policies: network policies in the namespaces of this product.
        dns: Service of the cluster's DNS.
        drivers: storage drivers of the cluster.
        charms: the applications of Juju's model, as `juju status` prints them, by name.
    """

    now: datetime
    clock: Result[timedelta] = field(default_factory=Result[timedelta])
    version: Result[Object] = field(default_factory=Result[Object])
    nodes: Result[list[Object]] = field(default_factory=Result[list[Object]])
    pods: Result[list[Object]] = field(default_factory=Result[list[Object]])
    namespaces: Result[list[Object]] = field(default_factory=Result[list[Object]])
    storage_classes: Result[list[Object]] = field(default_factory=Result[list[Object]])
    priority_map: Result[Object] = field(default_factory=Result[Object])
    autoscaler: Result[Object] = field(default_factory=Result[Object])
    expander_events: Result[list[Object]] = field(default_factory=Result[list[Object]])
    untriggered: Result[list[Object]] = field(default_factory=Result[list[Object]])
    argo: Result[Object] = field(default_factory=Result[Object])
    limits: Mapping[str, Result[str]] = field(default_factory=dict[str, Result[str]])
    guard: Mapping[str, Result[str]] = field(default_factory=dict[str, Result[str]])
    juju: Result[Object] = field(default_factory=Result[Object])
    juju_rights: Result[bool] = field(default_factory=Result[bool])
    contract: Result[Object] = field(default_factory=Result[Object])
    contract_readers: Result[bool] = field(default_factory=Result[bool])
    objects: Result[list[StackObject]] = field(default_factory=Result[list[StackObject]])
    rights: Result[list[Right]] = field(default_factory=Result[list[Right]])
    priority_classes: Result[list[Object]] = field(default_factory=Result[list[Object]])
    webhooks: Result[list[Object]] = field(default_factory=Result[list[Object]])
    endpoints: Mapping[str, Result[list[Object]]] = field(default_factory=dict[str, Result[list[Object]]])
    api_services: Result[list[Object]] = field(default_factory=Result[list[Object]])
    definitions: Result[list[Object]] = field(default_factory=Result[list[Object]])
    budgets: Result[list[Object]] = field(default_factory=Result[list[Object]])
    quotas: Result[list[Object]] = field(default_factory=Result[list[Object]])
    refusals: Result[list[Object]] = field(default_factory=Result[list[Object]])
    policies: Result[list[Object]] = field(default_factory=Result[list[Object]])
    dns: Result[Object] = field(default_factory=Result[Object])
    drivers: Result[list[Object]] = field(default_factory=Result[list[Object]])
    charms: Result[Mapping[str, Any]] = field(default_factory=Result[Mapping[str, Any]])

    def unreadable(self) -> str:
        """Why none of the cluster's objects could be read; empty if some could."""
        results = (self.nodes, self.pods, self.namespaces, self.storage_classes, self.autoscaler)
        return "" if any(result.value is not None for result in results) else self.nodes.reason

    def slices(self, namespace: str) -> Result[list[Object]]:
        """The EndpointSlices of a namespace."""
        return self.endpoints.get(namespace, Result[list[Object]]())

    def age(self, time: object) -> timedelta:
        """How long ago a time of the API was; a value that is no time counts as long ago."""
        return self.now - moment(time)


def moment(time: object) -> datetime:
    """A time as the API writes it; a value that is no time counts as long ago."""
    try:
        instant = datetime.fromisoformat(time) if isinstance(time, str) else _LONG_AGO
    except ValueError:
        return _LONG_AGO
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def text(obj: object, *path: str) -> str:
    """The text at a path; empty if there is none."""
    value = at(obj, *path)
    return value if isinstance(value, str) else ""


def labels(obj: object) -> Mapping[str, str]:
    """The labels of an object."""
    values = fields(at(obj, "metadata", "labels"))
    return {key: value for key, value in values.items() if isinstance(value, str)}


def is_platform(namespace: str) -> bool:
    """Whether a namespace is Juju's model, a controller of Juju's, or the charms' Knative."""
    return _PLATFORM.fullmatch(namespace) is not None


def has_ready_endpoint(slices: Iterable[Object], service: str) -> bool:
    """Whether a service has an endpoint that is ready; one that does not say so is ("EndpointSlices", "Ready")."""
    return any(
        at(endpoint, "conditions", "ready") is not False
        for entry in slices
        if labels(entry).get(_SERVICE) == service
        for endpoint in items(entry.get("endpoints"))
    )


def pool_of(node: object) -> str:
    """The agent pool of a node; empty if it has no such label."""
    return labels(node).get(POOL_LABEL, "")


def home_pools(outputs: Outputs) -> set[str]:
    """The names of the pools that take pods without a toleration: Kubeflow's own."""
    pools = outputs.pools()
    return {str(pool["name"]) for pool in pools if pool.get("role") == "general" and not pool.get("taints")}


def owned_by(obj: object, kind: str) -> bool:
    """Whether an object of some kind owns this one."""
    return any(text(owner, "kind") == kind for owner in items(at(obj, "metadata", "ownerReferences")))


def is_ready(obj: Object) -> bool:
    """Whether a node or pod has the condition Ready."""
    return is_true(obj, "Ready")


def why(reported: Object) -> str:
    """The message of a condition, or its reason, on one line."""
    return one_line(reported.get("message") or reported.get("reason") or "no reason given")


def container_statuses(pod: object) -> list[Any]:
    """The statuses of a pod's containers, those that prepare it first."""
    keys = ("initContainerStatuses", "containerStatuses")
    return [status for key in keys for status in items(at(pod, "status", key))]


def qualified_name(obj: object) -> str:
    """`namespace/name`."""
    return f"{text(obj, 'metadata', 'namespace')}/{text(obj, 'metadata', 'name')}"


def seconds(duration: object) -> timedelta:
    """A duration of the settings, such as `10m`.

    Raises:
        UnknownError: it has another form.
    """
    match = re.fullmatch(r"([0-9]{1,6})([smh])", duration) if isinstance(duration, str) else None
    if match is None:
        raise UnknownError(f"{duration!r} in the outputs is not a duration such as 10m")
    return timedelta(seconds=int(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]])
