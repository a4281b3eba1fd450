"""Places the trials of a Katib experiment (v1beta1, Katib 0.18 and 0.19)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ckf_spot import fields
from ckf_spot.errors import ABSENT, Mistake, not_one_of, refuse
from ckf_spot.fields import Json, is_map, of
from ckf_spot.kinds import jobs, training
from ckf_spot.kinds.serialise import plain
from ckf_spot.placement import Capacity
from ckf_spot.pool_group import PoolGroup

KIND: Final = "Experiment"
API_VERSION: Final = "kubeflow.org/v1beta1"
TRIAL: Final = "spec.trialTemplate.trialSpec."
"""Path of the trial, for messages."""
_SPEC: Final = (
    "algorithm", "earlyStopping", "maxFailedTrialCount", "maxTrialCount", "metricsCollectorSpec", "nasConfig",
    "objective", "parallelTrialCount", "parameters", "resumePolicy", "trialTemplate",
)  # fmt: skip
_TEMPLATE: Final = (
    "configMap", "failureCondition", "primaryContainerName", "primaryPodLabels", "retain", "successCondition",
    "trialParameters", "trialSpec",
)  # fmt: skip


def place_katib(
    experiment: object,
    group: PoolGroup,
    *,
    prefer: Capacity | None = None,
    require: Capacity | None = None,
    also: Sequence[str] = (),
) -> Json:
    """The experiment with its trials on the pools: a Job as by `place_job`, or as by `place_training_job`.

    An eviction then costs a trial its time, and does not count against `maxFailedTrialCount`.

    Args:
        experiment: a dict, or a V1beta1Experiment; it stays as it is.
        group: the pools.
        prefer: see `PoolGroup.placement`.
        require: see `PoolGroup.placement`.
        also: for training jobs, see `place_training_job`.

    Returns:
        A dict, as the API server wants it.

    Raises:
        PlacementError: with every mistake, one a line.
    """
    document = plain(experiment)
    refuse(problems(document))
    template = document["spec"]["trialTemplate"]
    trial = template["trialSpec"]
    if trial["kind"] == jobs.KIND:
        placement = group.placement(prefer=prefer, require=require)
        no_roles = [
            Mistake("also", also, "leave it out", f"contradicts {TRIAL}kind: Job, which has no roles")
        ]
        refuse([*(no_roles if also else ()), *jobs.placement_problems(trial, placement, TRIAL)])
        template["trialSpec"] = jobs.placed(trial, placement)
    else:
        template["trialSpec"] = training.placed(
            trial, group, prefer=prefer, require=require, also=also, inside=TRIAL
        )
    return document


def problems(document: Mapping[str, Any]) -> list[Mistake]:
    """What is wrong with an experiment's fields, down to its trials' pods."""
    found = list(fields.object_problems(document, "", API_VERSION, KIND))
    if document.get("spec") is None:
        return found
    found += fields.problems(document["spec"], "spec", _SPEC, ("trialTemplate",))
    template = of(document, "spec").get("trialTemplate")
    if template is None:
        return found
    if is_map(template) and template.get("configMap") is not None:
        return [
            *found,
            Mistake(
                "spec.trialTemplate.configMap",
                ABSENT,
                "expected trialSpec",
                "the trial is out of reach in a ConfigMap",
            ),
        ]
    found += fields.problems(template, "spec.trialTemplate", _TEMPLATE, ("trialSpec",))
    trial = of(document, "spec", "trialTemplate").get("trialSpec")
    if trial is None:
        return found
    if not is_map(trial):
        return [*found, Mistake(TRIAL[:-1], trial, f"expected a {jobs.KIND} or a training job", "is no map")]
    kind = trial.get("kind")
    if kind == jobs.KIND:
        return [*found, *jobs.problems(trial, TRIAL)]
    if isinstance(kind, str) and kind in training.KINDS:
        return [*found, *training.problems(trial, TRIAL)]
    return [*found, not_one_of(f"{TRIAL}kind", kind, (jobs.KIND, *training.KINDS))]
