"""Resource quantities: the API server writes `0.5` as `500m`, which is no change."""

from __future__ import annotations

from typing import Final

from kubeflow_aks.clients.kubernetes.quantity import thousandths
from kubeflow_aks.local_aks.kubernetes_provider.paths import Path

_HOLDERS: Final = frozenset({"allocatable", "capacity", "hard", "limits", "overhead", "requests"})


def same(path: Path, old: object, new: object) -> bool:
    """Whether two values at a path are one quantity in two spellings."""
    if not _HOLDERS.intersection(path[-2:-1]):
        return False
    try:
        return thousandths(str(old)) == thousandths(str(new))
    except ValueError:
        return False
