"""Puts the VM sizes of a stack's spot pools in the order of Azure's placement score, in the stack file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from kubeflow_aks.clients.az import Az
from kubeflow_aks.clients.spot_placement import Desired, PlacementScore, placement_scores
from kubeflow_aks.exit_codes import ExitCode, UsageError
from kubeflow_aks.json_values import at, is_mapping, text, texts, whole
from kubeflow_aks.recorder.stack_settings import StackFile, stack_file, write_settings

_SCORES: Final = ("High", "Medium", "Low")
"""Best first; what Azure returns in place of a score comes last."""


@dataclass(frozen=True)
class _SpotPool:
    """A spot pool of several VM sizes, and its most nodes of each."""

    name: str
    sizes: Sequence[str]
    most: int


def order(stack: str, root: Path, az: Az, today: date, *, write: bool) -> ExitCode:
    """Prints the sizes of each spot pool that has several, best score first, and may write that order.

    Sizes of the same score stay in the order in which they are. A fallback is left alone: the score is for spot VMs.

    Returns:
        FINDING where the order of a pool is another, and is not written.

    Raises:
        UsageError: the stack has no spot pool of several sizes, or no location.
        AzError: Azure returned no scores.
        StackFileError: the file can't be read, or its form can't be kept.
    """
    file = stack_file(stack, root)
    pools, region = list(_spot_pools(file)), text(file.get("location"))
    if not pools or not region:
        missing = "a spot pool with several vmSizes" if not pools else "a location"
        raise UsageError(f"--order: {stack} is not allowed; expected a stack whose file has {missing}")
    desired = [Desired(size, pool.most) for pool in pools for size in pool.sizes]
    scores = placement_scores(az, region, desired)
    orders = {pool.name: _best_first(pool, scores) for pool in pools}
    for pool in pools:
        words = (f"{size} ({_words(scores.get(Desired(size, pool.most)))})" for size in orders[pool.name])
        print(f"{pool.name} in {region}, {pool.most} spot VMs at once: {', '.join(words)}")
    if write:
        values = {("pools", name, "vmSizes"): sizes for name, sizes in orders.items()}
        path = write_settings(stack, root, values, f"vmSizes by Azure's placement score of {today}")
        print(f"Written to {path.name}; a preview shows what it changes.")
        return ExitCode.GOOD
    if changed := [pool.name for pool in pools if list(pool.sizes) != orders[pool.name]]:
        print(f"Another order than in the stack file: {', '.join(changed)}. Take it over with --write.")
        return ExitCode.FINDING
    return ExitCode.GOOD


def _spot_pools(file: StackFile) -> Sequence[_SpotPool]:
    pools = file.get("pools")
    return [
        _SpotPool(name, sizes, whole(at(pool, "maxCount")) or 1)
        for name, pool in (pools.items() if is_mapping(pools) else ())
        if at(pool, "priority") == "Spot" and len(sizes := texts(at(pool, "vmSizes"))) > 1
    ]


def _best_first(pool: _SpotPool, scores: Mapping[Desired, PlacementScore]) -> list[str]:
    def rank(size: str) -> int:
        score = scores.get(Desired(size, pool.most))
        return _SCORES.index(score.score) if score and score.score in _SCORES else len(_SCORES)

    return sorted(pool.sizes, key=rank)


def _words(score: PlacementScore | None) -> str:
    return score.words if score else "no score"
