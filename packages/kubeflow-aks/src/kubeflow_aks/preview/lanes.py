"""Which work runs on which pools, read from the plan: the content of the pictures."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from kubeflow_aks.recorder.document import WORKLOAD_LABEL, PlanDocument, Pool


@dataclass(frozen=True)
class Lane:
    """One kind of work and the pools it runs on."""

    work: str
    """Short description of the work."""
    how: str
    """The toleration or label that a pod needs to run there."""
    rows: tuple[tuple[Pool, Pool | None], ...]
    """Each pool with what takes its work while it is sold out, if anything: its next VM size, or its fallback.

    The VM sizes of a fallback of several are rows as well."""


_WORK = {
    "system": ("AKS add-ons", "tolerate CriticalAddonsOnly"),
    "general": ("Charmed Kubeflow, Juju, notebooks", "tolerate no taint"),
    "cpu": ("CPU batch work", ""),
    "gpu": ("GPU batch work", ""),
}
"""Work and how it gets there, by role; batch work selects its workload label."""


def lanes(document: PlanDocument) -> list[Lane]:
    """The lanes in the order of the pools: add-ons, Charmed Kubeflow, and one for each kind of batch work."""
    return list(_lanes(document["pools"]))


def _lanes(pools: list[Pool]) -> Iterator[Lane]:
    first = [pool for pool in pools if not pool["fallbackOf"]]
    for kind in dict.fromkeys((pool["role"], pool["labels"].get(WORKLOAD_LABEL)) for pool in first):
        role, workload = kind
        work, how = _WORK[role]
        members = [pool for pool in first if (pool["role"], pool["labels"].get(WORKLOAD_LABEL)) == kind]
        names = dict.fromkeys(pool["pool"] for pool in members)
        rows = tuple(row for name in names for row in _rows(name, pools))
        yield Lane(work, how or f"{WORKLOAD_LABEL}={workload}", rows)


def _rows(name: str, pools: list[Pool]) -> Iterator[tuple[Pool, Pool | None]]:
    """The sizes of a pool and of its fallback as the autoscaler tries them; a single fallback is no row."""
    sizes = [pool for pool in pools if pool["pool"] == name]
    fallbacks = [pool for pool in pools if pool["fallbackOf"] == name]
    order = [*sizes, *fallbacks]
    rows = list(zip_longest(order, order[1:]))
    yield from rows[: len(sizes)] if len(fallbacks) == 1 else rows


def kind_of(pool: Pool) -> str:
    """`system` for a pool that is always there, as the bill's picture has it, else its priority."""
    return "system" if pool["role"] in {"system", "general"} else pool["priority"]
