"""A shorter time until the autoscaler removes a node without work."""

from __future__ import annotations

from collections.abc import Iterator

from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.reading import hours

_MINUTES = 5
"""Least minutes: with less, a node is often gone when the next step comes, and a new boot is billed (our choice)."""


def shorter_tail(situation: Situation) -> Iterator[Change]:
    """Half of AKS's own ten minutes."""
    now = hours(situation.file.get("autoscaler", "scaleDownUnneededTime"))
    if now is not None and now * 60 > _MINUTES:
        yield Change(
            "tail",
            f"nodes without work are removed after {_MINUTES} minutes",
            {("autoscaler", "scaleDownUnneededTime"): f"{_MINUTES}m"},
            ("work that comes in short intervals finds its node gone more often",),
        )
