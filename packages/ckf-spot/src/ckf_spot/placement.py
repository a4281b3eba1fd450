"""Where a pod may run: tolerations and affinity, which every kind of work expresses in its own form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ckf_spot.agent_pool import POOL_LABEL, SPOT_LABEL, AgentPool
from ckf_spot.errors import ABSENT, not_one_of, refusal, refuse

Capacity = Literal["spot", "on-demand"]
"""`spot`: nodes that Azure may take back at any moment; `on-demand`: nodes that stay."""

Preference = Literal["spot"]
"""What can be preferred: on-demand nodes are there whenever they are required, so they can only be required."""

REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
"""Fields of a pod's node affinity."""
_CAPACITIES: Final = ("spot", "on-demand")
_WEIGHT: Final = 100
"""The scheduler's largest (Kubernetes NodeAffinity: 1–100)."""


@dataclass(frozen=True)
class Expression:
    """A requirement on a node's label.

    Attributes:
        operator: `In` or `DoesNotExist`.
        values: for `In`.
    """

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As Kubernetes takes it: `{key, operator, values}`."""
        return {"key": self.key, "operator": self.operator} | (
            {"values": list(self.values)} if self.values else {}
        )


_ON_SPOT: Final = Expression(SPOT_LABEL, "In", ("spot",))
_ON_DEMAND: Final = Expression(SPOT_LABEL, "DoesNotExist")


@dataclass(frozen=True)
class Placement:
    """Tolerations and node affinity of a pod.

    Attributes:
        pools: every pool it may run on.
        required: requirements on the node's labels, all of them (one term: Kubernetes ORs terms).
        preferred: a request of weight 100, or none.
    """

    pools: tuple[AgentPool, ...]
    required: tuple[Expression, ...]
    preferred: tuple[Expression, ...]

    @property
    def spot(self) -> bool:
        """Whether a pod may run on a spot node."""
        return any(pool.spot for pool in self.pools)

    @property
    def gpus(self) -> int:
        """Amount of `nvidia.com/gpu` that every node it may run on has; 0 where one has none."""
        return min(pool.gpus for pool in self.pools)

    @property
    def tolerations(self) -> list[dict[str, str]]:
        """Tolerations of every taint of the pools, once each, as Kubernetes takes them.

        By key and effect whatever the value: AKS's plugin ExtendedResourceToleration adds one for GPUs in that form,
        and PodTolerationRestriction then drops the narrower of the two at every update, which the API server refuses.
        """
        taints = dict.fromkeys((taint.key, taint.effect) for pool in self.pools for taint in pool.taints)
        return [{"key": key, "operator": "Exists", "effect": effect} for key, effect in taints]

    @property
    def node_affinity(self) -> dict[str, Any]:
        """`spec.affinity.nodeAffinity` of the pod."""
        affinity: dict[str, Any] = {
            REQUIRED: {
                "nodeSelectorTerms": [
                    {"matchExpressions": [expression.as_dict() for expression in self.required]}
                ]
            }
        }
        if self.preferred:
            affinity[PREFERRED] = [
                {
                    "weight": _WEIGHT,
                    "preference": {
                        "matchExpressions": [expression.as_dict() for expression in self.preferred]
                    },
                }
            ]
        return affinity

    @property
    def node_selector(self) -> dict[str, str]:
        """`spec.nodeSelector` of the pod, for what can't express node affinity; the preference is lost.

        The autoscaler still makes spot nodes first, by the cluster's priority map; but a free on-demand node of the
        same workload is used as readily as a spot one.

        Raises:
            PlacementError: the requirement has no such form.
        """
        if all(len(expression.values) == 1 for expression in self.required):
            return {expression.key: expression.values[0] for expression in self.required}
        if len(self.pools) == 1:
            return {POOL_LABEL: self.pools[0].name}
        names = ", ".join(pool.name for pool in self.pools)
        problem = (
            f"a node selector can name one pool or one workload only, and these are several pools: {names}"
        )
        raise refusal("", ABSENT, "name one of them", problem)

    @property
    def weight(self) -> int:
        """Weight of the preference."""
        return _WEIGHT


def placement(
    name: str,
    selector: Expression,
    pools: Sequence[AgentPool],
    *,
    prefer: Capacity | None,
    require: Capacity | None,
) -> Placement:
    """The placement on some pools.

    Args:
        name: what the user calls them, for messages.
        selector: what selects exactly these pools' nodes.
        pools: spot pools and on-demand ones.
        prefer: `spot`: spot if there is any, on-demand instead. The default where `require` is left out.
        require: `spot`: nothing but spot, however long that takes; `on-demand`: nothing but on-demand.

    Raises:
        PlacementError: both are given, a value is not allowed, or there is no such pool.
    """
    check_wish(prefer, require)
    chosen = tuple(pool for pool in pools if require is None or pool.spot == (require == "spot"))
    capacity = require or "spot"
    if not any(pool.spot == (capacity == "spot") for pool in chosen):
        there = ", ".join(f"{pool.name} ({'spot' if pool.spot else 'on-demand'})" for pool in pools)
        argument = f"require={require!r}" if require else "prefer='spot'"
        raise refusal(argument, name, f"its pools: {there}", f"has no {capacity} pool")
    if require == "spot":
        return Placement(chosen, (selector, _ON_SPOT), ())
    if require == "on-demand":
        return Placement(chosen, (selector, _ON_DEMAND), ())
    return Placement(chosen, (selector,), (_ON_SPOT,))


def check_wish(prefer: object, require: object) -> None:
    """Refuses a request that no pools could fulfil.

    Raises:
        PlacementError: a value is not allowed, or both are given.
    """
    wishes = (("prefer", prefer, ("spot",)), ("require", require, _CAPACITIES))
    refuse(not_one_of(*request) for request in wishes if request[1] not in (None, *request[2]))
    if prefer is not None and require is not None:
        problem = f"prefer={prefer!r} and require={require!r} contradict each other"
        raise refusal("", ABSENT, "give one of them", problem)
