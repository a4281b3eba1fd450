"""Rules of node labels and taints (docs/facts/aks.md#spot-label-and-taint; form: "Kubernetes labels syntax")."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.pools.conventions import GPU_KEY, GPU_TAINT, PLATFORM_WORKLOAD, SPOT_KEY, SPOT_TAINT
from components.pools.labels_and_taints import (
    RESERVED_LABELS,
    is_reserved,
    key_of,
    label_mistakes,
    taint_mistakes,
)
from program.planning.conventions import RESERVED_DOMAINS, RESERVED_TAINTS
from program.planning.rules.pools import Candidate


def label_problems(pool: Candidate) -> Iterator[Mistake]:
    """Labels are well-formed and not reserved; a spot pool may repeat the exact spot label."""
    for key, value in pool.settings.labels.items():
        at = f"{pool.key}.labels.{key}"
        if is_reserved(key, RESERVED_LABELS, RESERVED_DOMAINS):
            if not (pool.spot and (key, value) == (SPOT_KEY, "spot")):
                yield Mistake(at, value, _reserved_rule(key))
        else:
            yield from label_mistakes(at, key, value)


def workload_label_problems(pool: Candidate) -> Iterator[Mistake]:
    """One value of the workload label is reserved for the pool that hosts Kubeflow, which has no other (our choice)."""
    workload = pool.settings.workload
    if workload is None:
        return
    if pool.may_host and (pool.size is None or pool.arm):  # a GPU or a taint would make it a pool for work
        return
    if pool.may_host:
        yield Mistake(
            f"{pool.key}.workload",
            workload,
            f"no value, because the pool that hosts Kubeflow always has {PLATFORM_WORKLOAD!r}",
        )
    elif workload == PLATFORM_WORKLOAD:
        yield Mistake(
            f"{pool.key}.workload",
            workload,
            "another value, because this one marks the pool that hosts Kubeflow",
        )


def taint_problems(pool: Candidate) -> Iterator[Mistake]:
    """Taints are well-formed and not reserved; a pool may repeat exactly what the program gives it."""
    added = (SPOT_TAINT,) if pool.spot else ()
    added += (GPU_TAINT,) if pool.size is None or pool.size.gpus else ()
    for index, taint in enumerate(pool.settings.taints):
        at = f"{pool.key}.taints[{index}]"
        wrong = list(taint_mistakes(at, taint))
        yield from wrong
        key = key_of(taint)
        if not wrong and taint not in added and is_reserved(key, RESERVED_TAINTS, RESERVED_DOMAINS, free=()):
            yield Mistake(at, taint, _reserved_rule(key))


def soft_taint_problems(pool: Candidate) -> Iterator[Mistake]:
    """A regular pool of CPU nodes is closed to Kubeflow by one hard taint at least (our choice).

    Soft taints alone would let Kubeflow's pods onto it, and it is not the pool that hosts them.
    """
    if (
        pool.spot or pool.size is None or pool.size.gpus or pool.settings.replaces
    ):  # `program.planning.rules.moves` allows that one none
        return
    effects = [taint.rpartition(":")[2] for taint in pool.settings.taints]
    if effects and all(effect == "PreferNoSchedule" for effect in effects):
        yield Mistake(
            f"{pool.key}.taints",
            list(pool.settings.taints),
            "a taint with NoSchedule or NoExecute, because PreferNoSchedule alone would not keep Kubeflow's pods away",
        )


def _reserved_rule(key: str) -> str:
    if key == SPOT_KEY:
        return "another key; AKS reserves this one, and only a spot pool may repeat it, with the value spot"
    if key == GPU_KEY:
        return (
            f"another key; GPU pools have {GPU_TAINT} by themselves, and a node has each key and effect once"
        )
    return "a key without a prefix or under your own domain; AKS or this program reserves this one"
