"""Where a story's work lives in a cluster, and what its containers are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

PLATFORM_NAMESPACE: Final = "kubeflow"
"""Juju's model, in which the charms live."""
TEAM_NAMESPACE: Final = "team-a"


@dataclass(frozen=True)
class Stage:
    """One of them.

    Attributes:
        namespace: of all work.
        manager: field manager of whatever the story makes.
        container: of a task, without what it asks for.
        pod: what a task's pod has beside its containers and what places it.
        requests: what a task asks for beside CPU and GPUs.
        limited: whether a task's limits equal what it asks for.
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
