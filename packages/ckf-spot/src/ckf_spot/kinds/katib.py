"""The trials of a Katib experiment (v1beta1, Katib 0.18 and 0.19)."""

from collections.abc import Iterator, Mapping
from typing import Final

from ckf_spot import fields, judgements
from ckf_spot.errors import Mistake, not_one_of
from ckf_spot.fields import Object, is_map, map_at
from ckf_spot.kinds import argo, jobs, trainer, training
from ckf_spot.kinds.kind import Kind, Path, PlacingRequest, mistake_in

TRIALS: Final[Mapping[str, Kind]] = {
    "Job": jobs.KINDS["Job"],
    **training.KINDS,
    **trainer.KINDS,
    "Workflow": argo.KINDS["Workflow"],
}
"""Kinds of which Katib makes trials."""
_TRIAL: Final = "spec.trialTemplate.trialSpec"
_SPEC: Final = judgements.names("Experiment", "spec")
_TEMPLATE: Final = judgements.names("Experiment", "spec.trialTemplate")


class Experiment(Kind):
    """An Experiment; its trials are placed as their kind is.

    An eviction then costs a trial its time, and does not count against `maxFailedTrialCount`.
    """

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the trial."""
        yield from fields.object_problems(document, "kubeflow.org/v1beta1")
        if document.get("spec") is None:
            return
        yield from fields.problems(document["spec"], "spec", _SPEC, ("trialTemplate",))
        template = map_at(document, "spec").get("trialTemplate")
        if template is None:
            return
        if is_map(template) and template.get("configMap") is not None:
            yield mistake_in(
                "spec.trialTemplate.configMap",
                "the trial is out of reach in a ConfigMap",
                "expected trialSpec",
            )
            return
        yield from fields.problems(template, "spec.trialTemplate", _TEMPLATE, ("trialSpec",))
        trial = map_at(document, "spec", "trialTemplate").get("trialSpec")
        if trial is not None and not is_map(trial):
            yield Mistake(_TRIAL, trial, f"expected one of {', '.join(TRIALS)}", "is no map")
        elif trial is not None and _kind(trial) is None:
            yield not_one_of(f"{_TRIAL}.kind", trial.get("kind"), TRIALS)

    def inner(self, document: Object) -> Iterator[tuple[Path, Kind]]:
        """The trial."""
        kind = _kind(map_at(document, "spec", "trialTemplate", "trialSpec"))
        if kind is not None:
            yield ("spec", "trialTemplate", "trialSpec"), kind


KINDS: Final[Mapping[str, Kind]] = {"Experiment": Experiment()}


def _kind(trial: Object) -> Kind | None:
    name = trial.get("kind")
    return TRIALS.get(name) if isinstance(name, str) else None
