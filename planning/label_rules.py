"""Rules of node labels and taints (docs/facts/aks.md#spot-label-and-taint; form: "Kubernetes labels syntax")."""

import re
from collections.abc import Iterator

from components.conventions import PLATFORM_WORKLOAD, SPOT_KEY, SPOT_TAINT
from planning.conventions import RESERVED_KEYS, RESERVED_PREFIXES
from planning.pool_rules import Candidate
from settings import Problem

_NAME = r"[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?"
_PREFIX = r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?"
_KEY = re.compile(rf"({_PREFIX}/)?{_NAME}")
_VALUE = re.compile(rf"({_NAME})?")
_TAINT = re.compile(rf"(?P<key>({_PREFIX}/)?{_NAME})=(?P<value>({_NAME})?):(?P<effect>\w+)")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def label_problems(pool: Candidate) -> Iterator[Problem]:
    """Labels are well-formed and not reserved; a spot pool may repeat the exact spot label."""
    for key, value in pool.settings.labels.items():
        at = f"{pool.key}.labels.{key}"
        if _reserved(key):
            if not (pool.spot and (key, value) == (SPOT_KEY, "spot")):
                yield Problem(at, value, _reserved_rule(key))
        elif not _KEY.fullmatch(key):
            yield Problem(
                at,
                key,
                "a label key of up to 63 letters, digits, - _ . after an optional domain/",
            )
        elif not _VALUE.fullmatch(value):
            yield Problem(
                at,
                value,
                "a label value: up to 63 letters, digits, - _ . that starts and ends with a letter or digit",
            )


def workload_label_problems(pool: Candidate) -> Iterator[Problem]:
    """One value of the workload label is kept for the pool that hosts Kubeflow, which has no other (our choice)."""
    workload = pool.settings.workload
    if workload is None:
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
    """Taints are well-formed and not reserved; a spot pool may repeat the exact spot taint."""
    for index, taint in enumerate(pool.settings.taints):
        at = f"{pool.key}.taints[{index}]"
        match = _TAINT.fullmatch(taint)
        if match is None or match["effect"] not in _EFFECTS:
            yield Problem(at, taint, f"key=value:Effect with one of the effects {', '.join(_EFFECTS)}")
        elif _reserved(match["key"]) and not (pool.spot and taint == SPOT_TAINT):
            yield Problem(at, taint, _reserved_rule(match["key"]))
        elif match["effect"] == "PreferNoSchedule" and not pool.spot:
            yield Problem(
                at,
                taint,
                "NoSchedule or NoExecute, because PreferNoSchedule would not keep Kubeflow's pods away",
            )


def _reserved(key: str) -> bool:
    if key in RESERVED_KEYS:
        return True
    domain, slash, _ = key.partition("/")
    return bool(slash) and any(
        domain == prefix.rstrip("/") or domain.endswith("." + prefix.rstrip("/"))
        for prefix in RESERVED_PREFIXES
    )


def _reserved_rule(key: str) -> str:
    if key == SPOT_KEY:
        return "another key; AKS reserves this one, and only a spot pool may repeat it, with the value spot"
    return "a key without a prefix or under your own domain; AKS or this program reserves this one"
