"""Rules of the container registry."""

from collections.abc import Iterator

from planning.rules.arm_ids import REGISTRY, arm_id_problems
from settings import Problem, Settings


def registry_problems(settings: Settings) -> Iterator[Problem]:
    """A registry to attach is named by its ARM id."""
    if settings.registry.attach is not None:
        yield from arm_id_problems("registry.attach", settings.registry.attach, REGISTRY)
