"""What AKS leaves to pods of a node's CPU and memory. Pure data.

Source: MicrosoftDocs/azure-aks-docs, articles/aks/node-resource-reservations.md (2026-08-21).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_MILLICORES: Final[Sequence[tuple[int, int]]] = (
    (1, 60), (2, 100), (4, 140), (8, 180), (16, 260), (32, 420), (64, 740),
)  # fmt: skip
"""Cores of a node, and the millicores that AKS reserves of them; in between it is proportional, as above the last."""
_MIB: Final = 1024
_EVICTION_THRESHOLD_MIB: Final = 100
"""Kubelet's `memory.available` on AKS from 1.29 on."""


def allocatable(vcpus: int | None, memory_gib: float | None, max_pods: int) -> dict[str, str] | None:
    """Most that pods can request of one node, as quantities of `cpu` and `memory`; None where the size is not known.

    Of the memory that the size has the kernel keeps some as well, so a node has a little less.
    """
    if vcpus is None or memory_gib is None:
        return None
    (less, low), (more, high) = next(
        (pair for pair in pairwise(_MILLICORES) if vcpus <= pair[1][0]), _MILLICORES[-2:]
    )
    cpu = low + (vcpus - less) * (high - low) / (more - less)
    mib = int(memory_gib * _MIB)
    memory = min(20 * max_pods + 50, mib // 4) + _EVICTION_THRESHOLD_MIB
    return {"cpu": f"{1000 * vcpus - round(cpu)}m", "memory": f"{mib - memory}Mi"}
