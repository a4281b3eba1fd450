"""A cheaper tier of the control plane."""

from __future__ import annotations

from collections.abc import Iterator

from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.situation import Situation

_CHEAPER = {"Premium": ("Standard", "Free"), "Standard": ("Free",)}


def cheaper_tiers(situation: Situation) -> Iterator[Change]:
    """Each is a separate decision: it changes Azure's SLA, and how long it supports a version."""
    for tier in _CHEAPER.get(situation.cluster.facilities.tier, ()):
        notes = ["no long-term support: upgrade with Kubernetes' own support, about a year for each version"]
        if situation.cluster.facilities.tier != "Premium":
            notes.clear()
        if tier == "Free":
            notes.append("Azure gives no SLA for the control plane of the Free tier")
        yield Change(
            f"tier {tier}",
            f"the control plane's tier {tier} instead of {situation.cluster.facilities.tier}",
            {("kubernetes", "tier"): tier, ("kubernetes", "supportPlan"): "KubernetesOfficial"},
            tuple(notes),
            alone=True,
        )
