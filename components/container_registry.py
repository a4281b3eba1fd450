"""The container registry, and the nodes' right to pull from it."""

from typing import NotRequired, TypedDict

import pulumi
from pulumi_azure_native import authorization, containerregistry

from components.roles import ACR_PULL, REPOSITORY_READER, role_definition_id


class ContainerRegistryArgs(TypedDict):
    """Arguments of `ContainerRegistry`."""

    resource_group_name: pulumi.Input[str]
    """Resource group of a new registry."""
    location: pulumi.Input[str]
    """Azure region of a new registry."""
    puller_object_id: pulumi.Input[str]
    """Object id of the kubelet identity that pulls."""
    attach: NotRequired[str | None]
    """ARM id of a registry to use instead of creating one. Default: none."""
    sku: NotRequired[str]
    """Tier of a new registry: Basic, Standard (default) or Premium."""
    tags: NotRequired[dict[str, str]]
    """Tags of every taggable child."""


class ContainerRegistry(pulumi.ComponentResource):
    """One registry that a cluster pulls from, new or attached."""

    registry_id: pulumi.Output[str]
    """ARM id of the registry."""

    def __init__(
        self, name: str, args: ContainerRegistryArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("kubeflow-aks:index:ContainerRegistry", name, {}, opts)
        attached = args.get("attach")
        self.registry_id = pulumi.Output.from_input(attached) if attached else self._registry(name, args).id
        # A registry honours one of the two, by its mode, which its owner may change (aks-service-permissions.md).
        for suffix, role in (("pull", ACR_PULL), ("read", REPOSITORY_READER)):
            authorization.RoleAssignment(
                f"{name}-{suffix}",
                scope=self.registry_id,
                role_definition_id=role_definition_id(self.registry_id, role),
                principal_id=args["puller_object_id"],
                # Without the type Azure looks the identity up before the directory knows it (MicrosoftDocs/azure-docs,
                # articles/role-based-access-control/role-assignments-cli.md, "for a new service principal").
                principal_type=authorization.PrincipalType.SERVICE_PRINCIPAL,
                opts=pulumi.ResourceOptions(parent=self, protect=False),  # see components.roles
            )
        self.register_outputs({"registryId": self.registry_id})

    def _registry(self, name: str, args: ContainerRegistryArgs) -> containerregistry.Registry:
        # No physical name: it must be free in all of Azure, so the provider adds a random suffix.
        return containerregistry.Registry(
            name.replace("-", ""),
            resource_group_name=args["resource_group_name"],
            location=args["location"],
            sku=containerregistry.SkuArgs(name=args.get("sku", "Standard")),
            admin_user_enabled=False,
            tags=args.get("tags"),
            opts=pulumi.ResourceOptions(parent=self),
        )
