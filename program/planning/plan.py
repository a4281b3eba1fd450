"""One stack's plan: every rule checked, every name and pool decided, before anything is created."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from program.planning.names import Names, names
from program.planning.pools import AgentPool, agent_pools
from program.planning.rules import problems, warnings
from program.settings import Settings, SettingsError
from program.settings.encrypted import readable
from program.settings.parse import read, with_default_named


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the components build: one stack, with every name and pool decided."""

    settings: Settings
    names: Names
    pools: tuple[AgentPool, ...]
    """System pool first, each spot pool followed by its fallback."""
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
        SettingsError: a setting is wrong; lists every mistake of form, and the broken rules that need no such value.
    """
    reading = read(raw)
    settings = reading.settings
    if settings is None:
        raise SettingsError(reading.mistakes)
    rules_read = readable(settings, reading.unread)
    broken = problems(rules_read, project=project, stack_name=stack, today=today)
    if mistakes := [*reading.mistakes, *(with_default_named(problem, raw) for problem in broken)]:
        raise SettingsError(mistakes)
    return Plan(
        settings=settings,
        names=names(project, stack, settings),
        pools=agent_pools(settings),
        warnings=tuple(dict.fromkeys(warnings(rules_read, today=today))),  # sizes of one pool share some
    )
