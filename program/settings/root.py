"""All settings of a stack: one field per configuration key."""

from datetime import date

from pydantic import ConfigDict

from program.settings._model import Day, SettingsModel, setting
from program.settings.cluster import (
    Alerts,
    ApiAccess,
    Autoscaler,
    Kubernetes,
    Monitoring,
    OfficeHours,
    Registry,
    Ssh,
)
from program.settings.cost import Budget, Cost, Work
from program.settings.data import Data
from program.settings.kubeflow import Kubeflow
from program.settings.names import Names
from program.settings.network import Network
from program.settings.pools import Gpu, OwnVmSize, SystemPool, UserPool, standard_pools


class Tags(SettingsModel):
    """Tags of every taggable resource; any further key is a tag too."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]  # pyright: ignore[reportIncompatibleVariableOverride] # narrows the extra values

    owner: str = setting(..., "our choice", min_length=1)
    """Team or person responsible for the stack."""
    environment: str = setting(..., "our choice", min_length=1)
    """Environment, such as dev or prod; a tag only: `production` turns on the rules of production."""

    def as_dict(self) -> dict[str, str]:
        """Every tag, by name."""
        return {"owner": self.owner, "environment": self.environment, **self.__pydantic_extra__}


class Settings(SettingsModel):
    """All settings of one stack. Each field is one key of `Pulumi.<stack>.yaml`."""

    location: str = setting("westeurope", "aks_facts/regions.csv", unit="name as `az` takes it", min_length=1)
    """Azure region."""
    resource_group: str | None = setting(None, "docs/how-to/name-resources.md", unit="name")
    """Resource group that is there already, for all of the stack but the nodes. Left out: a new one."""
    names: Names = setting(Names(), "docs/how-to/name-resources.md")
    """Names in Azure."""
    tags: Tags = setting(..., '"Tags of Azure resources"')
    """Tags of every taggable resource."""
    protect: bool = setting(True, "docs/decisions/0004-the-last-object-protects-the-stack.md")
    """Refuse `pulumi destroy` and replacements that would lose data; the demo stack sets false."""
    production: bool = setting(False, "our choice")
    """Whether people depend on the stack; turns on the rules that only production needs."""
    created: Day | None = setting(None, "our choice", unit="YYYY-MM-DD")
    """Day on which the cluster was made. Left out: it is new, and what Azure no longer creates is refused, unless the
    cluster is adopted; an existing one only gets warnings."""
    adopted: bool = setting(False, "docs/how-to/adopt-a-cluster.md")
    """Whether the cluster was made by other means and imported, as `./kubeflow-aks adopt` prepares it: the program
    makes no network, and what it does not state of the cluster stays as it is."""
    as_of: Day | None = setting(None, "our choice", unit="YYYY-MM-DD")
    """Day for which support and retirement dates are checked. Left out: today."""
    kubernetes: Kubernetes = setting(Kubernetes(), "docs/facts/aks.md#kubernetes-versions")
    """Version, support and upgrades."""
    network: Network = setting(Network(), "docs/facts/aks.md#network")
    """Address ranges and outbound traffic."""
    api_access: ApiAccess = setting(ApiAccess(), "docs/facts/aks.md#api-server-access")
    """Who can reach the API server."""
    ssh: Ssh | None = setting(None, "managedClusters.json, linuxProfile")
    """SSH access to nodes. Left out: none."""
    registry: Registry = setting(Registry(), "docs/facts/aks.md#identity-and-registry")
    """Container registry."""
    monitoring: Monitoring = setting(Monitoring(), "docs/facts/aks.md#control-plane-logs")
    """Logs of the control plane, and where they are stored."""
    alerts: Alerts | None = setting(None, "docs/how-to/alerts.md")
    """Alerts on nodes and work, and whom they notify. Left out: none, and no metrics are collected."""
    autoscaler: Autoscaler = setting(Autoscaler(), "docs/facts/aks.md#autoscaler-profile")
    """The cluster autoscaler's profile."""
    system_pool: SystemPool = setting(SystemPool(), "docs/facts/aks.md#system-pool")
    """The pool of AKS's own add-ons."""
    pools: dict[str, UserPool] = setting(standard_pools(), "our choice")
    """User pools by name; a stack that sets it replaces the whole map."""
    vm_sizes: dict[str, OwnVmSize] = setting({}, "aks_facts/vm_sizes.csv")
    """VM sizes by name that the stack adds to the catalogue, or corrects."""
    gpu: Gpu = setting(Gpu(), "docs/facts/aks.md#gpu-driver-and-device-plugin")
    """Driver and device plugin of GPU nodes."""
    kubeflow: Kubeflow = setting(Kubeflow(), "docs/facts/charmed-kubeflow.md")
    """Charmed Kubeflow and its prerequisites."""
    data: Data = setting(Data(), "docs/decisions/0010-checkpoints-on-blob-storage.md")
    """Storage for checkpoints and data, which outlives the nodes."""
    workload: dict[str, Work] = setting({}, "docs/facts/prices.md#eviction-rates")
    """Kinds of work by name, from which the expected bill is computed."""
    cost: Cost = setting(Cost(), "docs/facts/prices.md")
    """How the expected bill is computed; no Azure resource depends on it."""
    budget: Budget | None = setting(None, "our choice")
    """Most that the stack may cost. Left out: no limit."""
    office_hours: OfficeHours | None = setting(None, "docs/facts/aks.md#stopping-and-starting")
    """When the cluster runs. Left out: always."""

    @property
    def exists(self) -> bool:
        """Whether the cluster is there already, as far as the stack file says it."""
        return self.adopted or self.created is not None

    def made_by(self, day: date) -> bool:
        """Whether the cluster may have been made on a day or before; an adopted one is there, whatever its day."""
        return self.adopted or (self.created is not None and self.created <= day)

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
