"""Arguments of `ContainerRegistry`."""

from typing import Annotated, Required, TypedDict

from ..arguments.choices import RegistrySku
from ..arguments.declaration import Argument, Input, Texts, TextsByName
from ..azure.arm_ids import REGISTRY


class ContainerRegistryArgs(TypedDict, total=False):
    """Arguments of `ContainerRegistry`."""

    resource_group_name: Required[Input[str]]
    """Resource group of a new registry."""
    location: Required[Input[str]]
    """Azure region of a new registry."""
    registry_name: Input[str] | None
    """Name of a new registry, unique in all of Azure. Default: the component's name and a random suffix."""
    puller_object_id: Required[Input[str]]
    """Object id of the kubelet identity that pulls."""
    attach: Annotated[
        Input[str] | None,
        Argument(None, "docs/facts/aks.md#identity-and-registry", unit="ARM id", form=REGISTRY.form),
    ]
    """Registry to use instead of a new one; whoever runs `pulumi up` needs the right to assign roles on it."""
    sku: Annotated[Input[RegistrySku], Argument("Standard", '"Azure Container Registry service tiers"')]
    """Tier of the new registry."""
    retention_days: Annotated[
        Input[int] | None,
        Argument(None, "container-registry-retention-policy.md: up to 365", unit="days", ge=0, le=365),
    ]
    """How long a Premium registry keeps an image that no tag names any more, also one that is pulled by its digest;
    Azure calls this a preview. Left out: for ever."""
    authorized_ip_ranges: Annotated[
        Texts,
        Argument(
            (),
            "container-registry-access-selected-networks.md: up to 100, the NAT gateway's included",
            unit="CIDR, or one address",
            max_length=100,
        ),
    ]
    """Premium: public ranges that may pull and push, the puller's own among them. Default: all."""
    tags: TextsByName
    """Tags of every taggable child."""
