"""The observations of a scenario, as plain data: the only input of checks, tables and page.

Times are seconds of the cluster's clock since the scenario began, simulated in the demo, unless a name contains `wall`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from kubeflow_aks.scenario.contract_pools import ContractPool


class Where(StrEnum):
    """The cluster that the scenario was played on."""

    SIMULATION = "simulation"
    """A local AKS, with its own clock; the demo."""
    LOCAL = "local"
    """A local AKS in a drill: used through Azure's API, with the wall clock."""
    AZURE = "azure"


@dataclass(frozen=True, kw_only=True)
class PodRecord:
    """One pod as the API server showed it; a task that was evicted has several.

    Attributes:
        part: what it is in the scenario (`workloads.PART`), empty for pods that are not the demo's.
        owner: kind of its controller, empty without one.
        task: what it works on: Job and task number, or the pod's own name.
        pool: pool of its node, empty before it has one.
        created: when the API server first showed it.
        ended: when the API server first showed it as finished, being deleted or gone.
        phase: last observed phase.
        disruption: reason of its condition DisruptionTarget, empty without one.
    """

    namespace: str
    name: str
    part: str
    owner: str
    task: str
    pool: str
    node: str
    created: float
    running: float | None
    ended: float | None
    phase: str
    disruption: str


@dataclass(frozen=True, kw_only=True)
class NodeRecord:
    """One node as the API server showed it; `gone` is None for an existing one.

    Attributes:
        handled: when the API server first showed the eviction handler's mark; None where it did not act.
    """

    name: str
    pool: str
    appeared: float
    ready: float | None
    gone: float | None
    handled: float | None = None


@dataclass(frozen=True, kw_only=True)
class JobRecord:
    """One Job, with the counts of its `status`."""

    name: str
    part: str
    tasks: int
    succeeded: int
    failed: int
    complete: bool


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """A workflow or a training job; `state` is as its controller reports it, such as Succeeded."""

    kind: str
    name: str
    part: str
    state: str


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """The API server's response to a platform pod that tolerates spot; status 201 if it was admitted."""

    status: int
    message: str


@dataclass(frozen=True, kw_only=True)
class StepRecord:
    """One step of the scenario, and how long it took on both clocks; `problem` is empty if it completed."""

    key: str
    title: str
    began: float
    ended: float
    wall_seconds: float
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Observations:
    """All observations; those that have a default are the demo's alone.

    Attributes:
        speed: simulated seconds in one wall second.
        seed: of the simulation.
        provision_limit: `maxNodeProvisionTime` of the cluster's autoscaler profile, seconds.
        planned: URNs of the plan.
        made: URNs that the engine had after the first `up`.
        first_up, second_up: the engine's sums, op to number of resources.
        batch, gpu: workload labels of the lanes in the scenario, empty where the stack has none.
        journal: events of the kinds in `kubeflow_aks.events`; `time` is counted from the scenario's start.
        where: the kind of cluster.
        left_out: why a step or check was left out, by its key.
    """

    stack: str
    speed: float = 1.0
    seed: int = 0
    provision_limit: float = 0.0
    planned: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    first_up: Mapping[str, int] = field(default_factory=dict[str, int])
    second_up: Mapping[str, int] = field(default_factory=dict[str, int])
    batch: str
    gpu: str
    ended: float
    pools: tuple[ContractPool, ...]
    pods: tuple[PodRecord, ...]
    nodes: tuple[NodeRecord, ...]
    jobs: tuple[JobRecord, ...]
    runs: tuple[RunRecord, ...] = ()
    refusal: Refusal | None
    steps: tuple[StepRecord, ...]
    journal: tuple[Mapping[str, Any], ...]
    where: str
    left_out: Mapping[str, str]

    @property
    def simulated(self) -> bool:
        """Whether its times are of a simulated clock."""
        return self.where == Where.SIMULATION

    def pool(self, name: str) -> ContractPool | None:
        """The pool of that name."""
        return next((pool for pool in self.pools if pool.name == name), None)

    def of(self, part: str) -> list[PodRecord]:
        """The pods that play a part."""
        return [pod for pod in self.pods if pod.part == part]

    def lines(self, *kinds: str) -> list[Mapping[str, Any]]:
        """The journal's lines of some kinds."""
        return [line for line in self.journal if line["kind"] in kinds]


def to_json(observations: Observations) -> str:
    """The observations as JSON text."""
    return json.dumps(asdict(observations), indent=1, ensure_ascii=False)


def from_json(text: str) -> Observations:
    """What `to_json` wrote."""
    return TypeAdapter(Observations).validate_json(text)
