"""A cheaper tier of the stack's own registry."""

from __future__ import annotations

from collections.abc import Iterator

from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.situation import Situation


def basic_registry(situation: Situation) -> Iterator[Change]:
    """A separate decision: fewer pulls at once, less storage ("Azure Container Registry service tiers")."""
    skus = situation.cluster.facilities.registries
    if len(skus) == 1 and skus[0] not in {"Basic", ""} and not situation.file.get("production"):
        yield Change(
            "registry",
            f"the registry's tier Basic instead of {skus[0]}",
            {("registry", "sku"): "Basic"},
            (
                "Basic includes 10 GiB of images",
                "it serves fewer pulls at once, so many nodes that start together may wait for their images",
            ),
            alone=True,
        )
