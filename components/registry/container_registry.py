"""The container registry, and the nodes' right to pull from it."""

from collections.abc import Iterator

import pulumi
from pulumi_azure_native import containerregistry

from ..arguments.checked import Rule, checked, named, rule, rule_of_text, whole
from ..arguments.declaration import Texts
from ..arguments.inputs import mapped
from ..azure import azure_names
from ..azure.aliases import of_child
from ..azure.arm_ids import REGISTRY, arm_id_mistakes
from ..azure.cidr import public_range_mistakes
from ..azure.roles import ACR_PULL, REPOSITORY_READER, role_assignment
from ..azure.tags import tag_mistakes
from .container_registry_args import ContainerRegistryArgs
from .registry_checks import attached_name_mistakes, number_of_ranges_mistakes, premium_mistakes


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
            sku=containerregistry.SkuArgs(name=whole(args)["sku"]),
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
    attach, ranges = args.get("attach"), args.get("authorized_ip_ranges")
    yield from rule_of_text(arm_id_mistakes, "attach", attach, REGISTRY)
    sku = args.get("sku")
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
        ip_rules=mapped(ranges, _allowed),
    )


def _allowed(address_range: str) -> containerregistry.IPRuleArgs:
    return containerregistry.IPRuleArgs(
        action=containerregistry.Action.ALLOW, i_p_address_or_range=address_range
    )
