"""Finds where a pod contradicts the pools that it is placed on."""

from collections.abc import Iterator, Sequence
from typing import Final

from ckf_spot.agent_pool import POOL_LABEL, WORKLOAD_LABEL, AgentPool
from ckf_spot.errors import ABSENT, Mistake
from ckf_spot.fields import Object, map_at
from ckf_spot.placement import Placement
from ckf_spot.pods import fit
from ckf_spot.pods.fit import NotJudged, Obstacle

_HELD_ELSEWHERE: Final = ("nodeName", "resourceClaims")
"""What is refused anyway, and what `gpu_limits` names."""


def problems(
    spec: Object, placement: Placement, where: str, labels: Object | None = None
) -> Iterator[Mistake]:
    """Where a pod can run on none of the pools, or not on all that the placement promises.

    What is not judged, such as another cloud's label, is a mistake that is not certain.

    Args:
        spec: a well-formed pod's spec, or the part of one that chooses nodes.
        placement: where the pod is to run.
        where: the spec's path, for messages.
        labels: the pod's own; None: not known.
    """
    placed = {**spec, "tolerations": placement.tolerations}
    judged = {pool.name: fit.judged(placed, pool, labels, devices=False) for pool in placement.pools}
    against = {
        name: {one.path: one for one in results if isinstance(one, Obstacle)}
        for name, results in judged.items()
    }
    reached = [pool for pool in placement.pools if not against[pool.name]]
    if not reached:
        yield from _contradictions(list(against.values()), f"the pools {', '.join(against)}", where)
    elif placement.preferred:
        yield from _half_problems(reached, placement, where, against)
    if spec.get("nodeName") is not None:
        yield Mistake(
            f"{where}.nodeName",
            spec["nodeName"],
            "leave it out",
            "bypasses the scheduler and with it the pools",
        )
    pools = reached or placement.pools
    lines = (
        one.mistake(where, pools)
        for pool in pools
        for one in judged[pool.name]
        if isinstance(one, NotJudged) and one.path not in _HELD_ELSEWHERE
    )
    yield from {str(line): line for line in lines}.values()


def crowding(template: Object, placement: Placement, where: str, count: int) -> Iterator[Mistake]:
    """What lets only some of a template's pods run at a time; a mistake that is not certain, as they may take turns.

    Args:
        template: well-formed.
        placement: where the pods are to run.
        where: the template's path, for messages.
        count: how many run at a time otherwise.
    """
    labels, names = map_at(template, "metadata", "labels"), ", ".join(pool.name for pool in placement.pools)
    for path, most in fit.crowding(map_at(template, "spec"), labels, placement.pools, count):
        problem = f"lets {most} of {count} pods run at a time on {names}"
        advice = "work that needs all of them waits for ever"
        yield Mistake(f"{where}.spec.{path}", ABSENT, advice, problem, certain=False)


def names_pools(spec: Object) -> bool:
    """Whether a pod's spec requires nodes by their pool or workload, as placing does."""
    names = {POOL_LABEL, WORKLOAD_LABEL}
    terms = fit.required_terms(spec)
    return not names.isdisjoint(map_at(spec, "nodeSelector")) or bool(
        terms and all(any(requirement.key in names for requirement in term) for term in terms)
    )


def _contradictions(against: Sequence[dict[str, Obstacle]], pools: str, where: str) -> Iterator[Mistake]:
    """What no pool takes, or else what no pool takes together."""
    common = [path for path in against[0] if all(path in obstacles for obstacles in against)]
    for path in common:
        allowed = dict.fromkeys(filter(None, (obstacles[path].allowed for obstacles in against)))
        first = against[0][path]
        what = f"{first.what} " if first.value is ABSENT else ""
        expected = f"expected {', '.join(allowed) or 'to leave it out'}"
        yield Mistake(f"{where}.{path}", first.value, expected, f"{what}contradicts {pools}")
    if not common:
        paths = dict.fromkeys(path for obstacles in against for path in obstacles)
        together = f"{' and '.join(paths)} together contradict {pools}"
        yield Mistake(where, ABSENT, "leave out one of them", together)


def _half_problems(
    reached: Sequence[AgentPool],
    placement: Placement,
    where: str,
    against: dict[str, dict[str, Obstacle]],
) -> Iterator[Mistake]:
    """Where a pod has spot pools without their fallbacks, or the reverse, though both are required."""
    for spot, what, request in ((False, "on-demand", "spot"), (True, "spot", "on-demand")):
        offered = [pool.name for pool in placement.pools if pool.spot == spot]
        if offered and not any(pool.spot == spot for pool in reached):
            paths = dict.fromkeys(path for name in offered for path in against[name])
            several = len(paths) > 1
            only, never = ", ".join(pool.name for pool in reached), ", ".join(offered)
            yield Mistake(
                where,
                ABSENT,
                f"leave {'them' if several else 'it'} out, or ask for require={request!r}",
                f"its own {' and '.join(paths)} allow{'' if several else 's'} only {only}, and so never {never}, the "
                f"{what} nodes that prefer='spot' asks for too",
            )
