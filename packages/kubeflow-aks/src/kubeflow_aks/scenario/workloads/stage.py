"""The namespace, containers and limits of a scenario's work."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

PLATFORM_NAMESPACE: Final = "kubeflow"
"""Juju's model, in which the charms run."""
TEAM_NAMESPACE: Final = "team-a"


@dataclass(frozen=True)
class Stage:
    """The settings of one kind of cluster.

    Attributes:
        namespace: of all work.
        manager: field manager of the scenario's objects.
        container: of a task, without requests.
        pod: further fields of a task's pod, without containers and placement.
        requests: of a task, in addition to CPU and GPUs.
        limited: whether a task's limits equal its requests.
        guarded: namespace and labels of a pod that the guard keeps off spot nodes.
    """

    namespace: str
    manager: str
    container: Mapping[str, Any]
    pod: Mapping[str, Any]
    requests: Mapping[str, str]
    limited: bool
    guarded: tuple[str, Mapping[str, str]]


SIMULATED: Final = Stage(
    namespace=TEAM_NAMESPACE,
    manager="local-aks-demo",
    container={"name": "main", "image": "registry.invalid/simulated"},  # kwok's nodes pull nothing
    pod={},
    requests={},
    limited=False,
    guarded=(PLATFORM_NAMESPACE, {}),
)
