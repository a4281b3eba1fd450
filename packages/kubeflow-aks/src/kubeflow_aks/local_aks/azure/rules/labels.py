"""Rules of node labels and taints (docs/facts/aks.md#spot-label-and-taint)."""

import re
from collections.abc import Mapping
from typing import Final

from kubeflow_aks.local_aks.azure.rules.rule import SPOT_KEY, SPOT_TAINT, PoolRequest, Rule, invalid, when

_NAME: Final = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_DNS_LABEL: Final = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_KEY: Final = re.compile(rf"((?=[^/]{{1,253}}/){_DNS_LABEL}(\.{_DNS_LABEL})*/)?{_NAME}")
_VALUE: Final = re.compile(rf"({_NAME})?")
_TAINT: Final = re.compile(r"(?P<key>[^=:]+)(=(?P<value>[^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)")
_ALLOWED_OF_KUBERNETES: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
_SET_BY_AKS: Final = "node.kubernetes.io/instance-type"
_TAINT_OF_SYSTEM_POOLS: Final = "CriticalAddonsOnly"


def _labels(request: PoolRequest) -> dict[str, str]:
    return dict(request.body.get("nodeLabels") or {})


def _domain(key: str) -> str:
    return key.partition("/")[0] if "/" in key else ""


def _aks_label(request: PoolRequest) -> Mapping[str, object] | None:
    for key, value in _labels(request).items():
        spot_pair = request.spot and (key, value) == (SPOT_KEY, "spot")
        if _of(_domain(key), "kubernetes.azure.com") and not spot_pair:
            return {"key": key}
    return None


def _kubernetes_label(request: PoolRequest) -> Mapping[str, object] | None:
    for key in _labels(request):
        domain = _domain(key)
        if (_of(domain, "kubernetes.io") or _of(domain, "k8s.io")) and not any(
            _of(domain, allowed) for allowed in _ALLOWED_OF_KUBERNETES
        ):
            return {}
    return None


def _label_syntax(request: PoolRequest) -> Mapping[str, object] | None:
    for key, value in _labels(request).items():
        if not (_KEY.fullmatch(key) and _VALUE.fullmatch(value)):
            return {"label": f"{key}={value}"}
    return None


def _taint_syntax(request: PoolRequest) -> Mapping[str, object] | None:
    for taint in request.taints:
        match = _TAINT.fullmatch(taint)
        if not (match and _KEY.fullmatch(match["key"]) and _VALUE.fullmatch(match["value"] or "")):
            return {"taint": taint}
    return None


def _reserved_taint(request: PoolRequest) -> Mapping[str, object] | None:
    for taint in request.taints:
        domain = _domain(taint.partition("=")[0])
        reserved = (
            _of(domain, "kubernetes.azure.com") or _of(domain, "kubernetes.io") or _of(domain, "k8s.io")
        )
        if reserved and not (request.spot and taint == SPOT_TAINT):
            return {"taint": taint}
    return None


def _system_taint(request: PoolRequest) -> Mapping[str, object] | None:
    def keeps_pods_away(taint: str) -> bool:
        key = taint.partition("=")[0].partition(":")[0]
        return key != _TAINT_OF_SYSTEM_POOLS and not taint.endswith(":PreferNoSchedule")

    return when(request.system and any(map(keeps_pods_away, request.taints)))


def _repeated_taint(request: PoolRequest) -> Mapping[str, object] | None:
    identities: set[tuple[str, str]] = set()
    for taint in request.taints:
        head, _, effect = taint.rpartition(":")
        identity = (head.partition("=")[0], effect)
        if identity in identities:
            return {"taint": taint}
        identities.add(identity)
    return None


def _of(domain: str, parent: str) -> bool:
    return domain == parent or domain.endswith(f".{parent}")


LABEL_RULES: Final[tuple[Rule[PoolRequest], ...]] = (
    Rule(
        id="label-prefix-of-aks",
        code="BadRequest",
        message="Invalid node label key {key}. The 'kubernetes.azure.com' prefix is preserved by aks system labels",
        broken=_aks_label,
        quotes="ams0/aks-nvme-ssd-provisioner#5; exception for the spot pair: Azure/AKS#3152",
    ),
    Rule(
        id="label-prefix-of-kubernetes",
        code="BadRequest",
        message="For Kubernetes version greater than or equal to 1.16, node label keys in the 'kubernetes.io' or "
        "'k8s.io' namespace must begin with an allowed prefix (kubelet.kubernetes.io, node.kubernetes.io). For more "
        "information, please check https://aka.ms/aks-node-labels-116.",
        broken=_kubernetes_label,
        quotes="Azure/AKS#2866, hashicorp/terraform-provider-azurerm#18567",
    ),
    Rule(
        id="label-of-aks",
        code="BadRequest",
        message="Invalid node label key {key}. It is a label that AKS sets.",
        broken=lambda r: when(_SET_BY_AKS in _labels(r), key=_SET_BY_AKS),
        source='use-labels.md, "Reserved system labels"',
    ),
    Rule(
        id="label-syntax",
        message=invalid("agentPoolProfile.nodeLabels", "'{label}' is no Kubernetes label."),
        broken=_label_syntax,
        source="use-labels.md; Kubernetes labels syntax",
    ),
    Rule(
        id="taint-syntax",
        message=invalid("agentPoolProfile.nodeTaints", "'{taint}' is not of the form key=value:Effect."),
        broken=_taint_syntax,
        source="use-node-taints.md; Kubernetes taint syntax",
    ),
    Rule(
        id="taint-prefix",
        message=invalid("agentPoolProfile.nodeTaints", "The key of taint '{taint}' has a reserved prefix."),
        broken=_reserved_taint,
        source="docs/facts/aks.md#spot-label-and-taint; exception for the spot pair: Azure/AKS#3152",
    ),
    Rule(
        id="taint-of-system-pool",
        code="SystemPoolHasRestrictedTaint",
        message="Placing custom taints on system pool is not supported(except 'CriticalAddonsOnly' taint or taint "
        "effect is 'PreferNoSchedule'). Please refer to https://aka.ms/aks/system-taints for detail",
        broken=_system_taint,
        quotes="jenkins-infra/azure#539, istio/istio.io#16905, Azure/AKS#2578",
    ),
    Rule(
        id="taint-repeated",
        message=invalid("agentPoolProfile.nodeTaints", "Key and effect of taint '{taint}' occur twice."),
        broken=_repeated_taint,
        source="Azure/AKS#1412",
    ),
)
