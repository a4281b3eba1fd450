"""Every rule of a stack, one module for each subject; a rule names the document it comes from.

A problem keeps the stack from being planned, a warning does not.
"""

from collections.abc import Callable, Iterator
from datetime import date
from functools import cache, partial
from typing import Final

from components.arguments.mistakes import Mistake
from components.cluster.tiers import cost_analysis_mistakes, long_term_support_mistakes
from components.kubeflow.storage_classes import class_name_mistakes
from components.pools.labels_and_taints import repeated_taint_mistakes
from program.planning.pools import agent_pools
from program.planning.rules import (
    access,
    cost,
    data,
    days,
    disks,
    fallbacks,
    gpus,
    headroom,
    kubeflow_options,
    labels,
    location,
    monitoring,
    moves,
    names,
    network,
    office_hours,
    pools,
    prices,
    production,
    registry,
    reservations,
    resource_names,
    several_sizes,
    size_warnings,
    sizes,
    stack,
    tags,
    tiers,
    upgrades,
    versions,
    workload,
)
from program.planning.rules.pools import Candidate, component_problems
from program.settings import Settings
from program.settings.encrypted import judged

_RULES_OF_A_POOL: Final[tuple[Callable[[Candidate], Iterator[Mistake]], ...]] = (
    pools.pool_problems,
    fallbacks.fallback_problems,
    labels.label_problems,
    labels.taint_problems,
    lambda pool: component_problems(pool.key, repeated_taint_mistakes(pool.settings.taints)),
    labels.soft_taint_problems,
    labels.workload_label_problems,
    lambda pool: location.zone_problems(pool.stack.location, pool.key, pool.settings.zones),
    reservations.reservation_problems,
    upgrades.node_upgrade_problems,
    gpus.time_slice_problems,
)


def _day(settings: Settings, today: date) -> date:
    return settings.as_of or today


def _once(mistakes: Iterator[Mistake]) -> Iterator[Mistake]:
    """Each mistake once, though every size of a pool has those of the settings that they share."""
    seen: list[Mistake] = []
    for mistake in mistakes:
        if mistake not in seen:
            seen.append(mistake)
            yield mistake


def problems(settings: Settings, *, project: str, stack_name: str, today: date) -> Iterator[Mistake]:
    """Every broken rule of one stack, in the order of a stack file's keys.

    Args:
        settings: the stack's settings.
        project: Pulumi project name.
        stack_name: Pulumi stack name.
        today: the day on which the program runs; `asOf` goes before it where support and retirement are judged.
    """
    day, planned = partial(_day, settings, today), cache(partial(agent_pools, settings))
    yield from judged(
        lambda: names.name_problems(project, stack_name, settings),
        lambda: resource_names.resource_name_problems(project, stack_name, settings),
        lambda: location.location_problems(settings),
        lambda: tags.tag_problems(settings),
        lambda: days.day_problems(settings, today),
        lambda: versions.version_problems(settings, day()),
        lambda: component_problems(
            "kubernetes",
            long_term_support_mistakes(settings.kubernetes.tier, settings.kubernetes.support_plan),
        ),
        lambda: component_problems(
            "kubernetes", cost_analysis_mistakes(settings.kubernetes.tier, settings.kubernetes.cost_analysis)
        ),
        lambda: tiers.tier_problems(settings, planned()),
        lambda: network.network_problems(settings, planned()),
        lambda: network.network_policy_problems(settings),
        lambda: access.access_problems(settings),
        lambda: access.ssh_problems(settings),
        lambda: registry.registry_problems(settings),
        lambda: monitoring.monitoring_problems(settings),
        lambda: sizes.described_size_problems(settings),
        lambda: sizes.size_problems(settings, day()),
        lambda: several_sizes.size_setting_problems(settings),
        lambda: pools.system_pool_problems(settings),
        lambda: _once(
            judged(*(partial(rule, pool) for pool in pools.candidates(settings) for rule in _RULES_OF_A_POOL))
        ),
        lambda: headroom.headroom_problems(settings),
        lambda: stack.stack_problems(settings),
        lambda: location.zone_problems(settings.location, "systemPool", settings.system_pool.zones),
        lambda: disks.disk_problems(settings),
        lambda: upgrades.os_sku_problems(settings.kubernetes),
        lambda: upgrades.together_problems("systemPool.upgrade", settings.system_pool.upgrade, system=True),
        lambda: gpus.driver_problems(settings),
        lambda: class_name_mistakes(
            settings.kubeflow.storage_class.name,
            settings.data.checkpoints.name if settings.data.checkpoints.enabled else None,
            keys=("kubeflow.storageClass.name", "data.checkpoints.name"),
        ),
        lambda: kubeflow_options.option_problems(settings),
        lambda: data.data_problems(settings),
        lambda: moves.move_problems(settings),
        lambda: workload.workload_problems(settings),
        lambda: cost.cost_problems(settings, today),
        lambda: office_hours.office_hour_problems(settings),
    )


def warnings(settings: Settings, *, today: date) -> Iterator[str]:
    """Settings that are allowed but may cost money or work later, in the order of a stack file's keys.

    Args:
        settings: the stack's settings.
        today: as for `problems`.
    """
    day, planned = partial(_day, settings, today), cache(partial(agent_pools, settings))
    yield from judged(
        lambda: location.location_warnings(settings),
        lambda: tags.tag_warnings(settings),
        lambda: production.production_warnings(settings),
        lambda: days.day_warnings(settings, today),
        lambda: versions.version_warnings(settings, day()),
        lambda: upgrades.upgrade_warnings(settings, day()),
        lambda: size_warnings.size_warnings(settings, day()),
        lambda: several_sizes.size_difference_warnings(settings),
        lambda: size_warnings.encryption_warnings(planned()),
        lambda: size_warnings.architecture_warnings(planned()),
        lambda: tiers.tier_warnings(settings, planned()),
        lambda: network.network_warnings(settings),
        lambda: network.network_policy_warnings(settings),
        lambda: access.access_warnings(settings),
        lambda: access.ssh_warnings(settings),
        lambda: registry.registry_warnings(settings),
        lambda: monitoring.monitoring_warnings(settings),
        lambda: stack.autoscaler_warnings(settings),
        lambda: stack.system_warnings(settings),
        lambda: stack.eviction_warnings(planned()),
        lambda: prices.price_warnings(settings.location, planned()),
        lambda: prices.saving_warnings(settings, planned()),
        lambda: fallbacks.fallback_warnings(settings),
        lambda: disks.disk_warnings(settings, planned()),
        lambda: reservations.reservation_warnings(planned()),
        lambda: gpus.gpu_warnings(settings, planned()),
        lambda: kubeflow_options.option_warnings(settings),
        lambda: stack.advisory_warnings(settings, planned()),
        lambda: data.data_warnings(settings),
        lambda: moves.move_warnings(settings, planned()),
        lambda: workload.workload_warnings(settings),
        lambda: cost.cost_warnings(settings),
        lambda: office_hours.office_hour_warnings(settings),
    )
