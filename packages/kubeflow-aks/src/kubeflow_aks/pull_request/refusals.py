"""What `up` would be refused: the steps of a preview are put to the simulated Azure and to the objects of the cluster.

azure-native's preview asks Azure nothing, and that of the Kubernetes provider takes an object of the same name for the
one to be replaced, so `pulumi up` is the first to find out.
"""

import json
import math
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import identity
from kubeflow_aks.json_values import entries, is_mapping
from kubeflow_aks.local_aks.azure import admission, check
from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, TYPES
from kubeflow_aks.local_aks.engine import Step
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster
from kubeflow_aks.pull_request.objects import ALREADY_EXISTS, Objects, is_named, is_object
from kubeflow_aks.pull_request.observed import Refusal, Trial
from kubeflow_aks.recorder.marks import UNKNOWNS

_MADE: Final = frozenset({"create", "create-replacement"})
_DELETED: Final = frozenset({"delete", "delete-replaced"})
_CONFLICT: Final = 409
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"

Goals = Mapping[str, Mapping[str, Any]]
"""What the program registered for each resource, by URN, as a plan of the engine has it."""


def goals_of(plan: Path) -> Goals:
    """The goals in a plan that the engine wrote; resources that are only deleted have none."""
    planned: dict[str, dict[str, Any]] = json.loads(plan.read_text(encoding="utf-8"))["resourcePlans"]
    return {urn: entry["goal"] for urn, entry in planned.items() if entry.get("goal")}


def trial(
    steps: Sequence[Step],
    goals: Goals,
    azure: Path,
    today: date,
    *,
    cluster: Cluster | None = None,
    imported: Collection[tuple[str, str]] = (),
) -> Trial:
    """The requests of the next `up`, in the engine's order, put to the simulated Azure and to the cluster's objects.

    What depends on a refused resource is not tried, as `up` does not get to it. Nor is a request with a value that only
    `up` knows, and what needs it: what depends on a new resource, and deletions after an update. A request with a value
    that nobody decrypted is sent but not judged, so it counts as not tried. An import makes nothing, and whether it
    finds its resource is not known, so neither it nor what depends on it is tried. Neither the folder of the simulated
    Azure, which may be missing, nor the cluster is changed.
    """
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "azure"
        if azure.is_dir():  # else no program of this run has made anything there
            shutil.copytree(azure, copy)
        left_out = {step.urn for step in steps if (step.type, step.name) in imported}
        requests = _Requests(AzureState(copy), Objects(cluster) if cluster else None, goals, today, left_out)
        refused = tuple(requests.refusals(steps))
        return Trial(refused, requests.tried, tuple(dict.fromkeys(requests.untried)))


@dataclass
class _Requests:
    """The requests of one `up`, on an Azure that may be changed, and on the objects of its cluster."""

    state: AzureState
    objects: Objects | None
    goals: Goals
    today: date
    left_out: set[str]
    """URNs of resources whose requests are not sent; those of their dependents join them."""

    def __post_init__(self) -> None:
        self._azure = ResourceManager(self.state, Timing(math.inf), lambda: self.today)
        groups = self.state.all(RESOURCE_GROUP)
        self._subscription = groups[0].id.split("/")[2] if groups else ""
        self._made: set[str] = set()
        self._delete = True
        self.tried = 0
        self.untried: list[str] = []

    def refusals(self, steps: Sequence[Step]) -> Iterator[Refusal]:
        unchanged = self._only_seem_to_change(steps)
        for step in steps:
            if step.op not in {*_MADE, *_DELETED, "update"} or step.urn in unchanged:
                continue
            if self.left_out.intersection((step.urn, *self._dependencies(step.urn))):
                self.left_out.add(step.urn)
                if step.type in TYPES and self._subscription:
                    self.untried.append(step.name)
            elif (step.type in TYPES and self._subscription) or (self.objects and is_object(step.type)):
                sent = True
                try:
                    sent = self._send(step)
                except ArmError as error:
                    self._delete = False  # the engine deletes last, and not after a failure
                    self.left_out.add(step.urn)
                    yield Refusal(step.urn, step.type, step.name, error.code, error.message)
                if step.type in TYPES and sent:
                    self.tried += 1
                elif step.type in TYPES:
                    self.untried.append(step.name)

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
            ArmError: Azure, azure-native before it, or the cluster's API server refuses it.
        """
        if step.op in _DELETED and not self._delete:
            self.left_out.add(step.urn)
            return False
        if self.objects and step.type not in TYPES:
            self._try(step, self.objects)
            return True
        return self._request(step)

    def _try(self, step: Step, objects: Objects) -> None:
        """Makes or deletes the object of one step; one that is updated is there before and after it."""
        inputs = dict(step.old_inputs if step.op in _DELETED else step.inputs)
        if not is_named(inputs) or _unknown(inputs["metadata"]):
            if step.op in _MADE:
                self.left_out.add(step.urn)
        elif step.op in _DELETED:
            objects.delete(identity(inputs))
        elif step.op in _MADE and (message := objects.create(identity(inputs))):
            raise ArmError(_CONFLICT, ALREADY_EXISTS, message)

    def _request(self, step: Step) -> bool:
        """Sends the request of one step to Azure, and returns whether it could be sent."""
        arm_type = TYPES[step.type]
        if step.op in _DELETED:
            self._azure.delete(arm_type, arm_type.id_of(dict(step.old_inputs), self._subscription))
            return True
        inputs = self._completed(step)
        if not _unknown(inputs):
            arm_id = arm_type.id_of(inputs, self._subscription)
            if step.op in _MADE and self._azure.read(arm_type, arm_id) is not None:
                raise ArmError(_CONFLICT, "", f"cannot create already existing resource '{arm_id}'")
            self._azure.put(arm_type, arm_id, check.body(inputs))
            if step.type == _CLUSTER and step.op in _MADE and self.objects:
                self.objects.renew()
            return admission.judges(inputs)
        if step.op in _MADE:
            self.left_out.add(step.urn)
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
    inside = value.values() if is_mapping(value) else entries(value)
    return any(map(_unknown, inside)) or (isinstance(value, str) and value in UNKNOWNS)
