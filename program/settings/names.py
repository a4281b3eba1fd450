"""Settings of the names that resources have in Azure."""

from program.settings._model import SettingsModel, setting

_SOURCE = '"Naming rules and restrictions for Azure resources"'


class SubnetNames(SettingsModel):
    """Names of the subnets of a new network."""

    system: str | None = setting(None, _SOURCE)
    """Subnet of the system pool's nodes."""
    general: str | None = setting(None, _SOURCE)
    """Subnet of the nodes that host Charmed Kubeflow."""
    cpu: str | None = setting(None, _SOURCE)
    """Subnet of the nodes of CPU batch pools."""
    gpu: str | None = setting(None, _SOURCE)
    """Subnet of the nodes of GPU batch pools."""


class Names(SettingsModel):
    """Names in Azure; a change of one replaces its resource. Left out, they begin with project and stack."""

    pattern: str | None = setting(
        None,
        '"Define your naming convention"; docs/how-to/name-resources.md',
        unit="text",
        pattern=r"^([-A-Za-z0-9._]|<(project|stack|location)>)*<type>([-A-Za-z0-9._]|<(project|stack|location)>)*$",
        form=(
            "letters, digits, hyphens, underscores and periods around <type>, with <project>, <stack> or <location> "
            "where you like, for instance <type>-ml-<stack>-weu-001"
        ),
    )
    """Rule of every name that is not given below. <type> is the resource's abbreviation in the Cloud Adoption
    Framework, with its part where a stack has several (`id-aks`); <project>, <stack> and <location> may be in it. The
    names of registry and storage account are without hyphens, underscores and periods, and without the random end that
    they have otherwise."""
    resource_group: str | None = setting(None, _SOURCE)
    """Name of a new resource group."""
    node_resource_group: str | None = setting(None, "faq.yml: up to 80 characters")
    """Name of the group that AKS makes for the nodes."""
    cluster: str | None = setting(None, _SOURCE)
    """Name of the cluster."""
    dns_prefix: str | None = setting(None, "managedClusters.json, dnsPrefix")
    """Start of the API server's public name. Left out: the cluster's name."""
    identity: str | None = setting(None, _SOURCE)
    """Name of the cluster's identity."""
    virtual_network: str | None = setting(None, _SOURCE)
    """Name of a new virtual network."""
    subnets: SubnetNames = setting(SubnetNames(), _SOURCE)
    """Names of the subnets of a new network."""
    nat_gateway: str | None = setting(None, _SOURCE)
    """Name of a new NAT gateway."""
    outbound_address: str | None = setting(None, _SOURCE)
    """Name of the NAT gateway's public address."""
    ingress_address: str | None = setting(None, _SOURCE)
    """Name of the ingress's public address."""
    registry: str | None = setting(None, _SOURCE)
    """Name of a new container registry, unique in all of Azure."""
    storage_account: str | None = setting(None, _SOURCE)
    """Name of the data store's account, unique in all of Azure."""
    log_workspace: str | None = setting(None, _SOURCE)
    """Name of a new log workspace."""
    diagnostic_setting: str | None = setting(None, _SOURCE)
    """Name of the setting that collects the control plane's logs."""
