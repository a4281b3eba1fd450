"""Settings of the upgrades of an on-demand pool's nodes."""

from typing import Annotated

from pydantic import BeforeValidator

from components.arguments import choices, limits
from program.settings._model import SettingsModel, setting


def _as_text(value: object) -> object:
    """AKS takes text, and YAML makes a number of `2`."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


_Nodes = Annotated[str, BeforeValidator(_as_text)]


class NodeUpgrade(SettingsModel):
    """How AKS upgrades the nodes of an on-demand pool."""

    max_surge: _Nodes | None = setting(
        None,
        about="Nodes that are added before old ones are drained; they count towards the quota. Left out: 1, or 0 with "
        "`maxUnavailable`.",
        unit="nodes, or % of the pool",
        source="upgrade-aks-node-pools-rolling.md",
        **limits.NODES_OR_SHARE,
    )
    max_unavailable: _Nodes | None = setting(
        None,
        about="Nodes that are drained at once without one in their place, for pools whose size is short of quota; not "
        "for a system pool. Left out: none.",
        unit="nodes, or % of the pool",
        source="upgrade-aks-node-pools-rolling.md",
        **limits.NODES_OR_SHARE,
    )
    drain_timeout_minutes: int | None = setting(
        None,
        about="Time after which a node counts as one that does not drain. Left out: unchanged; 30 for a new pool.",
        unit="minutes",
        source="upgrade-aks-node-pools-rolling.md",
        **limits.DRAIN_MINUTES,
    )
    node_soak_minutes: int | None = setting(
        None,
        about="Time between the drain of a node and its upgrade. Left out: unchanged; 0 for a new pool.",
        unit="minutes",
        source="upgrade-aks-node-pools-rolling.md",
        **limits.SOAK_MINUTES,
    )
    undrainable_node_behavior: choices.UndrainableNodeBehavior | None = setting(
        None,
        about="What happens to a node that does not drain: Schedule ends the upgrade, Cordon leaves the node cordoned, "
        "with a surge node in its place, and goes on. Left out: unchanged; Schedule for a new pool.",
        source="docs/facts/aks.md#upgrade-settings-of-pools",
    )
