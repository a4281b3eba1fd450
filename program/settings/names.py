"""Settings of the names that resources have in Azure."""

from program.settings._model import SettingsModel, setting

_SOURCE = '"Naming rules and restrictions for Azure resources"'


class SubnetNames(SettingsModel):
    """Names of the subnets of a new network."""

    system: str | None = setting(None, about="Subnet of the system pool's nodes.", source=_SOURCE)
    general: str | None = setting(
        None, about="Subnet of the nodes that host Charmed Kubeflow.", source=_SOURCE
    )
    cpu: str | None = setting(None, about="Subnet of the nodes of CPU batch pools.", source=_SOURCE)
    gpu: str | None = setting(None, about="Subnet of the nodes of GPU batch pools.", source=_SOURCE)


class Names(SettingsModel):
    """Names in Azure; a change of one replaces its resource. Left out, they begin with project and stack."""

    pattern: str | None = setting(
        None,
        about="Rule of every name that is not given below. <type> is the resource's abbreviation in the Cloud Adoption "
        "Framework, with its part where a stack has several (`id-aks`); <project>, <stack> and <location> may be in "
        "it. The names of registry and storage account are without hyphens, underscores and periods, and without the "
        "random end that they have otherwise.",
        unit="text",
        source='"Define your naming convention"; docs/how-to/name-resources.md',
        pattern=r"^([-A-Za-z0-9._]|<(project|stack|location)>)*<type>([-A-Za-z0-9._]|<(project|stack|location)>)*$",
        form="letters, digits, hyphens, underscores and periods around <type>, with <project>, <stack> or <location> "
        "where you like, for instance <type>-ml-<stack>-weu-001",
    )
    resource_group: str | None = setting(None, about="Name of a new resource group.", source=_SOURCE)
    node_resource_group: str | None = setting(
        None, about="Name of the group that AKS makes for the nodes.", source="faq.yml: up to 80 characters"
    )
    cluster: str | None = setting(None, about="Name of the cluster.", source=_SOURCE)
    dns_prefix: str | None = setting(
        None,
        about="Start of the API server's public name. Left out: the cluster's name.",
        source="managedClusters.json, dnsPrefix",
    )
    identity: str | None = setting(None, about="Name of the cluster's identity.", source=_SOURCE)
    virtual_network: str | None = setting(None, about="Name of a new virtual network.", source=_SOURCE)
    subnets: SubnetNames = setting(
        SubnetNames(), about="Names of the subnets of a new network.", source=_SOURCE
    )
    nat_gateway: str | None = setting(None, about="Name of a new NAT gateway.", source=_SOURCE)
    outbound_address: str | None = setting(
        None, about="Name of the NAT gateway's public address.", source=_SOURCE
    )
    ingress_address: str | None = setting(None, about="Name of the ingress's public address.", source=_SOURCE)
    registry: str | None = setting(
        None, about="Name of a new container registry, unique in all of Azure.", source=_SOURCE
    )
    storage_account: str | None = setting(
        None, about="Name of the data store's account, unique in all of Azure.", source=_SOURCE
    )
    log_workspace: str | None = setting(None, about="Name of a new log workspace.", source=_SOURCE)
    diagnostic_setting: str | None = setting(
        None, about="Name of the setting that collects the control plane's logs.", source=_SOURCE
    )
