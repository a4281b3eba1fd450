"""One stack's plan: every rule checked, every name and pool decided, before anything is created."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from planning.contract import PoolContract, pool_contract
from planning.expander import priorities
from planning.names import Names, names
from planning.pools import AgentPool, agent_pools
from planning.rules import problems, warnings
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
        problems(reading, project=project, stack_name=stack, today=today) for reading in parsed.readings
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
        warnings=tuple(_in_all(warnings(reading, today=today) for reading in parsed.readings)),
    )


def _in_all(findings: Iterable[Iterable[_Finding]]) -> list[_Finding]:
    """What every reading of the settings leads to; the rest would be about what stands in for unreadable values."""
    first, *others = map(list, findings)
    return [finding for finding in first if all(finding in other for other in others)]


def _concerns(key: str, left_out: frozenset[str]) -> bool:
    """Whether a setting, or something around it, could not be read, or any pool where the rule is about all."""
    about_all = key == "pools" and any(other.startswith("pools.") for other in left_out)
    return about_all or any(key == other or key.startswith((f"{other}.", f"{other}[")) for other in left_out)
