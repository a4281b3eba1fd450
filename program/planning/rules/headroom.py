"""Rules of headroom: nodes of a spot pool that are kept warm for work to come."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.kubeflow.headroom_checks import headroom_mistakes, return_mistakes
from program.planning.pools import by_size
from program.planning.rules.office_hours import hour_problems
from program.settings import Settings


def headroom_problems(settings: Settings) -> Iterator[Mistake]:
    """Every broken rule of headroom."""
    for name, pool in settings.pools.items():
        warm, key = pool.headroom, f"pools.{name}.headroom"
        if warm is None:
            continue
        yield from headroom_mistakes(
            key,
            warm.nodes,
            warm.images,
            spot=pool.spot,
            most=pool.max_count * len(by_size(name, pool)),
            time_slices=pool.gpu_time_slices,
        )
        returns = settings.kubeflow.return_to_spot and pool.fallback is not None
        yield from return_mistakes(key, warm.nodes, returns=returns)
        if pool.min_count:
            yield Mistake(
                f"pools.{name}.minCount",
                pool.min_count,
                "0 beside headroom, which keeps nodes as well, also while all others have work",
            )
        if warm.hours and settings.office_hours:
            yield Mistake(
                f"{key}.hours",
                f"{warm.hours.opens} to {warm.hours.closes}",
                "no value beside officeHours, outside which the cluster is stopped",
            )
        elif warm.hours:
            yield from hour_problems(f"{key}.hours", warm.hours)
