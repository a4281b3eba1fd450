"""What a drill will do, and about what it costs: worked out before any request to Azure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import aks_facts
from ckf_spot import ContractError, Pools
from ckf_spot.contract import parse
from kubeflow_aks.cost import basis
from kubeflow_aks.cost.figures import CostError, Quote, Range, total
from kubeflow_aks.cost.formatting import money
from kubeflow_aks.cost.prices import Market
from kubeflow_aks.cost.prices.opening import open_market
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.drill.errors import DrillError
from kubeflow_aks.scenario.contract_pools import (
    WORKLOAD_LABEL,
    ContractPool,
    WorkloadPools,
    pools_for_role,
    spot_pools_of_fallbacks,
)
from kubeflow_aks.scenario.steps import StackFacts
from kubeflow_aks.text.numbers import counted

_BATCH_NODES: Final = 2
_USUAL_MINUTES: Final = 30
"""Life of a node: it boots, works, is taken or is removed by the autoscaler; our guess until it is measured."""

NOT_PLAYED: Final[Mapping[str, str]] = {
    "first-up": "a drill runs no `pulumi up`; `make demo` shows it",
    "second-up": "a drill runs no `pulumi up`; `pulumi preview --expect-no-changes` shows it",
    "sold-out": "nobody can make Azure sell out; `make demo` shows it",
    "spot-again": "nobody can make Azure sell out; `make demo` shows it",
    "argo": "a drill plays Jobs only; `make demo` plays the rest",
    "pipelines": "a drill plays Jobs only; `make demo` plays pipelines and training",
    "all-evicted": "a drill plays Jobs only; `make demo` plays pipelines and training",
    "retried": "a drill plays Jobs only; `make demo` plays pipelines and training",
}
"""Scenes of the demo that no drill has."""


@dataclass(frozen=True)
class Plan:
    """One drill of so many minutes and batch nodes; what is left out, and why, is by the key of a step or a promise."""

    facts: StackFacts
    gpu: bool
    batch_nodes: int
    minutes: int
    left_out: Mapping[str, str]

    @property
    def at_once(self) -> int:
        """The most nodes with the drill's work at one time, but for one that is taken while its successor comes."""
        return self.batch_nodes + self.gpu


def plan(outputs: Outputs, present: Mapping[str, int], *, nodes: int, minutes: int) -> Plan:
    """The drill that a stack and its limits allow: `present` nodes are in each pool now, at most `nodes` are used.

    Raises:
        DrillError: there is nothing to drill.
        StackError: an output is missing.
    """
    entries = outputs.pools()
    try:
        named = Pools(parse(json.dumps(entries), "output poolContract"))
    except ContractError as error:
        raise DrillError(f"{outputs.stack}: {' | '.join(str(error).splitlines())}") from None
    pools = _pools(entries, present)
    lanes = [lane_pools for role in ("cpu", "gpu") if (lane_pools := pools_for_role(pools, role))]
    if not lanes:
        raise DrillError(f"{outputs.stack} has no spot pool, so there is nothing to evict")
    for pool in (pool for lane in lanes for pool in lane.pools):
        if pool.vm_size not in aks_facts.vm_sizes():
            raise DrillError(
                f"{pool.name}: nothing is known of VM size {pool.vm_size}, so no work can be made for it"
            )
    batch, gpu = lanes[0], lanes[1] if len(lanes) > 1 else None
    plays_gpu = gpu is not None and nodes > 1
    guarded = bool(outputs.basis("kubeflow", "guards"))
    left_out = dict(NOT_PLAYED)
    if gpu and not plays_gpu:
        left_out["gpu-on-spot"] = f"the limit of {counted(nodes, 'node')} leaves none for GPU work"
    if not guarded:
        left_out["guard"] = "the stack has switched its guards off (kubeflow.guards)"
    if not outputs.basis("kubeflow", "evictionHandler"):
        left_out["handled"] = "the stack has no eviction handler (kubeflow.evictionHandler: false)"
    for key, lane in (("batch-on-spot", batch), ("gpu-on-spot", gpu)):
        busy = [pool for pool in lane.spot if pool.min_count] if lane else []
        there = [f"{pool.name} has {counted(pool.min_count, 'node')}" for pool in busy]
        if there:
            left_out.setdefault(key, f"{', '.join(there)} already, so from zero can't be shown")
    facts = StackFacts(pools, batch, gpu if plays_gpu else None, guarded, named)
    most = min(_BATCH_NODES, nodes - plays_gpu, batch.fewest)
    return Plan(facts, plays_gpu, most, minutes, left_out)


def sentences(drill: Plan, outputs: Outputs) -> list[str]:
    """What the drill will do, for whoever has to agree to it; one sentence a line."""
    batch, gpu = drill.facts.batch, drill.facts.gpu
    made = [f"{counted(drill.batch_nodes, 'node')} of {_either(batch)}"]
    made += [f"1 of {_either(gpu)}"] if gpu else []
    return [
        f"It has Jobs in a namespace of its own that need {' and '.join(made)}; the autoscaler adds what is missing.",
        f"It has Azure evict 1 spot node of {_either(batch)} with its work; the autoscaler replaces it.",
        f"It ends after {drill.minutes} minutes at the latest and deletes its work.",
        f"Its nodes go when they are unneeded for {outputs.basis('autoscaler', 'scaleDownUnneededTime')}.",
        _cost(drill, outputs),
    ]


def market(outputs: Outputs) -> Market:
    """The prices that the repository and the stack have, without a request to anybody.

    Raises:
        CostError: there are none in the stack's currency.
    """
    settings = basis.read(outputs.values).cost.model_dump(by_alias=True)
    return open_market(settings, offline=True, report=lambda _: None)


def _cost(drill: Plan, outputs: Outputs) -> str:
    """What its nodes cost: each for as long as usual, at most each until the end and on demand."""
    lanes = [(drill.facts.batch, drill.batch_nodes + 1), *([(drill.facts.gpu, 1)] if drill.facts.gpu else [])]
    region = str(outputs.basis("location"))
    try:
        prices = market(outputs)
        usual = total(
            _dearest(prices.spot(pool.vm_size, region) for pool in lane.spot) * (nodes * _USUAL_MINUTES / 60)
            for lane, nodes in lanes
        )
        most = total(
            _dearest(prices.on_demand(pool.vm_size, region) for pool in lane.pools)
            * (nodes * (drill.minutes + _USUAL_MINUTES) / 60)
            for lane, nodes in lanes
        )
    except CostError as error:
        return f"What it costs is not known: {'; '.join(error.problems)}."
    return (
        f"It costs about {money(usual.expected, prices.currency)}, at most about "
        f"{money(most.high, prices.currency)} should spot be sold out (VMs only, prices of the repository)."
    )


def _dearest(quotes: Iterable[Quote]) -> Range:
    return max((quote.price for quote in quotes), key=lambda price: price.expected)


def _pools(entries: Sequence[Mapping[str, Any]], present: Mapping[str, int]) -> tuple[ContractPool, ...]:
    """The contract's pools; the nodes that are there at the beginning are nobody's to wait for."""
    spot_of = spot_pools_of_fallbacks(entries)
    return tuple(
        ContractPool(
            name=entry["name"],
            role=entry["role"],
            spot=entry["priority"] == "Spot",
            vm_size=entry["vmSize"],
            min_count=present.get(entry["name"], 0),
            max_count=entry["maxCount"],
            workload=entry["labels"].get(WORKLOAD_LABEL, ""),
            fallback_for=spot_of.get(entry["name"], ()),
            taints=tuple(entry["taints"]),
        )
        for entry in entries
    )


def _either(lane: WorkloadPools) -> str:
    return " or ".join(pool.name for pool in lane.spot)
