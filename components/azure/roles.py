"""Azure's built-in roles that identities of a stack are given.

Their assignments are never protected. Whenever the cluster or an identity is updated, a preview cannot know that its
principal stays and plans to replace the assignment; protection would refuse the preview, and with it every such update.
"""

import re
from typing import Final

import pulumi
from pulumi_azure_native import authorization

ACR_PULL: Final = "7f951dda-4ed3-4680-a7ca-43fe172d538d"
"""AcrPull: pull images (learn.microsoft.com/azure/role-based-access-control/built-in-roles, 2026-08)."""
BLOB_DATA_CONTRIBUTOR: Final = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
"""Storage Blob Data Contributor: read, write and delete blobs (same page)."""
REPOSITORY_READER: Final = "b93aa761-3e63-49ed-ac28-beffa264f7ac"
"""Container Registry Repository Reader: pull images where a registry's permissions go by repository (same page)."""
CONTRIBUTOR: Final = "b24988ac-6180-42a0-ab88-20f7382dd24c"
"""Contributor: take VMs from a capacity reservation group (docs/facts/aks.md#capacity-reservations)."""
NETWORK_CONTRIBUTOR: Final = "4d97b98b-1d4f-4787-a291-c67834d212e7"
"""Network Contributor: join subnets and use public addresses (same page)."""
_SUBSCRIPTION: Final = re.compile("/subscriptions/([^/]+)", re.IGNORECASE)

PRIVATE_DNS_ZONE_CONTRIBUTOR: Final = "b12aa53e-6015-4669-85d0-8515ebb3ae7f"
"""Private DNS Zone Contributor: write records of a private zone and link it to networks (same page)."""


def role_assignment(
    name: str,
    scope: pulumi.Input[str],
    role: str,
    principal_id: pulumi.Input[str],
    parent: pulumi.Resource,
) -> authorization.RoleAssignment:
    """Gives a managed identity a built-in role on a scope, an ARM id."""
    return authorization.RoleAssignment(
        name,
        scope=scope,
        role_definition_id=_role_definition_id(scope, role),
        principal_id=principal_id,
        # Without the type Azure looks the identity up before the directory knows it (MicrosoftDocs/azure-docs,
        # articles/role-based-access-control/role-assignments-cli.md, "for a new service principal").
        principal_type=authorization.PrincipalType.SERVICE_PRINCIPAL,
        opts=pulumi.ResourceOptions(parent=parent, protect=False),
    )


def _role_definition_id(scope: pulumi.Input[str], role: str) -> pulumi.Output[str]:
    """ARM id of a built-in role in the subscription of `scope`; without one if mocks name no subscription."""

    def in_subscription(arm_id: str) -> str:
        subscription = _SUBSCRIPTION.match(arm_id or "")
        place = f"/subscriptions/{subscription[1]}" if subscription else ""
        return f"{place}/providers/Microsoft.Authorization/roleDefinitions/{role}"

    return pulumi.Output.from_input(scope).apply(in_subscription)
