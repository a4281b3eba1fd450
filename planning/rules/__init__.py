"""Every rule of a stack, one module for each subject; a rule says which document it comes from.

A problem keeps the stack from being planned, a warning does not.
"""

from collections.abc import Iterator
from datetime import date

from planning.pools import AgentPool, agent_pools
from planning.rules import (
    access,
    cost,
    data,
    days,
    disks,
    fallbacks,
    gpus,
    labels,
    location,
    monitoring,
    moves,
    names,
    network,
    network_policy,
    office_hours,
    own_sizes,
    pools,
    prices,
    production,
    registry,
    size_warnings,
    sizes,
    ssh,
    stack,
    storage_classes,
    tags,
    tiers,
    upgrades,
    versions,
    workload,
    zones,
)
from settings import Problem, Settings


def problems(settings: Settings, *, project: str, stack_name: str, today: date) -> Iterator[Problem]:
    """Every broken rule of one stack, in the order of a stack file's keys.

    Args:
        settings: the stack's settings.
        project: Pulumi project name.
        stack_name: Pulumi stack name.
        today: the day on which the program runs; `asOf` goes before it where support and retirement are judged.
    """
    planned, day = agent_pools(settings), settings.as_of or today
    yield from names.name_problems(project, stack_name, settings)
    yield from location.location_problems(settings)
    yield from tags.tag_problems(settings)
    yield from days.day_problems(settings, today)
    yield from versions.version_problems(settings, day)
    yield from tiers.tier_problems(settings, planned)
    yield from network.network_problems(settings, planned)
    yield from network_policy.network_policy_problems(settings)
    yield from access.access_problems(settings)
    yield from ssh.ssh_problems(settings)
    yield from registry.registry_problems(settings)
    yield from monitoring.monitoring_problems(settings)
    yield from own_sizes.own_size_problems(settings)
    yield from sizes.size_problems(settings, day)
    yield from pools.system_pool_problems(settings)
    for pool in pools.candidates(settings):
        yield from pools.pool_problems(pool)
        yield from fallbacks.fallback_problems(pool)
        yield from labels.label_problems(pool)
        yield from labels.taint_problems(pool)
        yield from labels.repeated_taint_problems(pool)
        yield from labels.soft_taint_problems(pool)
        yield from labels.workload_label_problems(pool)
    yield from stack.stack_problems(settings)
    yield from zones.zone_problems(settings)
    yield from disks.disk_problems(settings)
    yield from gpus.driver_problems(settings)
    yield from storage_classes.storage_problems(settings)
    yield from data.data_problems(settings)
    yield from moves.move_problems(settings)
    yield from workload.workload_problems(settings)
    yield from cost.cost_problems(settings, today)
    yield from office_hours.office_hour_problems(settings)


def warnings(settings: Settings, *, today: date) -> Iterator[str]:
    """What is allowed but costs money, work or a surprise later, in the order of a stack file's keys.

    Args:
        settings: the stack's settings.
        today: as for `problems`.
    """
    planned: tuple[AgentPool, ...] = agent_pools(settings)
    day = settings.as_of or today
    yield from location.location_warnings(settings)
    yield from tags.tag_warnings(settings)
    yield from production.production_warnings(settings)
    yield from days.day_warnings(settings, today)
    yield from versions.version_warnings(settings, day)
    yield from upgrades.upgrade_warnings(settings, day)
    yield from size_warnings.size_warnings(settings, day)
    yield from size_warnings.encryption_warnings(planned)
    yield from size_warnings.architecture_warnings(planned)
    yield from tiers.tier_warnings(settings, planned)
    yield from network.network_warnings(settings)
    yield from network_policy.network_policy_warnings(settings)
    yield from access.access_warnings(settings)
    yield from ssh.ssh_warnings(settings)
    yield from registry.registry_warnings(settings)
    yield from monitoring.monitoring_warnings(settings)
    yield from stack.system_warnings(settings)
    yield from stack.eviction_warnings(planned)
    yield from prices.price_warnings(settings.location, planned)
    yield from fallbacks.fallback_warnings(settings)
    yield from disks.disk_warnings(settings, planned)
    yield from gpus.gpu_warnings(settings, planned)
    yield from data.data_warnings(settings)
    yield from moves.move_warnings(settings, planned)
    yield from workload.workload_warnings(settings)
    yield from cost.cost_warnings(settings)
    yield from office_hours.office_hour_warnings(settings)
