"""What is known of a kind of work, so that one procedure can place them all (`placing.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ckf_spot.errors import ABSENT, Mistake
from ckf_spot.fields import Json
from ckf_spot.placement import Capacity, Placement

Path = tuple[str | int, ...]
"""Keys and numbers that lead to a part of a document."""


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How to place, whatever the kind.

    Attributes:
        prefer: see `PoolGroup.placement`.
        require: see `PoolGroup.placement`.
        also: roles besides those that do the work which may vanish too, such as `("Master",)` of a PyTorchJob that
            keeps checkpoints.
        trainer_api: release of Kubeflow Trainer in the cluster, for a TrainJob, such as `2.2`; None: not known.
        target: the job of a training runtime that does the work, for a TrainJob.
    """

    prefer: Capacity | None = None
    require: Capacity | None = None
    also: Sequence[str] = ()
    trainer_api: str | None = None
    target: str = "node"


@dataclass(frozen=True)
class Pods:
    """Pods of one template.

    Attributes:
        path: where the template is in its part of the document.
        role: what they do, for messages.
        moves: whether they may vanish and go where the wish says; the others stay on nodes that stay.
    """

    path: Path
    role: str
    moves: bool = True


class Kind:
    """One kind of work; each has a module of its own in this folder.

    A document is any map here: whatever a method reads of it may be missing or malformed, unless it says otherwise.

    Attributes:
        has_roles: whether `Wish.also` means something.
        schema: name of Kubernetes' own schema for the whole document, or None where it has none.
    """

    has_roles: bool = False
    schema: str | None = None

    def problems(self, document: Mapping[str, Any], wish: Wish) -> Iterator[Mistake]:
        """What is wrong with the fields around the pods; paths begin in this document."""
        raise NotImplementedError

    def wish_problems(self, document: Mapping[str, Any], wish: Wish) -> Iterator[Mistake]:
        """What of the wish does not fit this document."""
        if wish.also and not self.has_roles:
            kind = document.get("kind") or "a Job"
            yield contradiction("also", tuple(wish.also), f"{kind}, which has no roles", "leave it out")

    def pods(self, document: Mapping[str, Any], wish: Wish) -> Iterator[Pods]:
        """The pods' templates that are there."""
        yield from ()

    def inner(self, document: Mapping[str, Any]) -> Iterator[tuple[Path, Kind]]:
        """Documents inside this one and their kinds, such as a trial in an experiment."""
        yield from ()

    def misfits(self, document: Mapping[str, Any], placement: Placement, wish: Wish) -> Iterator[Mistake]:
        """Why a document without problems can't be placed there, besides its pods."""
        yield from ()

    def place(self, document: Json, placement: Placement, wish: Wish) -> None:
        """Changes what lies around the pods of a document without problems, so that it survives evictions."""

    def doubts(self, document: Mapping[str, Any], placement: Placement, wish: Wish) -> Iterator[str]:
        """How an eviction would still lose the work of a placed document."""
        yield from ()


def dotted(path: Path) -> str:
    """A path as messages show it: `spec.replicatedJobs[0].template`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def contradiction(path: str, value: object, what: str, expected: str) -> Mistake:
    """The mistake of a value that stands against the placement."""
    return Mistake(path, value, expected, f"contradicts {what}")


def told(path: str, problem: str, expected: str) -> Mistake:
    """A mistake that is about no single value."""
    return Mistake(path, ABSENT, expected, problem)
