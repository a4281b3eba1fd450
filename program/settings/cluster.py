"""Settings of the control plane: version and upgrades, access to the API server, autoscaler, registry."""

from components.arguments.declaration import arguments_of
from components.cluster.aks_cluster_args import (
    ApiAccessSpec,
    AutoscalerSpec,
    KubernetesSpec,
    MaintenanceSpec,
    SshSpec,
)
from components.registry.container_registry_args import ContainerRegistryArgs
from program.settings._model import setting, setting_of, settings_of


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
        arguments_of(SshSpec)["admin_username"],
        pattern=r"^[A-Za-z][-A-Za-z0-9_]*$",
        form="letters, digits, hyphens and underscores, a letter first",
    )
    """Name of the admin user on every node; none of the common ones that Azure refuses, like admin."""


class Registry(settings_of(ContainerRegistryArgs)):
    """The container registry the nodes pull from: a new one, or one that exists."""

    authorized_ip_ranges: tuple[str, ...] = setting_of(
        arguments_of(ContainerRegistryArgs)["authorized_ip_ranges"]
    )
    """Public address ranges that may use a Premium registry; the NAT gateway's is added. Empty means all."""


class Autoscaler(settings_of(AutoscalerSpec)):
    """The cluster autoscaler's profile; one for all pools. The expander is always `priority`."""
