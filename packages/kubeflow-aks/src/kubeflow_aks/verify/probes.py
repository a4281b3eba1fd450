"""Pods that are created as dry runs to test the guard; none of them ever exists."""

from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object

GUARD: Final = "kubeflow-aks-keep-off-spot"
"""Name of the guard, which a refusal by it has."""
PROFILE_GUARD: Final = "kubeflow-aks-keep-profiles-off-spot"
"""And of that of namespaces that keep their stateful work off spot."""
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
_IMAGE: Final = "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10.2"


@dataclass(frozen=True)
class Probe:
    """A pod, and whether the guard should refuse it.

    Attributes:
        metadata: labels and owners of the pod.
    """

    name: str
    refused: bool
    namespace: str = "default"
    metadata: Object = field(default_factory=dict[str, object])
    tolerations: tuple[Object, ...] = ()

    @property
    def expected(self) -> str:
        """The expected answer of the API server, in words."""
        return "refused" if self.refused else "admitted"

    @property
    def pod(self) -> Object:
        """The pod; it meets the strictest Pod Security Standard, so that nothing but the guard refuses it."""
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
