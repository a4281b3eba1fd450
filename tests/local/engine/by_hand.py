"""What people do to Azure past Pulumi."""

from __future__ import annotations

from local_aks.azure.resource_manager import ResourceManager
from local_aks.azure.state import AGENT_POOL
from local_aks.azure.timing import Timing
from local_aks.azure.types import TYPES
from tests.local.engine.deployment import TODAY, Deployment


def upgrade_by_hand(stack: Deployment, pool: str, version: str) -> None:
    """`az aks nodepool upgrade --kubernetes-version`: it puts the pool as it is, with the version."""
    found = stack.pool(pool)
    azure = ResourceManager(stack.azure, Timing(float("inf")), lambda: TODAY)
    azure.wait(azure.put(TYPES[AGENT_POOL], found.id, {**found.inputs, "orchestratorVersion": version}))
