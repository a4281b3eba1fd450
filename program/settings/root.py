"""All settings of a stack: one field per configuration key."""

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from components.arguments import defaults
from program.settings._model import Day, SettingsModel, setting
from program.settings.cluster import ApiAccess, Autoscaler, Kubernetes, Registry, Ssh
from program.settings.cost import Budget, Cost
from program.settings.data import Data
from program.settings.gpu import Gpu
from program.settings.kubeflow import Kubeflow
from program.settings.monitoring import Monitoring
from program.settings.names import Names
from program.settings.network import Network
from program.settings.office_hours import OfficeHours
from program.settings.pools import SystemPool, UserPool, standard_pools
from program.settings.vm_sizes import OwnVmSize
from program.settings.workload import Work


class Tags(SettingsModel):
    """Tags of every taggable resource; any further key is a tag too."""

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )
    __pydantic_extra__: dict[str, str]  # pyright: ignore[reportIncompatibleVariableOverride] # narrows the extra values

    owner: str = setting(about="Team or person responsible for the stack.", source="our choice", min_length=1)
    environment: str = setting(
        about="Environment, such as dev or prod; a tag only: `production` turns on the rules of production.",
        source="our choice",
        min_length=1,
    )

    def as_dict(self) -> dict[str, str]:
        """Every tag, by name."""
        return {"owner": self.owner, "environment": self.environment, **self.__pydantic_extra__}


class Settings(SettingsModel):
    """All settings of one stack. Each field is one key of `Pulumi.<stack>.yaml`."""

    location: str = setting(
        "westeurope",
        about="Azure region.",
        unit="name as `az` takes it",
        source="aks_facts/regions.csv",
        min_length=1,
    )
    resource_group: str | None = setting(
        None,
        about="Resource group that is there already, for all of the stack but the nodes. Left out: a new one.",
        unit="name",
        source="docs/how-to/name-resources.md",
    )
    names: Names = setting(Names(), about="Names in Azure.", source="docs/how-to/name-resources.md")
    tags: Tags = setting(about="Tags of every taggable resource.", source='"Tags of Azure resources"')
    protect: bool = setting(
        defaults.PROTECT,
        about="Refuse `pulumi destroy` and replacements that would lose data; the demo stack sets false.",
        source="docs/decisions/0004-the-last-object-protects-the-stack.md",
    )
    production: bool = setting(
        False,
        about="Whether people depend on the stack; turns on the rules that only production needs.",
        source="our choice",
    )
    created: Day | None = setting(
        None,
        about="Day on which the cluster was made. Left out: it is new, and what Azure no longer creates is refused; an "
        "existing cluster only gets warnings.",
        unit="YYYY-MM-DD",
        source="our choice",
    )
    adopted: bool = setting(
        False,
        about="Whether the cluster was made by other means and imported, as `./kubeflow-aks adopt` prepares it: the "
        "program makes no network, and what it does not state of the cluster stays as it is.",
        source="docs/how-to/adopt-a-cluster.md",
    )
    as_of: Day | None = setting(
        None,
        about="Day for which support and retirement dates are checked. Left out: today.",
        unit="YYYY-MM-DD",
        source="our choice",
    )
    kubernetes: Kubernetes = setting(
        Kubernetes(), about="Version, support and upgrades.", source="docs/facts/aks.md#kubernetes-versions"
    )
    network: Network = setting(
        Network(), about="Address ranges and outbound traffic.", source="docs/facts/aks.md#network"
    )
    api_access: ApiAccess = setting(
        ApiAccess(), about="Who can reach the API server.", source="docs/facts/aks.md#api-server-access"
    )
    ssh: Ssh | None = setting(
        None, about="SSH access to nodes. Left out: none.", source="managedClusters.json, linuxProfile"
    )
    registry: Registry = setting(
        Registry(), about="Container registry.", source="docs/facts/aks.md#identity-and-registry"
    )
    monitoring: Monitoring = setting(
        Monitoring(),
        about="Logs of the control plane, and where they are stored.",
        source="docs/facts/aks.md#control-plane-logs",
    )
    autoscaler: Autoscaler = setting(
        Autoscaler(), about="The cluster autoscaler's profile.", source="docs/facts/aks.md#autoscaler-profile"
    )
    system_pool: SystemPool = setting(
        SystemPool(), about="The pool of AKS's own add-ons.", source="docs/facts/aks.md#system-pool"
    )
    pools: dict[str, UserPool] = setting(
        standard_pools(),
        about="User pools by name; a stack that sets it replaces the whole map.",
        source="our choice",
    )
    vm_sizes: dict[str, OwnVmSize] = setting(
        {},
        about="VM sizes by name that the stack adds to the catalogue, or corrects.",
        source="aks_facts/vm_sizes.csv",
    )
    gpu: Gpu = setting(
        Gpu(),
        about="Driver and device plugin of GPU nodes.",
        source="docs/facts/aks.md#gpu-driver-and-device-plugin",
    )
    kubeflow: Kubeflow = setting(
        Kubeflow(), about="Charmed Kubeflow and its prerequisites.", source="docs/facts/charmed-kubeflow.md"
    )
    data: Data = setting(
        Data(),
        about="Storage for checkpoints and data, which outlives the nodes.",
        source="docs/decisions/0010-checkpoints-on-blob-storage.md",
    )
    workload: dict[str, Work] = setting(
        {},
        about="Kinds of work by name, from which the expected bill is computed.",
        source="docs/facts/prices.md#eviction-rates",
    )
    cost: Cost = setting(
        Cost(),
        about="How the expected bill is computed; no Azure resource depends on it.",
        source="docs/facts/prices.md",
    )
    budget: Budget | None = setting(
        None, about="Most that the stack may cost. Left out: no limit.", source="our choice"
    )
    office_hours: OfficeHours | None = setting(
        None,
        about="When the cluster runs. Left out: always.",
        source="docs/facts/aks.md#stopping-and-starting",
    )

    @property
    def in_network_of_aks(self) -> bool:
        """Whether the nodes are in the network that AKS made with an adopted cluster."""
        return self.adopted and self.network.subnet_ids is None

    @property
    def makes_network(self) -> bool:
        """Whether the program makes the virtual network, whose ranges it knows."""
        return not self.adopted and self.network.subnet_ids is None

    @property
    def makes_gateway(self) -> bool:
        """Whether the program makes a NAT gateway, whose address it knows."""
        return self.network.outbound_type == "userAssignedNATGateway" and self.makes_network
