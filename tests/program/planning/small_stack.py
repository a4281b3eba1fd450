"""What the planning tests start from: a small valid stack, and the parts of it a test is about."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from components.arguments.mistakes import Mistake
from program.planning import AgentPool, Plan, plan
from program.planning.rules.pools import Candidate, candidates
from program.settings import Settings, parse

TODAY = date(2026, 11, 20)
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
GENERAL: Mapping[str, Any] = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3}
SPOT: Mapping[str, Any] = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 10}
GPU_SPOT: Mapping[str, Any] = {"vmSize": "Standard_NC4as_T4_v3", "priority": "Spot", "maxCount": 4}


def stack(**keys: Any) -> dict[str, Any]:
    """The values of a stack file: the required tags, and these keys."""
    return {"tags": {"owner": "ml", "environment": "dev"}, **keys}


def settings(**keys: Any) -> Settings:
    """The settings of such a stack, which must have no mistake of form."""
    return parse(stack(**keys))


def candidate(name: str, pool: Mapping[str, Any], **fields: Any) -> Candidate:
    """One user pool as the rules see it."""
    [one] = candidates(settings(pools={name: {**pool, **fields}}))
    return one


def planned(**keys: Any) -> Plan:
    """The plan of such a stack."""
    return plan(stack(**keys), project="kubeflow-aks", stack="dev", today=TODAY)


def planned_pool(name: str, pool: Mapping[str, Any], **fields: Any) -> AgentPool:
    """One pool of a plan that has it beside the pool for Charmed Kubeflow; a fallback is found by its own name."""
    spot_name = name.removesuffix("od") + "spot" if name.endswith("od") else name
    pools = planned(pools={"general": GENERAL, spot_name: {**pool, **fields}}).pools
    return next(one for one in pools if one.name == name)


def refused(problems: Iterable[Mistake]) -> list[str]:
    """The settings that problems are about."""
    return [problem.key for problem in problems]
