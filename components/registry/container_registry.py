"""The container registry, and the nodes' right to pull from it."""

from collections.abc import Iterator
from typing import NotRequired, TypedDict

import pulumi
from pulumi_azure_native import containerregistry

from ..arguments import defaults
from ..arguments.checked import Rule, checked, named, rule, rule_of_text
from ..arguments.choices import RegistrySku
from ..arguments.inputs import Texts, TextsByName, each
from ..arguments.limits import IMAGE_DAYS, number_mistakes
from ..azure import azure_names
from ..azure.aliases import of_child
from ..azure.arm_ids import REGISTRY, arm_id_mistakes
from ..azure.cidr import public_range_mistakes
from ..azure.roles import ACR_PULL, REPOSITORY_READER, role_assignment
from ..azure.tags import tag_mistakes
from .registry_checks import attached_name_mistakes, number_of_ranges_mistakes, premium_mistakes


class ContainerRegistryArgs(TypedDict):
    """Arguments of `ContainerRegistry`."""

    resource_group_name: pulumi.Input[str]
    """Resource group of a new registry."""
    location: pulumi.Input[str]
    """Azure region of a new registry."""
    registry_name: NotRequired[pulumi.Input[str] | None]
    """Name of a new registry, unique in all of Azure. Default: the component's name and a random suffix."""
    puller_object_id: pulumi.Input[str]
    """Object id of the kubelet identity that pulls."""
    attach: NotRequired[pulumi.Input[str] | None]
    """ARM id of a registry to use instead of creating one. Default: none."""
    sku: NotRequired[pulumi.Input[RegistrySku]]
    """Tier of a new registry: Basic, Standard (default) or Premium."""
    retention_days: NotRequired[pulumi.Input[int] | None]
    """Premium: how long an image that no tag names any more is kept, 0 to 365 days. Default: for ever."""
    authorized_ip_ranges: NotRequired[Texts]
    """Premium: public ranges that may pull and push, the puller's own among them. Default: all."""
    tags: NotRequired[TextsByName]
    """Tags of every taggable child."""


class ContainerRegistry(pulumi.ComponentResource):
    """One registry that a cluster pulls from, new or attached."""

    registry_id: pulumi.Output[str]
    """ARM id of the registry."""

    def __init__(
        self, name: str, args: ContainerRegistryArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        args = checked("ContainerRegistry", ContainerRegistryArgs, args, _rules)
        super().__init__("kubeflow-aks:index:ContainerRegistry", name, {}, opts)
        attached = args.get("attach")
        self.registry_id = (
            pulumi.Output.from_input(attached) if attached else self._registry(name, args, opts).id
        )
        # A registry honours one of the two, by its mode, which its owner may change (aks-service-permissions.md).
        for suffix, role in (("pull", ACR_PULL), ("read", REPOSITORY_READER)):
            role_assignment(f"{name}-{suffix}", self.registry_id, role, args["puller_object_id"], self)
        self.register_outputs({"registryId": self.registry_id})

    def _registry(
        self, name: str, args: ContainerRegistryArgs, opts: pulumi.ResourceOptions | None
    ) -> containerregistry.Registry:
        return containerregistry.Registry(
            _letters(name),
            # None has the provider add a random suffix: the name must be free in all of Azure.
            registry_name=args.get("registry_name"),
            resource_group_name=args["resource_group_name"],
            location=args["location"],
            sku=containerregistry.SkuArgs(name=args.get("sku", defaults.REGISTRY_SKU)),
            admin_user_enabled=False,
            policies=_retention(args.get("retention_days")),
            network_rule_set=_firewall(args.get("authorized_ip_ranges")),
            tags=args.get("tags"),
            opts=pulumi.ResourceOptions(parent=self, aliases=of_child(opts, _letters)),
        )


def _letters(name: str) -> str:
    """The component's name as a registry's begins."""
    return name.replace("-", "")


def _rules(args: ContainerRegistryArgs) -> Iterator[Rule]:
    yield rule(number_mistakes, "retentionDays", IMAGE_DAYS, args.get("retention_days", 0))
    attach, ranges = args.get("attach"), args.get("authorized_ip_ranges")
    yield from rule_of_text(arm_id_mistakes, "attach", attach, REGISTRY)
    sku = args.get("sku", defaults.REGISTRY_SKU)
    yield rule(premium_mistakes, attach, sku, args.get("retention_days"), ranges)
    yield rule(public_range_mistakes, ranges, key="authorizedIpRanges", what="a registry")
    yield rule(number_of_ranges_mistakes, ranges)
    yield rule(attached_name_mistakes, attach, args.get("registry_name"))
    yield from named(
        resource_group_name=(azure_names.RESOURCE_GROUP, args["resource_group_name"]),
        location=(azure_names.LOCATION, args["location"]),
        registry_name=(azure_names.REGISTRY, args.get("registry_name")),
    )
    yield rule(tag_mistakes, args.get("tags", {}))


def _retention(days: pulumi.Input[int] | None) -> containerregistry.PoliciesArgs | None:
    if days is None:
        return None
    kept = containerregistry.RetentionPolicyArgs(status=containerregistry.PolicyStatus.ENABLED, days=days)
    return containerregistry.PoliciesArgs(retention_policy=kept)


def _firewall(ranges: Texts | None) -> containerregistry.NetworkRuleSetArgs | None:
    if not ranges:
        return None
    return containerregistry.NetworkRuleSetArgs(
        default_action=containerregistry.DefaultAction.DENY,
        ip_rules=each(ranges, _allowed),
    )


def _allowed(address_range: str) -> containerregistry.IPRuleArgs:
    return containerregistry.IPRuleArgs(
        action=containerregistry.Action.ALLOW, i_p_address_or_range=address_range
    )
