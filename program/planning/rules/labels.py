"""Rules of node labels and taints (docs/facts/aks.md#spot-label-and-taint; form: "Kubernetes labels syntax")."""

import re
from collections.abc import Iterator

from components.conventions import GPU_KEY, GPU_TAINT, PLATFORM_WORKLOAD, SPOT_KEY, SPOT_TAINT
from program.planning.conventions import FREE_DOMAINS, RESERVED_DOMAINS, RESERVED_LABELS, RESERVED_TAINTS
from program.planning.rules.pools import Candidate
from program.settings import Problem

_NAME = r"[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?"
_DNS_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_KEY = re.compile(rf"((?=[^/]{{1,253}}/){_DNS_LABEL}(\.{_DNS_LABEL})*/)?{_NAME}")
_VALUE = re.compile(rf"({_NAME})?")
_TAINT = re.compile(r"(?P<key>[^=:]+)(=(?P<value>[^=:]*))?:(?P<effect>\w+)")
"""A taint needs no value: AKS reads them as Kubernetes does (pkg/util/taints/taints.go)."""
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_KEY_RULE = (
    "a key of up to 63 letters, digits, - _ . that starts and ends with a letter or digit, after an optional "
    "lower-case domain/; a domain has at most 253 characters, and 63 between two dots"
)
_VALUE_RULE = "a label value: up to 63 letters, digits, - _ . that starts and ends with a letter or digit"


def label_problems(pool: Candidate) -> Iterator[Problem]:
    """Labels are well-formed and not reserved; a spot pool may repeat the exact spot label."""
    for key, value in pool.settings.labels.items():
        at = f"{pool.key}.labels.{key}"
        if _reserved(key, RESERVED_LABELS, free=FREE_DOMAINS):
            if not (pool.spot and (key, value) == (SPOT_KEY, "spot")):
                yield Problem(at, value, _reserved_rule(key))
        elif not _KEY.fullmatch(key):
            yield Problem(at, key, _KEY_RULE)
        elif not _VALUE.fullmatch(value):
            yield Problem(at, value, _VALUE_RULE)


def workload_label_problems(pool: Candidate) -> Iterator[Problem]:
    """One value of the workload label is reserved for the pool that hosts Kubeflow, which has no other (our choice)."""
    workload = pool.settings.workload
    if workload is None:
        return
    if pool.may_host and (pool.size is None or pool.arm):  # a GPU or a taint would make it a pool for work
        return
    if pool.may_host:
        yield Problem(
            f"{pool.key}.workload",
            workload,
            f"no value, because the pool that hosts Kubeflow always has {PLATFORM_WORKLOAD!r}",
        )
    elif workload == PLATFORM_WORKLOAD:
        yield Problem(
            f"{pool.key}.workload",
            workload,
            "another value, because this one marks the pool that hosts Kubeflow",
        )


def taint_problems(pool: Candidate) -> Iterator[Problem]:
    """Taints are well-formed and not reserved; a pool may repeat exactly what the program gives it."""
    given = (SPOT_TAINT,) if pool.spot else ()
    given += (GPU_TAINT,) if pool.size is None or pool.size.gpus else ()
    for index, taint in enumerate(pool.settings.taints):
        at = f"{pool.key}.taints[{index}]"
        match = _TAINT.fullmatch(taint)
        if match is None or match["effect"] not in _EFFECTS:
            yield Problem(
                at, taint, f"key=value:Effect or key:Effect with one of the effects {', '.join(_EFFECTS)}"
            )
        elif not _KEY.fullmatch(match["key"]):
            yield Problem(at, taint, _KEY_RULE)
        elif not _VALUE.fullmatch(match["value"] or ""):
            yield Problem(at, taint, _VALUE_RULE.replace("label", "taint"))
        elif _reserved(match["key"], RESERVED_TAINTS) and taint not in given:
            yield Problem(at, taint, _reserved_rule(match["key"]))


def repeated_taint_problems(pool: Candidate) -> Iterator[Problem]:
    """No two taints of a pool have the same key and effect; its nodes would never be ready (Azure/AKS#1412).

    The same taint twice is no mistake: it is sent once.
    """
    taints: dict[tuple[str, str], str] = {}
    for index, taint in enumerate(pool.settings.taints):
        match = _TAINT.fullmatch(taint)
        if match is None:
            continue
        first = taints.setdefault((match["key"], match["effect"]), taint)
        if first != taint:
            yield Problem(
                f"{pool.key}.taints[{index}]",
                taint,
                f"another key or effect, because a node has each pair once and {first} has this one",
            )


def soft_taint_problems(pool: Candidate) -> Iterator[Problem]:
    """A regular pool of CPU nodes is closed to Kubeflow by one hard taint at least (our choice).

    Soft taints alone would let Kubeflow's pods onto it, and it is not the pool that hosts them.
    """
    if (
        pool.spot or pool.size is None or pool.size.gpus or pool.settings.replaces
    ):  # `program.planning.rules.moves` allows that one none
        return
    effects = [taint.rpartition(":")[2] for taint in pool.settings.taints]
    if effects and all(effect == "PreferNoSchedule" for effect in effects):
        yield Problem(
            f"{pool.key}.taints",
            list(pool.settings.taints),
            "a taint with NoSchedule or NoExecute, because PreferNoSchedule alone would not keep Kubeflow's pods away",
        )


def _reserved(key: str, names: tuple[str, ...], *, free: tuple[str, ...] = ()) -> bool:
    domain, slash, _ = key.partition("/")
    return key in names or (bool(slash) and _within(domain, RESERVED_DOMAINS) and not _within(domain, free))


def _within(domain: str, parents: tuple[str, ...]) -> bool:
    return any(domain == parent or domain.endswith(f".{parent}") for parent in parents)


def _reserved_rule(key: str) -> str:
    if key == SPOT_KEY:
        return "another key; AKS reserves this one, and only a spot pool may repeat it, with the value spot"
    if key == GPU_KEY:
        return (
            f"another key; GPU pools have {GPU_TAINT} by themselves, and a node has each key and effect once"
        )
    return "a key without a prefix or under your own domain; AKS or this program reserves this one"
