"""The pods of a document, whatever its kind: where their templates are, how many there will be, what they ask for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from ckf_spot.fields import Object, is_count, is_maps, map_at, maps_at
from ckf_spot.quantities import quantity

_COPIES: Final = ("replicas", "parallelism", "parallelTrialCount")
"""Fields of Jobs, training jobs, JobSets, Ray clusters and experiments that say how many there are at a time."""


@dataclass(frozen=True)
class Pods:
    """Pods of one template.

    Attributes:
        path: of their spec in the document.
        count: how many run at a time.
        spec: theirs; its containers are a list of maps.
        labels: theirs.
    """

    path: str
    count: int
    spec: Object
    labels: Object

    @property
    def containers(self) -> list[Object]:
        """All of them, those that run before the others too."""
        return [container for some in self._containers() for container in some]

    def amount(self, part: str, resource: str, default: object = 0) -> Decimal:
        """What all of them ask for together.

        Args:
            part: `requests` or `limits`.
            resource: such as `cpu` (cores) or `memory` (bytes).
            default: what a container gets that does not say.

        Raises:
            ValueError: a quantity is none, as one that a trial's parameter fills in.
        """
        init, main = (
            [_amount(container, part, resource, default) for container in some] for some in self._containers()
        )
        return self.count * max(sum(main, Decimal(0)), max(init, default=Decimal(0)))

    def without(self, part: str, resource: str) -> list[str]:
        """Names of the containers that do not say how much they ask for."""
        return [
            str(container.get("name"))
            for container in self.containers
            if stated(container, part, resource) is None
        ]

    def _containers(self) -> tuple[list[Object], list[Object]]:
        """Those that run before the others, and those that run side by side."""
        init = maps_at(self.spec, "initContainers")
        beside = [container for container in init if container.get("restartPolicy") == "Always"]
        return [container for container in init if container not in beside], [
            *beside,
            *self.spec["containers"],
        ]


def pods(document: Object) -> Iterator[Pods]:
    """The pods of a document: wherever there is a list of containers."""
    yield from _pods(document, "", 1, {})


def _pods(value: Any, path: str, count: int, around: Object) -> Iterator[Pods]:
    if isinstance(value, Mapping):
        if value.get("containers") and is_maps(value["containers"]):
            yield Pods(path.removeprefix("."), count, value, map_at(around, "metadata", "labels"))
            return
        count *= _copies(value)
        for key, part in value.items():
            yield from _pods(part, f"{path}.{key}", count, value)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _pods(item, f"{path}[{number}]", count, {})


def _copies(value: Object) -> int:
    counts = [value[key] for key in _COPIES if is_count(value.get(key))]
    if "parallelism" in value and is_count(value.get("completions")):
        counts.append(value["completions"])
    return min(counts, default=1)


def _amount(container: Object, part: str, resource: str, default: object) -> Decimal:
    amount = stated(container, part, resource)
    return quantity(default if amount is None else amount)


def stated(container: Object, part: str, resource: str) -> Any:
    """The quantity; a request that is left out is as large as the limit."""
    resources = map_at(container, "resources")
    quantity = map_at(resources, part).get(resource)
    return map_at(resources, "limits").get(resource) if quantity is None and part == "requests" else quantity
