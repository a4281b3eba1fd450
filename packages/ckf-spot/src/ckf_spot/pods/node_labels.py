"""Labels of a pool's nodes, as far as the contract tells them, and what a pod requires of labels."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ckf_spot.agent_pool import POOL_LABEL, SPOT_LABEL, AgentPool
from ckf_spot.fields import Object
from ckf_spot.pods.gpu_limits import at_run_time

_T = TypeVar("_T")

HOST: Final = "kubernetes.io/hostname"
_DISCOVERED: Final = "nvidia.com/"
"""Start of the labels that NVIDIA's GPU Feature Discovery puts on GPU nodes (NVIDIA/k8s-device-plugin, README.md)."""
_BETA: Final[Mapping[str, str]] = {
    "kubernetes.io/arch": "beta.kubernetes.io/arch",
    "kubernetes.io/os": "beta.kubernetes.io/os",
    "node.kubernetes.io/instance-type": "beta.kubernetes.io/instance-type",
    "topology.kubernetes.io/region": "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone": "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.azure.com/agentpool": "agentpool",
    "kubernetes.azure.com/accelerator": "accelerator",
}
"""Older keys with the same value ("Well-Known Labels, Annotations and Taints"; docs/facts/aks.md#node-labels)."""
_LATER: Final = "is known at run time only, and so can't be held against {pools}"
_NOT_FROM_ZERO: Final = "is not what the autoscaler expects of {pools} without nodes"
"""docs/facts/aks.md#scale-from-zero."""


@dataclass(frozen=True)
class Label:
    """A label of a pool's nodes.

    Attributes:
        form: regular expression of its value.
        shown: its value for people.
        doubt: why a pod that requires it may wait all the same; empty: it does not.
    """

    form: str
    shown: str
    doubt: str = ""


def exactly(value: str, doubt: str = "") -> Label:
    """A label of one value."""
    return Label(re.escape(value), value, doubt)


class NodeLabels:
    """The labels of a pool's nodes, with what AKS, its cloud provider and the kubelet set.

    Source: docs/facts/aks.md#node-labels.
    """

    def __init__(self, pool: AgentPool) -> None:
        texts = {
            "kubernetes.azure.com/priority": "spot" if pool.spot else "regular",
            "kubernetes.azure.com/mode": "user",
            "kubernetes.azure.com/role": "agent",
            POOL_LABEL: pool.name,
            "node.kubernetes.io/instance-type": pool.vm_size,
            "kubernetes.io/os": "linux",
        }
        if pool.region:
            texts["topology.kubernetes.io/region"] = pool.region
        labels: dict[str, Label | None] = {key: exactly(value) for key, value in texts.items()}
        labels[SPOT_LABEL] = None
        labels[HOST] = Label(rf"aks-{pool.name}-\d+-vm.+", f"aks-{pool.name}-…")
        if pool.architecture:
            doubt = "" if pool.architecture == "amd64" else _NOT_FROM_ZERO
            labels["kubernetes.io/arch"] = exactly(pool.architecture, doubt)
        if pool.region and pool.zones is not None:
            zones = [f"{pool.region}-{zone}" for zone in pool.zones]
            # Without zones it is a number, mostly 0 (availability-zones.md).
            form = "|".join(map(re.escape, zones)) or r"\d+"
            labels["topology.kubernetes.io/zone"] = Label(form, ", ".join(zones))
        if not pool.gpus or "NVIDIA" in pool.gpu_model:
            labels["kubernetes.azure.com/accelerator"] = exactly("nvidia") if pool.gpus else None
        if pool.gpus and pool.gpu_model:
            # Such as Tesla-T4 and NVIDIA-A100-80GB-PCIe-MIG-1g.10gb.
            model = re.escape(pool.gpu_model.removeprefix("NVIDIA ").partition(" ")[0])
            form = rf"(?i:(.*[^a-z0-9])?{model}([^a-z0-9].*)?)"
            labels[f"{_DISCOVERED}gpu.product"] = Label(form, pool.gpu_model, _NOT_FROM_ZERO)
        labels |= {old: labels[key] for key, old in _BETA.items() if key in labels}
        self._labels = labels | {key: exactly(value) for key, value in pool.labels.items()}
        self._without = () if pool.gpus else (_DISCOVERED,)

    def judged(self, key: str, judge: Callable[[Label | None], _T], otherwise: _T) -> _T:
        """What a function says of a label, or of there being none; `otherwise` where nobody knows."""
        if key in self._labels:
            return judge(self._labels[key])
        return judge(None) if key.startswith(self._without or "\0") else otherwise

    def shown(self, key: str) -> str:
        """The label's value for people; empty: there is none."""
        return self.judged(key, lambda label: label.shown if label else "", "")


@dataclass(frozen=True)
class Requirement:
    """A requirement on a label of the node, in the words of Kubernetes' `matchExpressions`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    @classmethod
    def read(cls, expression: Object) -> "Requirement":
        """A requirement of a well-formed term."""
        values: Any = expression.get("values") or ()
        return cls(str(expression.get("key")), str(expression.get("operator")), tuple(map(str, values)))

    def doubt(self, labels: NodeLabels) -> str | None:
        """Why nodes may not meet it: empty: they certainly don't; None: they do."""
        unknown = (
            None if self.operator in {"NotIn", "DoesNotExist"} else "is not known of the nodes of {pools}"
        )
        doubt = labels.judged(self.key, self._doubt, unknown)
        if any(map(at_run_time, self.values)) and (doubt == "" or self.operator == "NotIn"):
            return _LATER
        return doubt

    def _doubt(self, label: Label | None) -> str | None:
        match self.operator:
            case "In":
                met = label is not None and any(re.fullmatch(label.form, value) for value in self.values)
                return label.doubt or None if label and met else ""
            case "NotIn":
                met = label is None or label.form not in map(re.escape, self.values)
            case "Exists":
                met = label is not None
            case "DoesNotExist":
                met = label is None
            case _:  # Gt and Lt: none of these labels is a number
                met = False
        return None if met else ""

    def __str__(self) -> str:
        match self.operator, self.values:
            case "In", (value,):
                return f"{self.key}={value}"
            case ("Exists" | "DoesNotExist") as operator, _:
                return f"{'no ' if operator == 'DoesNotExist' else ''}label {self.key}"
            case operator, values:
                return f"{self.key} {operator} {', '.join(values)}"
