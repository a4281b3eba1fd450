"""Checkpoints at the interval that costs least."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubeflow_aks.cost.advice.advice import Change, Path
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.advice.trials import written_work


def checkpoints(situation: Situation) -> Iterator[Change]:
    """One change for each kind of work on spot, to whole minutes; the cost is flat around its least."""
    for name in situation.work:
        values = checkpointed(situation, name)
        if (
            values
            and values["workload", name, "checkpointMinutes"] != situation.work[name].checkpoint_minutes
        ):
            minutes = values["workload", name, "checkpointMinutes"]
            yield Change(
                f"checkpoints of {name}",
                f"a checkpoint of {name} every {minutes} minutes",
                values,
                (NEEDS_CHECKPOINTS.format(name),),
            )


def checkpointed(situation: Situation, name: str) -> Mapping[Path, Any]:
    """The settings with which a kind of work saves itself at the best interval; empty where none is best."""
    cost = next(cost for cost in situation.bill.work if cost.name == name)
    if not cost.best_interval or cost.best_interval >= situation.work[name].step_hours:
        return {}
    written = written_work(situation) if situation.assumed else dict[Path, Any]()
    return {**written, ("workload", name, "checkpointMinutes"): max(round(cost.best_interval * 60), 1)}


NEEDS_CHECKPOINTS = "{} must be able to go on from a checkpoint"
