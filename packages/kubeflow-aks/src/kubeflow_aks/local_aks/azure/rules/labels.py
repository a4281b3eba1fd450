"""Rules of node labels and taints (docs/facts/aks.md#spot-label-and-taint)."""

import re
from collections.abc import Mapping
from typing import Final

from kubeflow_aks.local_aks.azure.rules.rule import (
    SPOT_KEY,
    SPOT_TAINT,
    PoolRequest,
    Rule,
    rules,
    when,
)

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


LABEL_RULES: Final[tuple[Rule[PoolRequest], ...]] = rules(
    {
        "label-prefix-of-aks": _aks_label,
        "label-prefix-of-kubernetes": _kubernetes_label,
        "label-of-aks": lambda r: when(_SET_BY_AKS in _labels(r), key=_SET_BY_AKS),
        "label-syntax": _label_syntax,
        "taint-syntax": _taint_syntax,
        "taint-prefix": _reserved_taint,
        "taint-of-system-pool": _system_taint,
        "taint-repeated": _repeated_taint,
    }
)
