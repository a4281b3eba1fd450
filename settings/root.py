"""All settings of a stack: one field per configuration key."""

from datetime import date

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from settings._model import SettingsModel, setting
from settings.cluster import ApiAccess, Autoscaler, Kubernetes, Registry, Ssh
from settings.gpu import Gpu
from settings.kubeflow import Kubeflow
from settings.network import Network
from settings.pools import SystemPool, UserPool, standard_pools
from settings.workload import Work


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

    owner: str = setting(about="Team or person who answers for the stack.", source="issue #3", min_length=1)
    environment: str = setting(
        about="Environment; `prod` turns on the rules that only production needs.",
        source="issue #3",
        min_length=1,
    )

    def as_dict(self) -> dict[str, str]:
        """Every tag, by name."""
        return {"owner": self.owner, "environment": self.environment, **self.__pydantic_extra__}


class Settings(SettingsModel):
    """Everything one stack may say. Each field is one key of `Pulumi.<stack>.yaml`."""

    location: str = setting("westeurope", about="Azure region.", source="issue #3", pattern=r"^[a-z0-9]+$")
    tags: Tags = setting(about="Tags of every taggable resource.", source="issue #3")
    protect: bool = setting(
        True, about="Refuse to delete what would hurt to lose; demo stacks say false.", source="engine.md §0"
    )
    as_of: date | None = setting(
        None,
        about="Day on which support windows are judged. Left out: today.",
        unit="YYYY-MM-DD",
        source="issue #3",
    )
    kubernetes: Kubernetes = setting(
        Kubernetes(), about="Version, support and upgrades.", source="ckf.md §1.2"
    )
    network: Network = setting(Network(), about="Address ranges and the way out.", source="aks.md §5")
    api_access: ApiAccess = setting(ApiAccess(), about="Who reaches the API server.", source="aks.md §5")
    ssh: Ssh | None = setting(None, about="SSH access to nodes; left out: none.", source="AKS linuxProfile")
    registry: Registry = setting(Registry(), about="Container registry.", source="aks.md §5")
    autoscaler: Autoscaler = setting(
        Autoscaler(), about="The cluster autoscaler's profile.", source="aks.md §3.1"
    )
    system_pool: SystemPool = setting(
        SystemPool(), about="The pool of AKS's own add-ons.", source="aks.md §1.4"
    )
    pools: dict[str, UserPool] = setting(
        standard_pools(),
        about="User pools by name; a stack that sets it replaces the whole map.",
        source="issue #3",
    )
    gpu: Gpu = setting(Gpu(), about="Driver and device plugin of GPU nodes.", source="aks.md §2")
    kubeflow: Kubeflow = setting(
        Kubeflow(), about="Charmed Kubeflow and its prerequisites.", source="ckf.md §7"
    )
    workload: dict[str, Work] = setting(
        {}, about="Kinds of work by name, for the cost report.", source="facts/cost.md"
    )
