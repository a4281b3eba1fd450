"""The table of kinds: how each is placed, or why it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ckf_spot.errors import Mistake, PlacementError, not_one_of
from ckf_spot.kinds import jobs, katib, trainer, training
from ckf_spot.kinds.kind import Kind

KINDS: Final[Mapping[str, Kind]] = {**jobs.KINDS, **training.KINDS, **trainer.KINDS, **katib.KINDS}
"""Kinds that can be placed."""
_SERVING: Final = (
    "it holds state or serves people, and an eviction would end that; keep it on nodes that stay, which it runs on "
    "without any placement"
)
REFUSED: Final[Mapping[str, str]] = {
    "Pod": "nothing makes a bare pod again after its eviction; make a Job of it",
    **dict.fromkeys(("Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Notebook"), _SERVING),
    "InferenceService": "it serves people, and an eviction would end that; keep it on nodes that stay, and one that "
    "needs a GPU on the on-demand twin, by a nodeSelector with the twin's name and the tolerations of its taints",
}
"""Kinds with pods that must not be on spot, and why."""


def refusal(kind: str) -> list[Mistake]:
    """Why a kind is not placed."""
    if kind in REFUSED:
        reason = f"can't be on spot: {REFUSED[kind]}"
        return [Mistake("kind", kind, f"expected {', '.join(KINDS)}", reason)]
    return [not_one_of("kind", kind, KINDS)]


def kind_of(document: Mapping[str, Any]) -> Kind:
    """The kind of a document.

    Raises:
        PlacementError: it is none that can be placed.
    """
    name = document.get("kind")
    if not isinstance(name, str) or name not in KINDS:
        raise PlacementError(*(refusal(name) if isinstance(name, str) else [not_one_of("kind", name, KINDS)]))
    return KINDS[name]
