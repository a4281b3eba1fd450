"""The table of kinds: how each is placed, or why it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ckf_spot.errors import Mistake, PlacementError, not_one_of
from ckf_spot.fields import Object
from ckf_spot.kinds import argo, jobs, katib, pod_templates, ray, spark, trainer, training
from ckf_spot.kinds.kind import Kind, PlacingRequest

KINDS: Final[Mapping[str, Kind]] = {
    **jobs.KINDS,
    **training.KINDS,
    **trainer.KINDS,
    **katib.KINDS,
    **argo.KINDS,
    **ray.KINDS,
    **spark.KINDS,
    **pod_templates.KINDS,
}
"""Kinds that can be placed."""
_SERVING: Final = (
    "it holds state or serves people, and an eviction would end that; keep it on nodes that stay, which it runs on "
    "without any placement"
)
REFUSED: Final[Mapping[str, str]] = {
    "Pod": "nothing makes a bare pod again after its eviction; make a Job of it, or, if it is a template for Spark's "
    "executors, say --pod-template, in Python pod_template=True",
    "RayService": "it serves people, and an eviction would end that; keep it on nodes that stay, and use a RayJob for "
    "work that ends",
    **dict.fromkeys(("Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Notebook"), _SERVING),
    "LeaderWorkerSet": "its groups start over with each of their pods, and mostly serve people; keep them on nodes "
    "that stay, and make a JobSet of work that ends",
    "AppWrapper": "what it makes is inside it; place that, and wrap the result: spec.components[].template",
    "SparkConnect": "its server is the driver of every session, and they end with it; keep it on nodes that stay, and "
    "use a SparkApplication for work that ends",
    **dict.fromkeys(("SeldonDeployment", "LLMInferenceService", "InferenceGraph"), _SERVING),
    "InferenceService": "it serves people, and an eviction would end that; keep it on nodes that stay, and one that "
    "needs a GPU on the fallback pool, by a nodeSelector with that pool's name and the tolerations of its taints",
}
"""Kinds with pods that must not be on spot, and why."""


def refusal(kind: str) -> list[Mistake]:
    """Why a kind is not placed."""
    if kind in REFUSED:
        reason = f"can't be on spot: {REFUSED[kind]}"
        return [Mistake("kind", kind, f"expected {', '.join(KINDS)}", reason)]
    return [not_one_of("kind", kind, KINDS)]


def kinds(request: PlacingRequest) -> Mapping[str, Kind]:
    """Kinds that can be placed if somebody wishes so."""
    return {**KINDS, **pod_templates.PODS} if request.pod_template else KINDS


def kind_of(document: Object, request: PlacingRequest) -> Kind:
    """The kind of a document.

    Raises:
        PlacementError: it is none that can be placed.
    """
    name = document.get("kind")
    allowed = kinds(request)
    if not isinstance(name, str) or name not in allowed:
        raise PlacementError(*(refusal(name) if isinstance(name, str) else [not_one_of("kind", name, KINDS)]))
    return allowed[name]
