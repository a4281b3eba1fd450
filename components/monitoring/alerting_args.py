"""Arguments of `Alerting`."""

from collections.abc import Sequence
from typing import Annotated, Required, TypedDict

from ..arguments import limits
from ..arguments.declaration import Argument, Input, Texts, TextsByName
from .alert_rules import WatchedPool


class AlertsSpec(TypedDict, total=False):
    """Whom Azure Monitor notifies of what."""

    emails: Annotated[Texts, Argument((), "docs/how-to/alerts.md", unit="mail address")]
    """Whom Azure mails."""
    webhooks: Annotated[Texts, Argument((), "docs/how-to/alerts.md", unit="https URL")]
    """Addresses that Azure posts to, in its common alert schema; each is a secret, because whoever has it can post."""
    fallback_hours: Annotated[Input[int], Argument(6, "our choice", unit="hours", ge=1, le=720)]
    """How long work may run on a fallback until somebody is notified that spot may be sold out."""
    dashboard: Annotated[bool, Argument(False, "docs/how-to/alerts.md#look-at-it")]
    """Whether Azure's portal shows the dashboard of nodes, prices, evictions and waiting pods, which is free."""


class AlertingArgs(AlertsSpec, total=False):
    """Arguments of `Alerting`."""

    resource_group_name: Required[Input[str]]
    """Resource group of everything that is made."""
    location: Required[Input[str]]
    """Azure region; managed Prometheus keeps the metrics there."""
    cluster_id: Required[Input[str]]
    """ARM id of the cluster; it has `managed_prometheus`, and `KubeflowPrerequisites` `managed_prometheus`, too."""
    pools: Required[Sequence[WatchedPool]]
    """The user pools."""
    namespace: str
    """Namespace of our objects in the cluster. Default: kubeflow-aks."""
    eviction_handler: bool
    """Whether the cluster has the eviction handler. Default: true."""
    max_node_provision_time: Annotated[
        str,
        Argument("10m", "docs/facts/aks.md#shortage-and-fallback", unit="whole minutes", **limits.MINUTES),
    ]
    """The autoscaler's: how long a new node may take."""
    scale_down_unready_time: Annotated[
        str, Argument("20m", "managedClusters.json", unit="whole minutes", **limits.MINUTES)
    ]
    """The autoscaler's: how long a node is silent before it is removed."""
    tags: TextsByName
    """Tags of every taggable child."""
