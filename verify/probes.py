"""Pods that the API server is asked about by dry runs: none of them ever exists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from kube.objects import Object

_SPOT: Final = {
    "key": "kubernetes.azure.com/scalesetpriority",
    "operator": "Equal",
    "value": "spot",
    "effect": "NoSchedule",
}
_DAEMON: Final = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "name": "verify",
    "uid": "00000000-0000-0000-0000-000000000000",
}
_IMAGE: Final = "mcr.microsoft.com/oss/kubernetes/pause:3.6"


@dataclass(frozen=True)
class Probe:
    """One pod, and what should become of it.

    Attributes:
        name: how it is told.
        refused: whether the guard should refuse it.
        namespace: where it would be.
        metadata: more of it.
        tolerations: its own.
    """

    name: str
    refused: bool
    namespace: str = "default"
    metadata: Object = field(default_factory=dict[str, object])
    tolerations: tuple[Object, ...] = ()

    @property
    def expected(self) -> str:
        """What should become of it, in words."""
        return "refused" if self.refused else "let in"

    @property
    def pod(self) -> Object:
        """The pod; as confined as the strictest "Pod Security Standards" ask for, so that only the guard minds it."""
        confined = {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": 65535,
            "seccompProfile": {"type": "RuntimeDefault"},
        }
        few = {"cpu": "1m", "memory": "8Mi"}
        container = {
            "name": "pause",
            "image": _IMAGE,
            "securityContext": confined,
            "resources": {"requests": few, "limits": few},
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"generateName": "verify-", "namespace": self.namespace, **self.metadata},
            "spec": {
                "automountServiceAccountToken": False,
                "containers": [container],
                "tolerations": list(self.tolerations),
            },
        }


_NOTEBOOK: Final[Object] = {"labels": {"notebook-name": "verify"}}
PROBES: Final = (
    Probe("a notebook that tolerates spot", refused=True, metadata=_NOTEBOOK, tolerations=(_SPOT,)),
    Probe(
        "a notebook that tolerates everything",
        refused=True,
        metadata=_NOTEBOOK,
        tolerations=({"operator": "Exists"},),
    ),
    Probe(
        "a pod in namespace kubeflow that tolerates spot",
        refused=True,
        namespace="kubeflow",
        tolerations=(_SPOT,),
    ),
    Probe("a notebook without toleration", refused=False, metadata=_NOTEBOOK),
    Probe("a batch pod that tolerates spot", refused=False, tolerations=(_SPOT,)),
    Probe(
        "a daemon's pod that tolerates spot",
        refused=False,
        metadata={**_NOTEBOOK, "ownerReferences": [_DAEMON]},
        tolerations=(_SPOT,),
    ),
)
