"""Places a TrainJob of Kubeflow Trainer v2, whose field for placement differs by release.

Source: docs/facts/placement.md#trainer-and-katib.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ckf_spot import fields
from ckf_spot.agent_pool import GPU
from ckf_spot.errors import ABSENT, Mistake, not_one_of, refuse
from ckf_spot.fields import Json, at, is_map, is_maps, of
from ckf_spot.kinds.serialise import plain
from ckf_spot.placement import Capacity, Placement
from ckf_spot.pods import gpu_limits, node_selection, shape
from ckf_spot.pods import template as pods
from ckf_spot.pool_group import PoolGroup

Api = Literal["2.0", "2.1", "2.2", "2.3"]
"""Releases of Kubeflow Trainer; each drops the others' fields without a word."""
KIND: Final = "TrainJob"
API_VERSION: Final = "trainer.kubeflow.org/v1alpha1"
MANAGER: Final = "ckf-spot/placement"
"""Who owns the patch: Trainer keeps one for each manager."""
APIS: Final = get_args(Api)
_FIELD: Final[Mapping[str, str]] = {
    "2.0": "podSpecOverrides",
    "2.1": "podTemplateOverrides",
    "2.2": "runtimePatches",
    "2.3": "runtimePatches",
}
_TRAINER: Final = ("args", "command", "env", "image", "numNodes", "numProcPerNode", "resourcesPerNode")
_SPEC: Final = ("initializer", "managedBy", "runtimeRef", "suspend", "trainer")
_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "2.0": ("annotations", "labels"),
    "2.1": ("annotations", "labels"),
    "2.2": ("activeDeadlineSeconds",),
    "2.3": ("activeDeadlineSeconds",),
}
_PLACING: Final = ("affinity", "tolerations")


def place_trainjob(
    job: object,
    group: PoolGroup,
    *,
    api: Api,
    prefer: Capacity | None = None,
    require: Capacity | None = None,
    target: str = "node",
) -> Json:
    """The TrainJob with its nodes on the pools.

    Trainer 2.0 takes no affinity: there a node selector chooses the pools, and `prefer="spot"` is left to the
    autoscaler's priorities. Trainer 2.3 alone takes a grace period. Evictions are counted, and the job made again, by
    the training runtime's own failure policy, which no TrainJob can set.

    Args:
        job: a dict, or a TrainerV1alpha1TrainJob; it stays as it is.
        group: the pools.
        api: release of Trainer in the cluster.
        prefer: see `PoolGroup.placement`.
        require: see `PoolGroup.placement`.
        target: the runtime's job that does the work.

    Returns:
        A dict, as the API server wants it.

    Raises:
        PlacementError: with every mistake, one a line.
    """
    document = plain(job)
    refuse(problems(document, api))
    spec = document["spec"]
    entries: list[Json] = spec.get(_FIELD[api]) or []
    placement = group.placement(prefer=prefer, require=require)
    refuse([*_gpu_problems(spec, placement), *_entry_problems(entries, placement, api, target)])
    spec[_FIELD[api]] = _placed(entries, placement, api, target)
    return document


@dataclass(frozen=True)
class TrainOption:
    """An option of the Kubeflow SDK: `TrainerClient().train(…, options=[TrainOption(pools["gpu"])])`.

    SDK 0.5 speaks to Trainer 2.2 and newer.

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

    def __call__(self, job_spec: Json, trainer: Any, backend: object) -> None:  # noqa: ARG002 - the SDK's own signature
        """Called by the SDK.

        Args:
            job_spec: what the options make of the job; it is changed.
            trainer: the SDK's trainer; only its `resources_per_node` is read, or None.
            backend: not used: backends without a cluster ignore the patch.

        Raises:
            PlacementError: the job can't be placed there.
        """
        asked = getattr(trainer, "resources_per_node", None)
        limits = {
            GPU if str(name).lower() == "gpu" else name: amount for name, amount in (asked or {}).items()
        }
        spec = job_spec.setdefault("spec", {})
        entries = spec.get(_FIELD["2.2"]) or []
        placement = self.group.placement(prefer=self.prefer, require=self.require)
        wish = {"trainer": {"resourcesPerNode": {"limits": limits}}} if asked else {}
        refuse([*_gpu_problems(wish, placement), *_entry_problems(entries, placement, "2.2", self.target)])
        spec[_FIELD["2.2"]] = _placed(entries, placement, "2.2", self.target)


def problems(document: Mapping[str, Any], api: str) -> list[Mistake]:
    """What is wrong with a TrainJob's fields in a release of Trainer."""
    if api not in APIS:
        return [not_one_of("api", api, APIS)]
    found = list(fields.object_problems(document, "", API_VERSION, KIND))
    spec = document.get("spec")
    if spec is None:
        return found
    hints = {
        name: f"Trainer {api} takes {_FIELD[api]} instead" for name in _FIELD.values() if name != _FIELD[api]
    }
    found += fields.problems(spec, "spec", (*_SPEC, *_ONLY[api], _FIELD[api]), ("runtimeRef",), hints)
    if of(document, "spec").get("trainer") is not None:
        found += fields.problems(spec["trainer"], "spec.trainer", _TRAINER)
    entries = of(document, "spec").get(_FIELD[api])
    if entries is not None and not (is_maps(entries)):
        found.append(Mistake(f"spec.{_FIELD[api]}", entries, "expected a list of maps"))
    return found


def _gpu_problems(spec: Mapping[str, Any], placement: Placement) -> list[Mistake]:
    """What of the trainer's GPUs does not fit; a trainer that asks for nothing has what its runtime asks for."""
    resources = at(spec, "trainer", "resourcesPerNode")
    if resources is None:
        return []
    where = "spec.trainer.resourcesPerNode"
    return list(gpu_limits.problems({"trainer": of(resources, "limits")}, placement, where))


def _entry_problems(entries: list[Json], placement: Placement, api: Api, target: str) -> list[Mistake]:
    """Where the job's own overrides stand against the placement."""
    found: list[Mistake] = []
    for number, entry in enumerate(entries):
        where = f"spec.{_FIELD[api]}[{number}]"
        for template in _templates(entry, api, target):
            wrong = shape.override_problems(template, where)
            pod = of(template, "spec")
            found += wrong or node_selection.problems(pod, placement, where)
            if not _is_own(entry, api, target):
                found += [
                    Mistake(
                        where,
                        ABSENT,
                        "leave it out",
                        f"its {key} for {target!r} and the placement's can't both hold",
                    )
                    for key in (*_PLACING, *(("nodeSelector",) if api == "2.0" else ()))
                    if pod.get(key)
                ]
    return found


def _placed(entries: list[Json], placement: Placement, api: Api, target: str) -> list[Json]:
    """The overrides, and the placement in one of its own."""
    own = next((entry for entry in entries if _is_own(entry, api, target)), {})
    others = [entry for entry in entries if entry is not own]
    had = next(iter(_templates(own, api, target)), {})
    targets = {"targetJobs": [{"name": target}]}
    if api == "2.0":
        return [*others, {**of(had, "spec"), **targets, **_selecting(of(had, "spec"), placement)}]
    template = _template(had, placement, api)
    if api == "2.1":
        return [*others, {**targets, **template}]
    jobs = [job for job in _jobs(own) if job.get("name") != target]
    jobs.append({"name": target, "template": {"spec": {"template": template}}})
    patch = {"template": {"spec": {"replicatedJobs": jobs}}}
    return [*others, {"manager": MANAGER, "trainingRuntimeSpec": patch}]


def _selecting(had: Mapping[str, Any], placement: Placement) -> Json:
    """The placement in a form that Trainer 2.0 takes."""
    return {
        "nodeSelector": {**(had.get("nodeSelector") or {}), **placement.node_selector},
        "tolerations": pods.merged_tolerations(had.get("tolerations") or (), placement),
    }


def _template(had: Mapping[str, Any], placement: Placement, api: Api) -> Json:
    """The placement as an override of the pods' template."""
    pod = of(had, "spec")
    grace = {"terminationGracePeriodSeconds": pods.GRACE_SECONDS}
    return {
        "metadata": pods.annotated(of(had, "metadata")),
        "spec": {
            **pod,
            "affinity": pods.merged_affinity(pod.get("affinity") or {}, placement),
            "tolerations": pods.merged_tolerations(pod.get("tolerations") or (), placement),
            **(grace if api == "2.3" and placement.spot else {}),
        },
    }


def _is_own(entry: Mapping[str, Any], api: Api, target: str) -> bool:
    """Whether an override is for the target alone, or the patch is ours: then the placement goes into it."""
    if _FIELD[api] == "runtimePatches":
        return entry.get("manager") == MANAGER
    return entry.get("targetJobs") == [{"name": target}]


def _templates(entry: Mapping[str, Any], api: Api, target: str) -> list[Mapping[str, Any]]:
    """What an override says of the target's pods: their metadata and spec."""
    if _FIELD[api] == "runtimePatches":
        return [of(job, "template", "spec", "template") for job in _jobs(entry) if job.get("name") == target]
    if target not in [each.get("name") for each in _maps(entry.get("targetJobs"))]:
        return []
    return [{"spec": {key: entry[key] for key in entry if key != "targetJobs"}} if api == "2.0" else entry]


def _jobs(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a patch says of the runtime's jobs."""
    return _maps(at(entry, "trainingRuntimeSpec", "template", "spec", "replicatedJobs"))


def _maps(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if is_map(each)] if isinstance(value, list) else []
