"""What Azure would refuse: the steps of a preview are put to the simulated Azure, on a copy of what it has.

azure-native's preview asks Azure nothing, so `pulumi up` is the first to find out.
"""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from kubeflow_aks.local_aks.azure import check
from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, TYPES
from kubeflow_aks.local_aks.engine import Step
from kubeflow_aks.policy.marks import UNKNOWNS
from kubeflow_aks.pull_request.observed import Refusal

_MADE: Final = frozenset({"create", "create-replacement"})
_DELETED: Final = frozenset({"delete", "delete-replaced"})
_CONFLICT: Final = 409

Goals = Mapping[str, Mapping[str, Any]]
"""What the program registered for each resource, by URN, as a plan of the engine has it."""


@dataclass(frozen=True)
class Trial:
    """The requests of one `up`, put to the simulated Azure.

    Attributes:
        refused: the requests that it refuses; empty if it accepts all that were tried.
        tried: number of requests that were tried.
        untried: names of the resources of the other requests.
    """

    refused: tuple[Refusal, ...] = ()
    tried: int = 0
    untried: tuple[str, ...] = ()


NOTHING_TRIED: Final = Trial()
"""The trial where there is no Azure yet."""


def goals_of(plan: Path) -> Goals:
    """The goals in a plan that the engine wrote; resources that are only deleted have none."""
    planned: dict[str, dict[str, Any]] = json.loads(plan.read_text(encoding="utf-8"))["resourcePlans"]
    return {urn: entry["goal"] for urn, entry in planned.items() if entry.get("goal")}


def trial(steps: Sequence[Step], goals: Goals, azure: Path, today: date) -> Trial:
    """The requests of the next `up`, in the engine's order, put to the simulated Azure.

    What depends on a refused resource is not tried, as `up` does not get to it. Nor is a request with a value that only
    `up` knows, and what needs it: what depends on a new resource, and deletions after an update.

    Args:
        steps: of the preview.
        goals: of the same preview.
        azure: folder of the simulated Azure, which is not changed and may be missing.
        today: the day on which Azure decides.
    """
    if not azure.is_dir():  # no program of this run has made anything there
        return NOTHING_TRIED
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "azure"
        shutil.copytree(azure, copy)
        azure_trial = _Azure(AzureState(copy), goals, today)
        refused = tuple(azure_trial.refusals(steps))
        return Trial(refused, azure_trial.tried, tuple(dict.fromkeys(azure_trial.untried)))


@dataclass
class _Azure:
    """The steps of one `up`, on an Azure that may be changed."""

    state: AzureState
    goals: Goals
    today: date

    def __post_init__(self) -> None:
        self._azure = ResourceManager(self.state, Timing(math.inf), lambda: self.today)
        groups = self.state.all(RESOURCE_GROUP)
        self._subscription = groups[0].id.split("/")[2] if groups else ""
        self._made: set[str] = set()
        self._left_out: set[str] = set()
        self._delete = True
        self.tried = 0
        self.untried: list[str] = []

    def refusals(self, steps: Sequence[Step]) -> Iterator[Refusal]:
        if not self._subscription:  # nothing is there yet
            return
        unchanged = self._only_seem_to_change(steps)
        for step in steps:
            if step.op not in {*_MADE, *_DELETED, "update"} or step.urn in unchanged:
                continue
            if self._left_out.intersection((step.urn, *self._dependencies(step.urn))):
                self._left_out.add(step.urn)
                if step.type in TYPES:
                    self.untried.append(step.name)
            elif step.type in TYPES:
                try:
                    if self._send(step):
                        self.tried += 1
                    else:
                        self.untried.append(step.name)
                except ArmError as error:
                    self.tried += 1
                    self._delete = False  # the engine deletes last, and not after a failure
                    self._left_out.add(step.urn)
                    yield Refusal(step.urn, step.type, step.name, error.code, error.message)

    def _only_seem_to_change(self, steps: Sequence[Step]) -> set[str]:
        """URNs of resources that have what they had once `up` knows all values; all others that are made are noted.

        Not all inputs are compared, because a replacement may have another automatic name.
        """
        urns: set[str] = set()
        for step in steps:
            completed = self._completed(step)
            changed = {re.split(r"[.\[]", path)[0] for path in step.differences}
            if changed and all(completed.get(key) == step.old_inputs.get(key) for key in changed):
                urns.add(step.urn)
            elif step.op in _MADE:
                self._made.add(step.urn)
        return urns

    def _send(self, step: Step) -> bool:
        """Sends the request of one step, and returns whether it could be sent.

        Raises:
            ArmError: Azure, or azure-native before it, refuses it.
        """
        arm_type = TYPES[step.type]
        if step.op in _DELETED:
            if self._delete:
                self._azure.delete(arm_type, arm_type.id_of(dict(step.old_inputs), self._subscription))
            else:
                self._left_out.add(step.urn)
            return self._delete
        inputs = self._completed(step)
        if not _unknown(inputs):
            arm_id = arm_type.id_of(inputs, self._subscription)
            if step.op in _MADE and self._azure.read(arm_type, arm_id) is not None:
                raise ArmError(_CONFLICT, "", f"cannot create already existing resource '{arm_id}'")
            self._azure.put(arm_type, arm_id, check.body(inputs))
            return True
        if step.op in _MADE:
            self._left_out.add(step.urn)
        else:
            self._delete = False  # what it uses from then on is not known
        return False

    def _completed(self, step: Step) -> Json:
        """The inputs; a value that only `up` knows stays as it was, unless it is of a resource that is made now."""
        of: Mapping[str, Sequence[str]] = self.goals.get(step.urn, {}).get("propertyDependencies") or {}
        return {
            key: step.old_inputs.get(key, value)
            if _unknown(value) and not self._made.intersection(of.get(key) or ())
            else value
            for key, value in step.inputs.items()
        }

    def _dependencies(self, urn: str) -> Iterator[str]:
        goal = self.goals.get(urn, {})
        yield from goal.get("dependencies") or ()
        if parent := goal.get("parent"):
            yield parent


def _unknown(value: Any) -> bool:
    """Whether a value has a part that only `up` knows."""
    if isinstance(value, Mapping):
        return any(map(_unknown, cast(Mapping[str, Any], value).values()))
    if isinstance(value, list):
        return any(map(_unknown, cast(list[Any], value)))
    return isinstance(value, str) and value in UNKNOWNS
