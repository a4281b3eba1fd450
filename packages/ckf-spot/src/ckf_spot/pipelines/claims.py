"""Claims of volumes that the tasks of a compiled pipeline make and hand on to those that mount them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ckf_spot.fields import Object, at, map_at, maps_at
from ckf_spot.pipelines.step import Step
from ckf_spot.pods.volumes import Mount

_ITERATORS: Final = frozenset({"artifactIterator", "parameterIterator"})


@dataclass(frozen=True)
class Claim:
    """A claim that a task of the pipeline makes.

    Attributes:
        name: path of the task.
        spec: its spec, as far as it can be read.
        looped: whether it was made outside of the loop that mounts it.
    """

    name: str
    spec: Object
    looped: bool = False


@dataclass(frozen=True)
class Claims:
    """Claims that the tasks of a component can mount.

    Attributes:
        made: those that one of them makes, by its name.
        inputs: those that the component gets, by parameter.
        mounting: how many tasks mount each, by what they wait for: those that wait for the same run side by side.
    """

    made: Mapping[str, Claim]
    inputs: Mapping[str, Claim]
    mounting: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])

    def into(self, task: Object) -> dict[str, Claim]:
        """The claims that a task of several tasks gets, by parameter."""
        looped = not _ITERATORS.isdisjoint(task)
        sources = {name: self._of(value) for name, value in map_at(task, "inputs", "parameters").items()}
        return {
            name: replace(claim, looped=claim.looped or looped) for name, claim in sources.items() if claim
        }

    def mounted_by(self, step: Step, task: Object) -> Step:
        """The task with the claims that it mounts."""
        sources = [
            claim for mount in maps_at(step.settings, "pvcMount") if (claim := self._of(_source(mount)))
        ]
        waits = str(task.get("dependentTasks"))
        self.mounting.update((claim.name, waits) for claim in sources)
        mounts = tuple(
            Mount(
                claim.name,
                step.path,
                2 if claim.looped or self.mounting[claim.name, waits] > 1 else 1,
                in_turn=True,
            )
            for claim in sources
        )
        return replace(step, mounts=mounts, claims={claim.name: claim.spec for claim in sources})

    def _of(self, value: object) -> Claim | None:
        """The claim whose name a value is."""
        producer = at(value, "taskOutputParameter", "producerTask")
        return self.made.get(str(producer)) or self.inputs.get(str(at(value, "componentInputParameter")))


def _source(mount: Object) -> Object:
    """Where the name of a claim comes from; older SDKs write it beside the path alone."""
    return map_at(mount, "pvcNameParameter") or mount
