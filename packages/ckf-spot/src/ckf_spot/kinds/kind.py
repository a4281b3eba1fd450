"""What is known of a kind of work, so that one procedure can place them all (`placing.py`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ckf_spot import fields, time_limits
from ckf_spot.errors import ABSENT, Mistake, not_one_of
from ckf_spot.fields import Json, Object, at, is_map, map_at, maps_at
from ckf_spot.placement import Capacity, Placement
from ckf_spot.pods import gpu_limits
from ckf_spot.pods import template as template_on

Path = tuple[str | int, ...]
"""Keys and numbers that lead to a part of a document."""


@dataclass(frozen=True, kw_only=True)
class PlacingRequest:
    """How to place, whatever the kind.

    Attributes:
        prefer: see `PoolGroup.placement`.
        require: see `PoolGroup.placement`.
        also: roles besides those that do the work which may vanish too, such as `("Master",)` of a PyTorchJob that
            keeps checkpoints.
        on_demand: roles that go to the pools' on-demand nodes, whatever the others do, such as one group of a Ray
            cluster's workers.
        trainer_api: release of Kubeflow Trainer in the cluster, for a TrainJob, such as `2.2`; None: not known.
        target: the job of a training runtime that does the work, for a TrainJob.
        pod_template: whether a Pod is a template, as Spark takes one for its executors.
        elastic: whether the work can go on with fewer pods; then its framework's settings for that are completed.
        claims: specs of the PersistentVolumeClaims beside the document, by name.
    """

    prefer: Capacity | None = None
    require: Capacity | None = None
    also: Sequence[str] = ()
    on_demand: Sequence[str] = ()
    trainer_api: str | None = None
    target: str = "node"
    pod_template: bool = False
    elastic: bool = False
    claims: Mapping[str, Object] = field(default_factory=dict[str, Object])

    @property
    def named_roles(self) -> tuple[tuple[str, Sequence[str]], ...]:
        """The attributes that name roles, with their names."""
        return ("also", self.also), ("on_demand", self.on_demand)

    def vanishes(self, role: str, *, by_default: bool = False) -> bool:
        """Whether the pods of a role may run on spot nodes."""
        return role not in self.on_demand and (by_default or role in self.also)


@dataclass(frozen=True)
class Pods:
    """Pods of one template.

    Attributes:
        path: where the template is in its part of the document.
        role: what they do, for messages.
        moves: whether they may vanish and go where the request says; the others stay on nodes that stay (see
            `PlacingRequest.vanishes`).
        apart: whether they may be left as they are where only others of the document fit the pools' GPUs.
        named: whether a request can name them by their role.
        copies: how many there are of each that the document counts.
        in_turn: whether those of other templates run before or after them, and not beside them.
        keeps: whether what makes them keeps fields of the template that Kubernetes does not know.
    """

    path: Path
    role: str
    moves: bool = True
    apart: bool = False
    named: bool = True
    copies: int = 1
    in_turn: bool = False
    keeps: bool = False

    def template(self, document: Json) -> Any:
        """The pod's template, which need not be well-formed."""
        return at(document, *self.path)

    def claims(self, document: Json) -> list[str]:
        """Names of the claims of volumes that they mount."""
        return claim_names(maps_at(self.template(document), "spec", "volumes"))

    def put(self, document: Json, template: Json) -> None:
        """Puts a placed template where the other one is."""
        at(document, *self.path[:-1])[self.path[-1]] = template

    def place(self, document: Json, placement: Placement) -> None:
        """Puts a placement on them."""
        self.put(document, template_on.place_template(self.template(document), placement))

    def keep(self, document: Json) -> None:
        """Keeps the autoscaler from evicting those that stay, to remove their node."""
        metadata = map_at(self.template(document), "metadata")
        at(document, *self.path)["metadata"] = template_on.annotated(metadata)

    def located(self, mistake: Mistake, where: str) -> Mistake:
        """A mistake in the template, with the path that it has in the document; `where` is the template's."""
        return mistake

    def problems(self, template: Object, placement: Placement, where: str) -> Sequence[Mistake]:
        """Why a well-formed template can't be placed there."""
        return template_on.placement_problems(template, placement, where)


class Kind:
    """One kind of work; each has a module of its own in this folder.

    A document is any map here: whatever a method reads of it may be missing or malformed, unless it says otherwise.

    Attributes:
        has_roles: whether `PlacingRequest.also` and `on_demand` mean something for every document of it.
        schema: name of Kubernetes' own schema for the whole document, or None where it has none.
        rigid: what of its work makes `PlacingRequest.elastic` impossible or needless; empty where it is possible.
    """

    has_roles: bool = False
    rigid: str = "whose pods are made again one by one, without waiting for each other"
    schema: str | None = None

    def has_roles_in(self, document: Object) -> bool:
        """Whether `PlacingRequest.also` and `on_demand` mean something for this document."""
        return self.has_roles

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """What is wrong with the fields around the pods; paths begin in this document."""
        raise NotImplementedError

    def request_problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """What of the request does not fit this document."""
        for name, roles in request.named_roles:
            if roles and not self.has_roles:
                kind = document.get("kind") or "a Job"
                yield contradiction(name, tuple(roles), f"{kind}, which has no roles", "leave it out")

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The pods' templates that are there."""
        yield from ()

    def inner(self, document: Object) -> Iterator[tuple[Path, Kind]]:
        """Documents inside this one and their kinds, such as a trial in an experiment."""
        yield from ()

    def misfits(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[Mistake]:
        """Why a document without problems can't be placed there, besides its pods."""
        yield from ()

    def place(self, document: Json, placement: Placement, request: PlacingRequest) -> None:
        """Changes what lies around the pods of a document without problems, so that it survives evictions."""

    def claims(self, document: Object) -> Mapping[str, Object]:
        """Specs of the claims of volumes that it makes for its pods, by the name by which they mount them."""
        return {}

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """How an eviction would still lose the work of a placed document."""
        yield from ()


@dataclass(frozen=True)
class Wrapper(Kind):
    """A kind whose work stands in a form that other kinds have too, such as a Ray cluster's spec.

    Attributes:
        version: of its API.
        work: the form.
        path: where that is.
        around: fields of the spec around it; none where the spec is the work.
        hints: see `fields.problems`.
    """

    version: str
    work: Kind
    path: tuple[str, ...] = ("spec",)
    around: tuple[str, ...] = ()
    hints: Mapping[str, str] = field(default_factory=dict[str, str])

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Around the work."""
        yield from fields.object_problems(document, self.version)
        if self.around and document.get("spec") is not None:
            yield from fields.problems(document["spec"], "spec", self.around, self.path[-1:], self.hints)
        yield from within(document, *self.path)

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """The next run may end one that is late."""
        if placement.spot:
            yield from time_limits.schedule_doubts(map_at(document, "spec"))

    def inner(self, document: Object) -> Iterator[tuple[Path, Kind]]:
        """The work."""
        yield self.path, self.work


def pod_hints(where: str) -> dict[str, str]:
    """Where a pod's fields belong that people put next to its template; `where` is the template."""
    return {
        name: f"a pod's fields belong under {where}.spec.{name}"
        for name in (
            *("affinity", "containers", "nodeSelector", "restartPolicy", "terminationGracePeriodSeconds"),
            "tolerations",
        )
    }


def misfit(pods: Pods, template: Object, placement: Placement) -> str:
    """Why pods are left as they are; empty where they are not."""
    if not pods.moves:
        return ""
    return gpu_limits.undecided(template) or (gpu_limits.misfit(template, placement) if pods.apart else "")


def claim_names(volumes: Sequence[Object]) -> list[str]:
    """Names of the claims among a pod's volumes."""
    claims = (map_at(volume, "persistentVolumeClaim").get("claimName") for volume in volumes)
    return [claim for claim in claims if isinstance(claim, str)]


def dotted(path: Path) -> str:
    """A path as messages show it: `spec.replicatedJobs[0].template`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def contradiction(path: str, value: object, what: str, expected: str) -> Mistake:
    """The mistake of a value that stands against the placement."""
    return Mistake(path, value, expected, f"contradicts {what}")


def mistake_in(path: str, problem: str, expected: str) -> Mistake:
    """A mistake that is about no single value."""
    return Mistake(path, ABSENT, expected, problem)


def within(document: Object, *path: str) -> Iterator[Mistake]:
    """The mistake of a part that must be a map and is something else."""
    part = at(document, *path)
    if part is not None and not is_map(part):
        yield Mistake(dotted(path), part, "expected a map", "is no map")


def unknown_roles(request: PlacingRequest, roles: Collection[str]) -> Iterator[Mistake]:
    """The mistakes in the roles that the request names."""
    for name, named in request.named_roles:
        yield from (not_one_of(name, role, roles) for role in named if role not in roles)
    for role in dict.fromkeys(request.also):
        if role in request.on_demand:
            yield contradiction("on_demand", role, "also, which lets it vanish", "leave one of them out")
