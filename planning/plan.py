"""One stack's plan: every rule checked, every name and pool decided, before anything is created."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from planning import (
    disk_rules,
    fallback_rules,
    gpu_rules,
    label_rules,
    move_rules,
    pool_rules,
    stack_rules,
    zone_rules,
)
from planning.access_rules import access_problems, access_warnings
from planning.arm_ids import REGISTRY, arm_id_problems
from planning.contract import PoolContract, pool_contract
from planning.data_rules import data_problems, data_warnings
from planning.day_rules import day_problems, day_warnings
from planning.expander import priorities
from planning.location_rules import location_problems, location_warnings
from planning.name_rules import name_problems
from planning.names import Names, names
from planning.network_rules import network_problems, network_warnings
from planning.pools import AgentPool, agent_pools
from planning.price_rules import price_warnings
from planning.production_rules import production_warnings
from planning.size_rules import size_problems
from planning.size_warnings import architecture_warnings, size_warnings
from planning.sizes import own_size_problems
from planning.ssh_rules import ssh_problems, ssh_warnings
from planning.storage_rules import storage_problems
from planning.tag_rules import tag_problems, tag_warnings
from planning.tier_rules import tier_problems, tier_warnings
from planning.upgrade_rules import upgrade_warnings
from planning.version_rules import version_problems, version_warnings
from settings import Problem, Settings, SettingsError, parse
from settings.parse import with_default_named

_Finding = TypeVar("_Finding", Problem, str)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the components build: one stack, with every name and pool decided."""

    settings: Settings
    names: Names
    pools: tuple[AgentPool, ...]
    """System pool first, each spot pool followed by its fallback."""
    priorities: str
    """Text of the autoscaler's priority map."""
    contract: list[PoolContract]
    warnings: tuple[str, ...]

    @property
    def system_pool(self) -> AgentPool:
        """The pool of AKS's add-ons that is part of the cluster."""
        return self.pools[0]

    @property
    def user_pools(self) -> tuple[AgentPool, ...]:
        """Every pool beside the cluster; while the system pool moves, the new one is among them."""
        return self.pools[1:]


def plan(raw: Mapping[str, Any], *, project: str, stack: str, today: date) -> Plan:
    """Plans one stack.

    Args:
        raw: the stack's configuration, JSON types under the camelCase keys of `settings.Settings`.
        project: Pulumi project name.
        stack: Pulumi stack name.
        today: day for which support and retirement dates are checked, unless the stack sets `asOf`.

    Raises:
        SettingsError: a setting is wrong; lists every mistake of form and every broken rule.
    """
    parsed = parse(raw)
    settings = parsed.settings
    broken = _in_all(
        problems(reading, project=project, stack=stack, today=today) for reading in parsed.readings
    )
    judged = [problem for problem in broken if not _concerns(problem.key, parsed.left_out)]
    if found := [*parsed.problems, *(with_default_named(problem, raw) for problem in judged)]:
        raise SettingsError(found)
    pools = agent_pools(settings)
    return Plan(
        settings=settings,
        names=names(project, stack),
        pools=pools,
        priorities=priorities(pools),
        contract=pool_contract(pools),
        warnings=tuple(
            _in_all(warnings(reading, agent_pools(reading), today=today) for reading in parsed.readings)
        ),
    )


def _in_all(findings: Iterable[Iterable[_Finding]]) -> list[_Finding]:
    """What every reading of the settings leads to; the rest would be about what stands in for unreadable values."""
    first, *others = map(list, findings)
    return [finding for finding in first if all(finding in other for other in others)]


def _concerns(key: str, left_out: frozenset[str]) -> bool:
    """Whether a setting, or something around it, could not be read, or any pool where the rule is about all."""
    about_all = key == "pools" and any(other.startswith("pools.") for other in left_out)
    return about_all or any(key == other or key.startswith((f"{other}.", f"{other}[")) for other in left_out)


def problems(settings: Settings, *, project: str, stack: str, today: date) -> Iterator[Problem]:
    """Every broken rule of one stack, in the order of a stack file's keys."""
    pools, day = agent_pools(settings), settings.as_of or today
    yield from name_problems(project, stack, settings)
    yield from location_problems(settings)
    yield from tag_problems(settings)
    yield from day_problems(settings, today)
    yield from version_problems(settings, day)
    yield from tier_problems(settings, pools)
    yield from network_problems(settings, pools)
    yield from access_problems(settings)
    yield from ssh_problems(settings)
    if settings.registry.attach is not None:
        yield from arm_id_problems("registry.attach", settings.registry.attach, REGISTRY)
    yield from own_size_problems(settings)
    yield from size_problems(settings, day)
    yield from pool_rules.system_pool_problems(settings)
    for pool in pool_rules.candidates(settings):
        yield from pool_rules.pool_problems(pool)
        yield from fallback_rules.fallback_problems(pool)
        yield from label_rules.label_problems(pool)
        yield from label_rules.taint_problems(pool)
        yield from label_rules.repeated_taint_problems(pool)
        yield from label_rules.soft_taint_problems(pool)
        yield from label_rules.workload_label_problems(pool)
    yield from stack_rules.stack_problems(settings)
    yield from zone_rules.zone_problems(settings)
    yield from disk_rules.disk_problems(settings)
    yield from gpu_rules.driver_problems(settings)
    yield from storage_problems(settings)
    yield from data_problems(settings)
    yield from move_rules.move_problems(settings)


def warnings(settings: Settings, pools: tuple[AgentPool, ...], *, today: date) -> Iterator[str]:
    """What is allowed but costs money, work or a surprise later, in the order of a stack file's keys."""
    day = settings.as_of or today
    yield from location_warnings(settings)
    yield from tag_warnings(settings)
    yield from production_warnings(settings)
    yield from day_warnings(settings, today)
    yield from version_warnings(settings, day)
    yield from upgrade_warnings(settings, day)
    yield from size_warnings(settings, day)
    yield from architecture_warnings(pools)
    yield from tier_warnings(settings, pools)
    yield from network_warnings(settings)
    yield from access_warnings(settings)
    yield from ssh_warnings(settings)
    yield from stack_rules.system_warnings(settings)
    yield from stack_rules.eviction_warnings(pools)
    yield from price_warnings(settings.location, pools)
    yield from fallback_rules.fallback_warnings(settings)
    yield from disk_rules.disk_warnings(settings, pools)
    yield from gpu_rules.gpu_warnings(settings, pools)
    yield from data_warnings(settings)
    yield from move_rules.move_warnings(settings, pools)
