"""The pods of workloads and their containers."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from kubeflow_aks.policy.benchmark.values import Inputs, Look, at, in_turn, items
from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.table import Every

_TEMPLATES: Final = {
    "Pod": "",
    "PodTemplate": "template.",
    "CronJob": "spec.jobTemplate.spec.template.",
    **dict.fromkeys(
        ("DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"),
        "spec.template.",
    ),
}
"""Path of the pod template, by kind."""


class Pod(NamedTuple):
    """One pod of a workload; `ends` is set for jobs."""

    urn: str
    namespace: Any
    labels: Inputs
    spec: Inputs
    ends: bool


class Container(NamedTuple):
    """One container and the pod's spec around it."""

    inputs: Inputs
    pod: Inputs
    init: bool
    ends: bool

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"container {at(self.inputs, 'name')}"


def kind(resource: Resource) -> str:
    """Kind of a Kubernetes object; empty for other resources."""
    return resource.type.rpartition(":")[2] if resource.type.startswith("kubernetes:") else ""


def pods(resources: Sequence[Resource]) -> Iterator[Pod]:
    """The pod of every workload."""
    for resource in resources:
        if (where := _TEMPLATES.get(kind(resource))) is not None:
            inputs = resource.inputs
            yield Pod(
                resource.urn,
                at(inputs, "metadata.namespace"),
                at(inputs, f"{where}metadata.labels") or {},
                at(inputs, f"{where}spec") or {},
                kind(resource) in ("CronJob", "Job"),
            )


def containers(pod: Pod) -> Iterator[Container]:
    """Its containers, init containers first."""
    for key, init in (("initContainers", True), ("containers", False)):
        yield from (Container(inputs, pod.spec, init, pod.ends) for inputs in items(pod.spec, key))


def every_pod(*looks: Look) -> Every:
    """What is wrong with each pod's spec."""

    def check(pod: Pod) -> Iterator[str]:
        yield from (message for look in looks for message in look(pod.spec))

    return lambda resources: in_turn(pods(resources), check)


def every_container(look: Callable[[Container], Iterator[str]]) -> Every:
    """What is wrong with each container."""

    def check(pod: Pod) -> Iterator[str]:
        for container in containers(pod):
            yield from (f"{container.name}: {message}" for message in look(container))

    return lambda resources: in_turn(pods(resources), check)


def container_inputs(*looks: Look) -> Every:
    """What is wrong with each container's own inputs."""
    return every_container(
        lambda container: (message for look in looks for message in look(container.inputs))
    )
