"""Rules of how AKS upgrades nodes (docs/facts/aks.md#upgrade-settings-of-pools)."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.pools.node_upgrades import together_mistakes
from program.settings import NodeUpgrade, Settings


def node_upgrade_problems(settings: Settings) -> Iterator[Mistake]:
    """Values that AKS does not take together, and values for nodes that it upgrades in its own way."""
    yield from _together("systemPool.upgrade", settings.system_pool.upgrade, system=True)
    for name, pool in settings.pools.items():
        key, upgrade = f"pools.{name}.upgrade", pool.upgrade
        if pool.spot and pool.fallback is None and upgrade != NodeUpgrade():
            yield Mistake(
                key,
                upgrade.model_dump(by_alias=True, exclude_none=True),
                "no value on a spot pool without a fallback, because AKS upgrades spot pools without surge and drain",
            )
        else:
            yield from _together(key, upgrade, system=pool.replaces == settings.system_pool.name)


def _together(key: str, upgrade: NodeUpgrade, *, system: bool) -> Iterator[Mistake]:
    mistakes = together_mistakes(
        upgrade.max_surge, upgrade.max_unavailable, upgrade.undrainable_node_behavior, system=system
    )
    yield from (mistake.within(key) for mistake in mistakes)
