"""Spot for pods of a profile's namespace: a PodDefault that a label asks for, or tolerations that every pod gets."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ckf_spot.agent_pool import PLATFORM_NAMESPACES, SPOT_LABEL
from ckf_spot.errors import ABSENT, refusal
from ckf_spot.fields import Json
from ckf_spot.pods.template import SAFE_TO_EVICT
from ckf_spot.pools import Pools

ALLOW_SPOT: Final = "allow-spot"
"""Name of the PodDefault, and the label with the value `true` by which a pod asks for it."""
DEFAULT_TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/defaultTolerations"
"""Annotation of a namespace that AKS's admission plugin PodTolerationRestriction reads."""
_FORM: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def pod_default(pools: Pools, namespace: str) -> Json:
    """A PodDefault (kubeflow.org/v1alpha1) that lets pods with the label `allow-spot: "true"` on spot nodes.

    It can't choose nodes: PodDefaults know no affinity and no node selector. The toleration is the one that placed work
    has too; the webhook refuses a pod that has another one for the same key.

    Args:
        pools: the cluster's pools.
        namespace: a profile's namespace; the webhook looks at no others.

    Raises:
        PlacementError: the namespace is no name, or one of the platform's; or there is no spot pool.
    """
    return {
        "apiVersion": "kubeflow.org/v1alpha1",
        "kind": "PodDefault",
        "metadata": {"name": ALLOW_SPOT, "namespace": profile(namespace)},
        "spec": {
            "desc": "Allow spot nodes: the pod may be evicted at any time. Notebooks are refused with it.",
            "selector": {"matchLabels": {ALLOW_SPOT: "true"}},
            "tolerations": _tolerations(pools),
            "annotations": {SAFE_TO_EVICT: "false"},
        },
    }


def default_tolerations(pools: Pools, namespace: str) -> Json:
    """The namespace with an annotation by which every new pod in it tolerates spot nodes.

    Notebooks in it are then refused by the cluster's guard, and drivers of pipelines may be evicted: for a profile that
    runs batch work and nothing else.

    Args:
        pools: the cluster's pools.
        namespace: a profile's namespace.

    Raises:
        PlacementError: the namespace is no name, or one of the platform's; or there is no spot pool.
    """
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": profile(namespace),
            "annotations": {DEFAULT_TOLERATIONS: json.dumps(_tolerations(pools))},
        },
    }


def _tolerations(pools: Pools) -> list[dict[str, Any]]:
    """Tolerations of the spot taint alone: with more, work without a GPU could land on a GPU node."""
    taints = dict.fromkeys(
        (taint.key, taint.effect)
        for pool in pools.all
        if pool.spot
        for taint in pool.taints
        if taint.key == SPOT_LABEL
    )
    if not taints:
        names = ", ".join(pool.name for pool in pools.all)
        raise refusal("", ABSENT, f"the pools are: {names}", "there is no spot pool to allow")
    return [{"key": key, "operator": "Exists", "effect": effect} for key, effect in taints]


def profile(namespace: str) -> str:
    """The name of a profile's namespace.

    Raises:
        PlacementError: it is no name, or one of the platform's.
    """
    named("namespace", namespace)
    if PLATFORM_NAMESPACES.fullmatch(namespace):
        raise refusal(
            "namespace",
            namespace,
            "expected a profile's namespace",
            "is the platform's, where the cluster's guard refuses pods that tolerate spot nodes",
        )
    return namespace


def named(what: str, name: str) -> str:
    """The name, if it can be one.

    Args:
        what: of what, for messages.
        name: to check.

    Raises:
        PlacementError: it can't.
    """
    if not _FORM.fullmatch(name):
        raise refusal(what, name, "expected 1 to 63 of a–z, 0–9 and -, without - at either end")
    return name
