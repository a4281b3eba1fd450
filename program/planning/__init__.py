"""Pure planning: settings in, one plan out. Never imports pulumi, so that every rule is tested without an engine."""

from program.planning.plan import Plan, plan
from program.planning.pools import AgentPool, Purpose

__all__ = ["AgentPool", "Plan", "Purpose", "plan"]
