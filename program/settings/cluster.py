"""Settings of the control plane: version and upgrades, access to the API server, autoscaler, registry, logs, hours."""

from components.arguments.choices import LogCategory, Weekday
from components.cluster.aks_cluster_args import (
    ApiAccessSpec,
    AutoscalerSpec,
    KubernetesSpec,
    MaintenanceSpec,
    SshSpec,
)
from components.monitoring.alerting_args import AlertsSpec
from components.monitoring.monitoring_args import CostExportSpec, MonitoringArgs
from components.registry.container_registry_args import ContainerRegistryArgs
from program.settings._model import SettingsModel, setting, setting_of, settings_of

_TIME = {"pattern": r"^([01][0-9]|2[0-3]):[0-5][0-9]$", "form": "a time of day as HH:MM, like 07:00"}


class MaintenanceWindow(settings_of(MaintenanceSpec)):
    """When AKS may upgrade the cluster and its node images."""


class Kubernetes(settings_of(KubernetesSpec)):
    """Version of Kubernetes, its support plan and its upgrades."""

    accept_unvalidated: bool = setting(False, "docs/decisions/0002-long-term-support-is-the-default.md")
    """Take a minor that this release of Charmed Kubeflow is not validated on, with a warning; a newer one has standard
    support, where the validated ones need long-term support."""
    maintenance: MaintenanceWindow = setting(MaintenanceWindow(), "planned-maintenance.md")
    """When both kinds of upgrade may run."""


class ApiAccess(settings_of(ApiAccessSpec)):
    """Who can reach the API server, and how they sign in."""


class Ssh(settings_of(SshSpec)):
    """SSH access to the nodes; leave it out to have none."""

    admin_username: str = setting_of(
        SshSpec,
        "admin_username",
        pattern=r"^[A-Za-z][-A-Za-z0-9_]*$",
        form="letters, digits, hyphens and underscores, a letter first",
    )


class Registry(settings_of(ContainerRegistryArgs)):
    """The container registry the nodes pull from: a new one, or one that exists."""

    authorized_ip_ranges: tuple[str, ...] = setting_of(ContainerRegistryArgs, "authorized_ip_ranges")
    """Public address ranges that may use a Premium registry; the NAT gateway's is added. Empty means all."""


class Autoscaler(settings_of(AutoscalerSpec)):
    """The cluster autoscaler's profile; one for all pools. The expander is always `priority`."""


class CostExport(settings_of(CostExportSpec)):
    """Daily exports of what the stack's resource groups cost, which `./kubeflow-aks cost --actual` reads."""


class Monitoring(settings_of(MonitoringArgs)):
    """The logs of the control plane, the workspace that keeps them, and exports of the cost."""

    logs: tuple[LogCategory, ...] = setting_of(MonitoringArgs, "logs", default=())
    """Logs of the control plane to collect; Azure charges by their size. Empty means none."""
    cost_export: CostExport | None = setting(None, "docs/how-to/see-what-it-costs.md")
    """Daily exports of the cost into a container. Left out: none."""


class Alerts(settings_of(AlertsSpec)):
    """Alerts on what happens to nodes and work, by Azure's managed Prometheus."""


class OfficeHours(SettingsModel):
    """When people work with the stack. A stopped cluster costs no nodes (docs/facts/aks.md#stopping-and-starting)."""

    time_zone: str = setting(..., "our choice", unit="name in the IANA database, like Europe/London")
    """Time zone of the local time."""
    days: tuple[Weekday, ...] = setting(
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"), "our choice"
    )
    """Days of the week on which it runs."""
    opens: str = setting("07:00", "our choice", alias="from", unit="HH:MM", **_TIME)
    """Local time at which it starts."""
    closes: str = setting("19:00", "our choice", alias="to", unit="HH:MM", **_TIME)
    """Local time at which it stops; what runs then is evicted."""
