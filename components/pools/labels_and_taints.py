"""The form of node labels and taints ("Kubernetes labels syntax"). Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..arguments.mistakes import Mistake
from .conventions import SPOT_KEY, SPOT_TAINT

RESERVED_DOMAINS: Final = ("kubernetes.azure.com", "kubernetes.io", "k8s.io")
"""Domains of keys that AKS refuses (use-labels.md; Azure/AKS#2866), with their subdomains."""
FREE_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
"""Those of `kubernetes.io` where AKS takes labels (Azure/AKS#2866, Azure/AKS#3545), with their subdomains."""
RESERVED_LABELS: Final = (
    "agentpool",
    "accelerator",
    "storageprofile",
    "storagetier",
    "node.kubernetes.io/instance-type",
)
"""Labels outside the reserved domains that AKS sets (docs/facts/aks.md#node-labels)."""
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
_RESERVED_RULE = "a key without a prefix or under your own domain; AKS reserves this one"
_VALUE_RULE = "a label value: up to 63 letters, digits, - _ . that starts and ends with a letter or digit"


def label_mistakes(at: str, key: str, value: str) -> Iterator[Mistake]:
    """A label whose key or value Kubernetes refuses."""
    if not _KEY.fullmatch(key):
        yield Mistake(at, key, _KEY_RULE)
    elif not _VALUE.fullmatch(value):
        yield Mistake(at, value, _VALUE_RULE)


def taint_mistakes(at: str, taint: str) -> Iterator[Mistake]:
    """A taint that Kubernetes refuses."""
    match = _TAINT.fullmatch(taint)
    if match is None or match["effect"] not in _EFFECTS:
        yield Mistake(
            at, taint, f"key=value:Effect or key:Effect with one of the effects {', '.join(_EFFECTS)}"
        )
    elif not _KEY.fullmatch(match["key"]):
        yield Mistake(at, taint, _KEY_RULE)
    elif not _VALUE.fullmatch(match["value"] or ""):
        yield Mistake(at, taint, _VALUE_RULE.replace("label", "taint"))


def key_of(taint: str) -> str:
    """The key of a taint of the right form."""
    return re.split("[=:]", taint, maxsplit=1)[0]


def repeated_taint_mistakes(stated: Sequence[str]) -> Iterator[Mistake]:
    """Two taints of one key and effect: nodes are never ready (Azure/AKS#1412). The same twice is sent once."""
    taints: dict[tuple[str, str], str] = {}
    for index, taint in enumerate(stated):
        match = _TAINT.fullmatch(taint)
        if match is None:
            continue
        first = taints.setdefault((match["key"], match["effect"]), taint)
        if first != taint:
            yield Mistake(
                f"taints[{index}]",
                taint,
                f"another key or effect, because a node has each pair once and {first} has this one",
            )


def label_form_mistakes(labels: Mapping[str, str], *, at: str = "labels") -> Iterator[Mistake]:
    """Every label that Kubernetes refuses."""
    for key, value in labels.items():
        yield from label_mistakes(f"{at}.{key}", key, value)


def reserved_label_mistakes(labels: Mapping[str, str], *, spot: bool) -> Iterator[Mistake]:
    """Labels that AKS sets itself; a spot pool may repeat the one of spot nodes."""
    for key, value in labels.items():
        if (spot and (key, value) == (SPOT_KEY, "spot")) or not is_reserved(
            key, RESERVED_LABELS, RESERVED_DOMAINS
        ):
            continue
        yield Mistake(f"labels.{key}", value, _RESERVED_RULE)


def reserved_taint_mistakes(taints: Sequence[str], *, spot: bool) -> Iterator[Mistake]:
    """Taints that AKS sets itself; a spot pool may repeat the one of spot nodes."""
    for index, taint in enumerate(taints):
        if (spot and taint == SPOT_TAINT) or not is_reserved(key_of(taint), (), RESERVED_DOMAINS, free=()):
            continue
        yield Mistake(f"taints[{index}]", taint, _RESERVED_RULE)


def is_reserved(
    key: str, keys: Sequence[str], domains: Sequence[str], *, free: Sequence[str] = FREE_DOMAINS
) -> bool:
    """Whether a key is one of these, or in one of these domains and in none of the free ones.

    Args:
        key: of a label or a taint.
        keys: whole ones.
        domains: with their subdomains.
        free: domains within them.
    """
    domain, slash, _ = key.partition("/")
    return key in keys or (bool(slash) and _within(domain, domains) and not _within(domain, free))


def _within(domain: str, parents: Sequence[str]) -> bool:
    return any(domain == parent or domain.endswith(f".{parent}") for parent in parents)


def taint_form_mistakes(taints: Sequence[str]) -> Iterator[Mistake]:
    """Every taint that Kubernetes refuses."""
    for index, taint in enumerate(taints):
        yield from taint_mistakes(f"taints[{index}]", taint)
