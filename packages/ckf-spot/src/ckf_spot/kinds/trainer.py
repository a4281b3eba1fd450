"""TrainJobs of Kubeflow Trainer v2, whose field for placement differs by release.

Source: docs/facts/placement.md#trainer-and-katib.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ckf_spot import fields, judgements, time_limits
from ckf_spot.agent_pool import GPU
from ckf_spot.errors import EvictionWarning, Mistake, Mistakes, missing, not_one_of, refusal
from ckf_spot.fields import Json, Object, at, is_map, is_maps, map_at
from ckf_spot.kinds import trainer_sdk
from ckf_spot.kinds.kind import Kind, PlacingRequest, Pods, unknown_roles
from ckf_spot.placement import Capacity, Placement
from ckf_spot.pods import gpu_limits, node_selection, shape
from ckf_spot.pods import template as pods
from ckf_spot.pool_group import PoolGroup

APIS: Final = ("2.0", "2.1", "2.2", "2.3")
"""Releases of Kubeflow Trainer; each drops the others' fields without a word."""
MANAGER: Final = "ckf-spot/placement"
"""Who owns the patch: Trainer keeps one for each manager."""
_FIELD: Final[Mapping[str, str]] = {
    "2.0": "podSpecOverrides",
    "2.1": "podTemplateOverrides",
    "2.2": "runtimePatches",
    "2.3": "runtimePatches",
}
_TRAINER: Final = judgements.names("TrainJob", "spec.trainer")
_SPEC: Final = ("initializer", "managedBy", "runtimeRef", "suspend", "trainer")
_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "2.0": ("annotations", "labels"),
    "2.1": ("annotations", "labels"),
    "2.2": ("activeDeadlineSeconds",),
    "2.3": ("activeDeadlineSeconds",),
}
_RELEASE: Final = (
    f"expected {', '.join(APIS)}, the release in the cluster: --trainer-api 2.2, or trainer_api='2.2'"
)
_PLACING: Final = ("affinity", "tolerations")
_TARGET: Final = "node"
_LAUNCHER: Final = "launcher"
_RUNTIMES_WITH_LAUNCHER: Final = ("deepspeed-distributed", "mlx-distributed", "mpi-distributed")
"""Shipped runtimes with `runLauncherAsNode`, whose launcher gets the trainer's resources as well.

Source: `manifests/base/runtimes` and `pkg/runtime/core/trainingruntime.go` of kubeflow/trainer, 2.0.1 to 2.3.0.
"""
_OTHER_RUNTIMES: Final = ("jax-distributed", "torch-distributed", "xgboost-distributed")
"""Shipped runtimes without a launcher."""


class TrainJob(Kind):
    """A TrainJob; the training runtime's job that does the work goes to the pools.

    Trainer 2.0 takes no affinity: there a node selector chooses the pools, and `prefer="spot"` is left to the
    autoscaler's priorities. Trainer 2.3 alone takes a grace period. In a shipped runtime that runs MPI the launcher is
    one of the nodes: where it asks for a GPU it goes to the on-demand nodes of the workload, since every node's work
    ends with it. Evictions are counted, and the job made again, by the training runtime's own failure policy, which no
    TrainJob can set.
    """

    rigid = "whose number of nodes is fixed: Trainer 2.0 to 2.3 sets up no elastic launch"

    def has_roles_in(self, document: Object) -> bool:
        """Where the runtime has a launcher, or may have one."""
        return bool(_roles(document))

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The launcher, unless the job places it itself and the request leaves it out; `place` sees to the target's."""
        api = str(request.trainer_api)
        moves = request.vanishes(_LAUNCHER)
        named = _LAUNCHER in (*request.also, *request.on_demand)
        launcher = request.target == _TARGET and (named or _runtime(document) in _RUNTIMES_WITH_LAUNCHER)
        if launcher and api in APIS and (named or not _is_placed(document, api, _LAUNCHER)):
            entries = tuple(_maps(map_at(document, "spec").get(_FIELD[api])))
            yield _Launcher(("spec", "trainer"), _LAUNCHER, moves, api=api, entries=entries)

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes in the release that the request names."""
        api = request.trainer_api
        if api not in APIS:
            return
        yield from fields.object_problems(document, "trainer.kubeflow.org/v1alpha1")
        if document.get("spec") is None:
            return
        field = _FIELD[api]
        hints = {name: f"Trainer {api} takes {field} instead" for name in _FIELD.values() if name != field}
        yield from fields.problems(
            document["spec"], "spec", (*_SPEC, *_ONLY[api], field), ("runtimeRef",), hints
        )
        spec = map_at(document, "spec")
        if spec.get("trainer") is not None:
            beside = {name: f"it belongs under spec.{name}" for name in (field, *_SPEC, *_ONLY[api])}
            yield from fields.problems(spec["trainer"], "spec.trainer", _TRAINER, hints=beside)
        entries = spec.get(field)
        if entries is not None and not is_maps(entries):
            yield Mistake(f"spec.{field}", entries, "expected a list of maps")

    def request_problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """A release must be named: each drops the others' fields without a word."""
        if _roles(document):
            yield from unknown_roles(request, _roles(document))
        else:
            yield from super().request_problems(document, request)
        if request.trainer_api is None:
            yield missing("trainer_api", _RELEASE)
        elif request.trainer_api not in APIS:
            yield not_one_of("trainer_api", request.trainer_api, APIS)

    def misfits(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[Mistake]:
        """Its own overrides and GPUs."""
        if request.trainer_api in APIS:
            spec = document["spec"]
            yield from _resource_problems(spec, placement)
            entries = spec.get(_FIELD[request.trainer_api]) or []
            yield from _entry_problems(entries, placement, request.trainer_api, request.target)

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """A deadline that counts from the job's start."""
        if placement.spot:
            seconds = map_at(document, "spec").get("activeDeadlineSeconds")
            yield from time_limits.deadline_doubts("spec.activeDeadlineSeconds", seconds, "the TrainJob")

    def place(self, document: Json, placement: Placement, request: PlacingRequest) -> None:
        """An override, or a patch, with the placement."""
        api = str(request.trainer_api)
        spec = document["spec"]
        spec[_FIELD[api]] = _placed(spec.get(_FIELD[api]) or [], placement, api, request.target)


@dataclass(frozen=True)
class _Launcher(Pods):
    """The launcher's pod, of which the job says only how many GPUs it gets.

    Attributes:
        api: release of Kubeflow Trainer.
        entries: the job's own overrides, or patches.
    """

    api: str = ""
    entries: Sequence[Object] = ()

    def template(self, document: Json) -> Any:
        """What decides where it runs."""
        limits = map_at(document, "spec", "trainer", "resourcesPerNode", "limits")
        resources = {"limits": {GPU: limits[GPU]}} if GPU in limits else {}
        return {"spec": {"containers": [{"name": _TARGET, "resources": resources}]}}

    def place(self, document: Json, placement: Placement) -> None:
        """An override, or a patch, with the placement."""
        spec, field = document["spec"], _FIELD[self.api]
        spec[field] = _placed(spec.get(field) or [], placement, self.api, _LAUNCHER)

    def keep(self, document: Json) -> None:
        """Its annotations are the runtime's."""

    def problems(self, template: Object, placement: Placement, where: str) -> Sequence[Mistake]:
        """Its GPUs, and what the job's own overrides say of it."""
        mistakes = _entry_problems(self.entries, placement, self.api, _LAUNCHER)
        return [*super().problems(template, placement, where), *mistakes]

    def located(self, mistake: Mistake, where: str) -> Mistake:
        """The mistake at its path: the job's resources are the trainer's; an override has a path of its own."""
        if not mistake.path.startswith(where):
            return mistake
        return replace(mistake, path="spec.trainer.resourcesPerNode")


KINDS: Final[Mapping[str, Kind]] = {"TrainJob": TrainJob()}


@dataclass(frozen=True)
class TrainOption:
    """An option of the Kubeflow SDK: `TrainerClient().train(…, options=[TrainOption(pools["gpu"])])`.

    SDK 0.4 and newer are for Trainer 2.2 and newer, 0.2 and 0.3 for Trainer 2.1; see `trainer_sdk`. A `RuntimePatch` or
    `PodTemplateOverride` with a choice of nodes comes before it.

    Attributes:
        group: the pools.
        prefer: see `PoolGroup.placement`.
        require: see `PoolGroup.placement`.
        target: the runtime's job that does the work.
    """

    group: PoolGroup
    prefer: Capacity | None = None
    require: Capacity | None = None
    target: str = "node"

    def __call__(self, job_spec: Json, trainer: Any, backend: object) -> None:
        """Called by the SDK.

        Args:
            job_spec: what the options make of the job; it is changed.
            trainer: the SDK's trainer; only its `resources_per_node` is read, or None.
            backend: the SDK's; the fields of a TrainJob are read from its cluster.

        Raises:
            PlacementError: the job can't be placed there, or would be sent or stored without its placement.

        Warns:
            EvictionWarning: see `ckf_spot.Target.place`.
        """
        requested = getattr(trainer, "resources_per_node", None)
        limits = {
            GPU if str(name).lower() == "gpu" else name: amount for name, amount in (requested or {}).items()
        }
        spec = job_spec.setdefault("spec", {})
        api = trainer_sdk.release()
        field = _FIELD[api]
        entries = spec.get(field) or []
        placement = self.group.placement(prefer=self.prefer, require=self.require)
        request = {"trainer": {"resourcesPerNode": {"limits": limits}}} if requested else {}
        mistakes = Mistakes()
        mistakes.add(trainer_sdk.problems(backend, field, dict.fromkeys(_FIELD.values())))
        mistakes.add(_resource_problems(request, placement))
        mistakes.add(_entry_problems(entries, placement, api, self.target))
        mistakes.raise_all()
        for doubt in mistakes.doubts:
            warnings.warn(str(doubt), EvictionWarning, stacklevel=2)
        spec[field] = _Entries(_placed(entries, placement, api, self.target), entries, api, self.target)


class _Entries(list[Json]):
    """Overrides, or patches, of a TrainJob to which the SDK appends those of the options behind ours.

    Attributes:
        targets: jobs of the runtime that are placed.
    """

    def __init__(self, entries: list[Json], before: list[Json], api: str, target: str) -> None:
        super().__init__(entries)
        self._api = api
        self.targets: set[str] = {target} | (before.targets if isinstance(before, _Entries) else set())

    def append(self, entry: Json) -> None:
        """Refuses one that would take the placement back: of each list Trainer keeps the last entry's."""
        option = "PodTemplateOverride" if self._api == "2.1" else "RuntimePatch"
        templates = [template for target in self.targets for template in _templates(entry, self._api, target)]
        for template in templates:
            for key in ("nodeSelector", *_PLACING):
                if value := map_at(template, "spec").get(key):
                    problem = "overrides the placement of the TrainOption before it"
                    raise refusal(f"options: {option}: {key}", value, "put the TrainOption last", problem)
        super().append(entry)

    def __reduce__(self) -> tuple[type[list[Json]], tuple[list[Json]]]:
        """A copy is a plain list."""
        return list, ([*self],)


def _runtime(document: Object) -> str:
    """Name of the cluster's training runtime, or empty where the job names one of its namespace."""
    reference = map_at(document, "spec", "runtimeRef")
    return str(reference.get("name")) if reference.get("kind") in (None, "ClusterTrainingRuntime") else ""


def _roles(document: Object) -> tuple[str, ...]:
    """What of the runtime may stay while others vanish; a runtime of the team's own may have a launcher too."""
    return () if _runtime(document) in _OTHER_RUNTIMES else (_LAUNCHER,)


def _is_placed(document: Object, api: str, target: str) -> bool:
    """Whether the job itself says where a part of the runtime runs."""
    entries = _maps(map_at(document, "spec").get(_FIELD[api]))
    pods = [map_at(template, "spec") for entry in entries for template in _templates(entry, api, target)]
    return any(pod.get(key) for pod in pods for key in (*_PLACING, "nodeSelector"))


def _resource_problems(spec: Object, placement: Placement) -> list[Mistake]:
    """What of the trainer's resources does not fit; a trainer that asks for none has what its runtime asks for."""
    resources = at(spec, "trainer", "resourcesPerNode")
    if resources is None:
        return []
    where = "spec.trainer.resourcesPerNode"
    pod = {"containers": [{"resources": map_at(resources)}]}
    return [
        *gpu_limits.problems({"trainer": map_at(resources, "limits")}, placement, where),
        *(
            replace(mistake, path=mistake.path.replace(f"{where}.containers", where))
            for mistake in node_selection.problems(pod, placement, where)
            if mistake.path.startswith(f"{where}.containers")
        ),
    ]


def _entry_problems(
    entries: Sequence[Object], placement: Placement, api: str, target: str
) -> Iterator[Mistake]:
    """Where the job's own overrides stand against the placement."""
    for number, entry in enumerate(entries):
        where = f"spec.{_FIELD[api]}[{number}]"
        for template in _templates(entry, api, target):
            wrong = shape.override_problems(template, where)
            yield from wrong or node_selection.problems(map_at(template, "spec"), placement, where)


def _chosen(entries: list[Json], api: str, target: str) -> Json:
    """The choice of nodes in the other overrides, of whose lists Trainer keeps those of the last one only.

    So the placement, which comes last, repeats them (`pkg/runtime/core/trainingruntime.go`).
    """
    chosen: Json = {}
    for entry in entries:
        for template in _templates(entry, api, target):
            pod = map_at(template, "spec")
            chosen |= {key: pod[key] for key in ("tolerations",) if pod.get(key)}
            for key in ("affinity", *(("nodeSelector",) if api == "2.0" else ())):
                if pod.get(key):
                    chosen[key] = {**chosen.get(key, {}), **pod[key]}
    return chosen


def _placed(entries: list[Json], placement: Placement, api: str, target: str) -> list[Json]:
    """The overrides, and the placement in one of its own."""
    ours = next((entry for entry in entries if _is_own(entry, api, target)), {})
    others = [entry for entry in entries if entry is not ours]
    prior = next(iter(_templates(ours, api, target)), {})
    chosen, spec = _chosen(others, api, target), map_at(prior, "spec")
    both = [*(chosen.get("tolerations") or ()), *(spec.get("tolerations") or ())]
    tolerations = [toleration for number, toleration in enumerate(both) if toleration not in both[:number]]
    pod = {**chosen, **spec, **({"tolerations": tolerations} if both else {})}
    targets = {"targetJobs": [{"name": target}]}
    if api == "2.0":
        return [*others, {**pod, **targets, **_selecting(pod, placement)}]
    template = _template({**prior, "spec": pod}, placement, api)
    if api == "2.1":
        return [*others, {**targets, **template}]
    jobs = [job for job in _jobs(ours) if job.get("name") != target]
    jobs.append({"name": target, "template": {"spec": {"template": template}}})
    patch = {"template": {"spec": {"replicatedJobs": jobs}}}
    return [*others, {"manager": MANAGER, "trainingRuntimeSpec": patch}]


def _selecting(prior: Object, placement: Placement) -> Json:
    """The placement in a form that Trainer 2.0 takes."""
    return {
        "nodeSelector": {**(prior.get("nodeSelector") or {}), **placement.node_selector},
        "tolerations": pods.merged_tolerations(prior.get("tolerations") or (), placement),
    }


def _template(prior: Object, placement: Placement, api: str) -> Json:
    """The placement as an override of the pods' template."""
    pod = map_at(prior, "spec")
    grace = {pods.GRACE_PERIOD: pods.grace_seconds(pod)}
    return {
        "metadata": pods.annotated(map_at(prior, "metadata")),
        "spec": {
            **pod,
            "affinity": pods.merged_affinity(pod.get("affinity") or {}, placement),
            "tolerations": pods.merged_tolerations(pod.get("tolerations") or (), placement),
            **(grace if api == "2.3" and placement.spot else {}),
        },
    }


def _is_own(entry: Object, api: str, target: str) -> bool:
    """Whether an override is for the target alone, or the patch is ours: then the placement goes into it."""
    if _FIELD[api] == "runtimePatches":
        return entry.get("manager") == MANAGER
    return entry.get("targetJobs") == [{"name": target}]


def _templates(entry: Object, api: str, target: str) -> list[Object]:
    """What an override says of the target's pods: their metadata and spec."""
    if _FIELD[api] == "runtimePatches":
        return [
            map_at(job, "template", "spec", "template") for job in _jobs(entry) if job.get("name") == target
        ]
    if target not in [job.get("name") for job in _maps(entry.get("targetJobs"))]:
        return []
    return [{"spec": {key: entry[key] for key in entry if key != "targetJobs"}} if api == "2.0" else entry]


def _jobs(entry: Object) -> list[Object]:
    """What a patch says of the runtime's jobs."""
    return _maps(at(entry, "trainingRuntimeSpec", "template", "spec", "replicatedJobs"))


def _maps(value: object) -> list[Object]:
    return [item for item in value if is_map(item)] if isinstance(value, list) else []
