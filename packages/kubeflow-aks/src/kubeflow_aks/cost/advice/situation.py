"""What advice starts from: a stack file, what the program makes of it, and what that costs."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kubeflow_aks.clients.spot_placement import Desired
from kubeflow_aks.cost import basis as basis_of
from kubeflow_aks.cost.basis import Basis, Work
from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.figures import CostError, Offer, Range
from kubeflow_aks.cost.reading import Cluster, Pool, read_cluster
from kubeflow_aks.cost.stack import Resource, Stack
from kubeflow_aks.recorder.stack_settings import StackFile

BillOf = Callable[[Stack], Bill]
OffersOf = Callable[[str, str], tuple[Offer, ...]]
"""Reservations and savings plans for a VM size in a region."""
_CLUSTER = "azure-native:containerservice:ManagedCluster"


@dataclass(frozen=True)
class Situation:
    """One state of a stack, with what the program warns of."""

    file: StackFile
    stack: Stack
    bill: Bill
    warnings: Sequence[str]
    bill_of: BillOf
    offers: OffersOf = lambda _size, _region: ()

    @property
    def amount(self) -> Range:
        """The whole bill of a month."""
        return self.bill.amount()

    @cached_property
    def cluster(self) -> Cluster:
        """The stack's resources that cost money."""
        return read_cluster(self.stack)

    @cached_property
    def basis(self) -> Basis:
        """The stack's settings for work and prices."""
        return basis_of.read(self.stack.outputs)

    @property
    def assumed(self) -> bool:
        """Whether the work is the blog's, because the stack has none."""
        return any(work.assumed for work in self.bill.work)

    @property
    def work(self) -> Mapping[str, Work]:
        """Each kind of work, the blog's where the stack has none."""
        if not self.assumed:
            return self.basis.workload
        return basis_of.blog_profile(self.bill.work[0].pool)

    @property
    def own_pools(self) -> Mapping[str, Pool]:
        """Pools of the setting `pools`: neither the system pool nor fallbacks."""
        configured: Mapping[str, Any] = self.file.get("pools") or {}
        return {name: pool for name, pool in self.cluster.pools.items() if name in configured}

    @property
    def kubernetes_version(self) -> str:
        """Minor of the cluster, `1.34`; empty where AKS chooses it."""
        versions = (it.inputs.get("kubernetesVersion") for it in self.stack.resources if it.type == _CLUSTER)
        return ".".join(str(next(versions, None) or "").split(".")[:2])

    @property
    def quota(self) -> Mapping[str, int]:
        """The vCPU that it needs with every pool full, by quota; empty where the program exports none."""
        quota: Mapping[str, Any] = self.stack.outputs.get("vcpuQuota") or {}
        return {name: int(count) for name, count in quota.items()}

    @property
    def spot_vms(self) -> tuple[Desired, ...]:
        """Every spot pool with all its nodes."""
        pools = self.cluster.pools.values()
        return tuple(dict.fromkeys(Desired(it.size, it.maximum) for it in pools if it.spot and it.maximum))

    def cheapest(self, guesses: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str | None:
        """The name of the inputs that make the lowest bill, without running the program: a guess to choose by.

        The inputs are by the name of an agent pool, those of the cluster itself under the empty name. A bill that rests
        on other assumptions comes last.

        Returns:
            None where none is lower than now, as far as the prices are known.
        """
        bills: dict[str, Bill] = {}
        for name, inputs in guesses.items():
            with suppress(CostError):
                bills[name] = self.bill_of(_with(self.stack, inputs))
        lower = {name: it for name, it in bills.items() if it.amount().expected < self.amount.expected}
        return min(
            lower,
            key=lambda name: (bool(incomparable(self.bill, lower[name])), lower[name].amount().expected),
            default=None,
        )


def incomparable(before: Bill, after: Bill) -> str:
    """Why two bills say nothing about each other: a spot price or rate is assumed, on another basis than in the other.

    Returns:
        empty where they do.
    """
    was, now = _assumptions(before), _assumptions(after)
    for pool in was.keys() & now.keys():
        if was[pool] != now[pool]:
            there, here = (
                " and ".join(sorted(one - other)) or "what is quoted"
                for one, other in ((now[pool], was[pool]), (was[pool], now[pool]))
            )
            return (
                f"for {pool} it rests on {there}, the bill now on {here}, which can't be compared; sign in with `az`, "
                "or set `cost.prices`"
            )
    return ""


def _assumptions(bill: Bill) -> Mapping[str, frozenset[str]]:
    """What is assumed of each spot pool."""
    return {
        line.pool: frozenset(
            source.name
            for source in (bill.rates[line.pool].source, *(quote.source for quote in line.quotes))
            if source.assumed
        )
        for line in bill.lines
        if line.pool in bill.rates and line.hourly
    }


def _with(stack: Stack, inputs: Mapping[str, Mapping[str, Any]]) -> Stack:
    def changed(resource: Resource) -> Resource:
        replaced = inputs.get(str(resource.inputs.get("agentPoolName", "")), {})
        if resource.type != _CLUSTER:
            return replace(resource, inputs={**resource.inputs, **replaced}) if replaced else resource
        profiles = [
            {**profile, **inputs.get(profile.get("name", ""), {})}
            for profile in resource.inputs.get("agentPoolProfiles", [])
        ]
        return replace(
            resource, inputs={**resource.inputs, **inputs.get("", {}), "agentPoolProfiles": profiles}
        )

    return replace(stack, resources=tuple(map(changed, stack.resources)))
