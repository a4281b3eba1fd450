"""The upgrade settings of an on-demand pool, as AKS takes them, and their rules."""

from collections.abc import Iterator

from pulumi_azure_native import containerservice as aks

from ..arguments.checked import Rule, rule
from ..arguments.inputs import when_known
from . import node_upgrades
from .pool_specs import UpgradeSpec


def upgrade_settings(upgrade: UpgradeSpec) -> aks.AgentPoolUpgradeSettingsArgs:
    """What is given, and a surge. What is left out is not sent: AKS has its own default, or keeps what a pool has."""
    most, unavailable = upgrade.get("max_surge"), upgrade.get("max_unavailable")
    return aks.AgentPoolUpgradeSettingsArgs(
        max_surge=when_known(node_upgrades.surge, most, unavailable),
        max_unavailable=unavailable,
        drain_timeout_in_minutes=upgrade.get("drain_timeout_minutes"),
        node_soak_duration_in_minutes=upgrade.get("node_soak_minutes"),
        undrainable_node_behavior=upgrade.get("undrainable_node_behavior"),
    )


def upgrade_rules(upgrade: UpgradeSpec, *, system: bool) -> Iterator[Rule]:
    """Every rule of these arguments."""
    most, unavailable = upgrade.get("max_surge"), upgrade.get("max_unavailable")
    behavior = upgrade.get("undrainable_node_behavior")
    yield rule(node_upgrades.together_mistakes, most, unavailable, behavior, system=system)
