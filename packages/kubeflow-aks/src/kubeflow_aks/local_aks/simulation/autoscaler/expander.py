"""Which of the groups that could help is scaled up: AKS's four expanders, one at a time.

Source: docs/facts/aks.md#priority-expander.

Ties, and whatever an expander can't decide, are settled at random, as in the real one.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import yaml

from kubeflow_aks.local_aks.simulation.autoscaler.decisions import Notice
from kubeflow_aks.local_aks.simulation.autoscaler.model import NodeGroup, Pod
from kubeflow_aks.local_aks.simulation.autoscaler.packing import Bin

CONFIG_MAP: Final = "cluster-autoscaler-priority-expander"
CONFIG_MAP_KEY: Final = "priorities"
_LOWEST_PRIORITY: Final = -1
"""The search for the highest number starts here, so lower ones never win (expander/priority/priority.go)."""

_NOT_RE2: Final = re.compile(r"\(\?(?:[=!#(]|<[=!]|>|P[=>])|\\[1-9]|[*+?}]\+")
"""Look-around, back-references, conditionals, atomic groups and possessive repeats, which Go's RE2 lacks."""


@dataclass(frozen=True)
class Option:
    """A group that could help some pods, with the nodes it would take."""

    group: NodeGroup
    node_count: int
    pods: tuple[Pod, ...]
    template: Bin


class InvalidPrioritiesError(ValueError):
    """The priority map can't be used; the expander is skipped."""


def choose(
    options: Sequence[Option], expander: str, priorities: str | None, rng: random.Random
) -> tuple[Option, list[Notice]]:
    """The best of one or more options, and what the real autoscaler would warn about on the way."""
    notices: list[Notice] = []
    best = list(options)
    match expander:
        case "priority":
            best, notices = _by_priority(best, priorities)
        case "least-waste":
            best = _best(best, [-_waste(option) for option in best])
        case "most-pods":
            best = _best(best, [len(option.pods) for option in best])
        case _:
            pass
    return rng.choice(best), notices


@lru_cache(maxsize=1)
def parse_priorities(text: str) -> Mapping[int, tuple[re.Pattern[str], ...]]:
    """The ConfigMap's `priorities` text: lists of unanchored regular expressions by priority.

    Raises:
        InvalidPrioritiesError: empty, no map of integers to lists, or an expression that Go's RE2 refuses.
    """
    if not text:
        raise InvalidPrioritiesError(f"priority configuration in {CONFIG_MAP} configmap is empty")
    try:
        document: Any = yaml.safe_load(text)
        return {
            _priority(key): tuple(_pattern(rule) for rule in _rules(rules)) for key, rules in document.items()
        }
    except (yaml.YAMLError, AttributeError, TypeError) as error:
        raise InvalidPrioritiesError(f"can't parse YAML with priorities in the configmap: {error}") from error


def _by_priority(options: list[Option], text: str | None) -> tuple[list[Option], list[Notice]]:
    if text is None:
        return options, []
    try:
        priorities = parse_priorities(text)
    except InvalidPrioritiesError as error:
        message = f"Wrong configuration for priority expander: {error}. Ignoring update."
        return options, [Notice("PriorityConfigMapInvalid", message)]
    notices: list[Notice] = []
    ranks: list[int] = []
    for option in options:
        matching = [
            priority
            for priority, patterns in priorities.items()
            if any(pattern.search(option.group.id) for pattern in patterns)
        ]
        if not matching:
            message = (
                f"Priority expander: node group {option.group.id} not found in priority expander configuration. "
                "The group won't be used."
            )
            notices.append(Notice("PriorityConfigMapNotMatchedGroup", message))
        ranks.append(max(matching, default=_LOWEST_PRIORITY - 1))
    if max(ranks) < _LOWEST_PRIORITY:
        message = "Priority expander: no priorities info found for any of the expansion options."
        return options, [*notices, Notice("PriorityConfigMapNoGroupMatched", message)]
    return _best(options, ranks), notices


def _best(options: Sequence[Option], scores: Sequence[float]) -> list[Option]:
    highest = max(scores)
    return [option for option, score in zip(options, scores, strict=True) if score == highest]


def _waste(option: Option) -> float:
    """Unused share of cores plus unused share of memory on the new nodes (expander/waste/waste.go)."""
    wasted = 0.0
    for name in ("cpu", "memory"):
        offered = option.template.node.allocatable.get(name, 0) * option.node_count
        requested = sum(dict(pod.scheduling.requests).get(name, 0) for pod in option.pods)
        wasted += (offered - requested) / offered if offered else 0.0
    return wasted


def _priority(key: object) -> int:
    if not isinstance(key, int) or isinstance(key, bool):
        raise InvalidPrioritiesError(f"priority {key!r} is not a whole number")
    return key


def _rules(rules: object) -> list[str]:
    if not isinstance(rules, list):
        raise InvalidPrioritiesError(f"{rules!r} is not a list of regular expressions")
    return [str(rule) for rule in rules]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _pattern(rule: str) -> re.Pattern[str]:
    if _NOT_RE2.search(rule):
        raise InvalidPrioritiesError(
            f"can't compile rule {rule}: Go's regular expressions have no such syntax"
        )
    try:
        return re.compile(rule)
    except re.error as error:
        raise InvalidPrioritiesError(f"can't compile rule {rule}: {error}") from error
