"""A storage account for data that outlives nodes, and the identities with which workloads read and write it."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final

import pulumi
from pulumi_azure_native import managedidentity, storage

from ..arguments.checked import Rule, checked, named, rule, under, whole
from ..arguments.inputs import when_known
from ..azure import azure_names
from ..azure.aliases import of_child
from ..azure.roles import BLOB_DATA_CONTRIBUTOR, role_assignment
from ..azure.tags import MAX_NAME_OF_STORAGE, tag_mistakes
from .data_checks import profile_mistakes
from .data_store_args import DataProfileSpec, DataStoreArgs

_AUDIENCE: Final = "api://AzureADTokenExchange"
"""The one audience that managed identities take.

Source: MicrosoftDocs/entra-docs, docs/workload-id/workload-identity-federation-considerations.md (read 2026-11-22); it
also has the limits of credentials and the ban on writing two at once.
"""
_LONGEST_PREFIX: Final = 16
"""An account's name has 24 characters; the provider adds 8 random ones (Azure/azure-rest-api-specs,
storage/stable/2024-01-01/storage.json)."""


class DataStore(pulumi.ComponentResource):
    """One storage account without keys: each namespace has a container, and an identity that reaches no other."""

    account_name: pulumi.Output[str]
    """Name of the storage account, unique in all of Azure."""
    client_ids: dict[str, pulumi.Output[str]]
    """Client id of the identity of each namespace, for its service accounts' annotation."""

    def __init__(self, name: str, args: DataStoreArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        args = checked("DataStore", DataStoreArgs, args, _rules)
        super().__init__("kubeflow-aks:index:DataStore", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        aliases = pulumi.ResourceOptions(aliases=of_child(opts, _account_prefix))
        account = _account(name, args, pulumi.ResourceOptions.merge(child, aliases))
        service = storage.BlobServiceProperties(
            f"{name}-blobs",
            account_name=account.name,
            blob_services_name="default",
            resource_group_name=args["resource_group_name"],
            container_delete_retention_policy=storage.DeleteRetentionPolicyArgs(
                enabled=True, days=args.get("soft_delete_days")
            ),
            # A trainer deletes all but its last checkpoints; soft deletion would have them paid for days longer.
            delete_retention_policy=storage.DeleteRetentionPolicyArgs(enabled=False),
            opts=child,
        )
        self.account_name = account.name
        self.client_ids = {}
        for namespace, spec in args.get("profiles", {}).items():
            container = storage.BlobContainer(
                f"{name}-{namespace}",
                container_name=namespace,
                account_name=account.name,
                resource_group_name=args["resource_group_name"],
                public_access=storage.PublicAccess.NONE,
                opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[service])),
            )
            identity = _identity(f"{name}-{namespace}", container.id, spec, args, self)
            _federate(f"{name}-{namespace}", identity, _subjects(namespace, spec), args, self)
            self.client_ids[namespace] = identity.client_id
        self.register_outputs({"accountName": self.account_name, "clientIds": self.client_ids})


def _rules(args: DataStoreArgs) -> Iterator[Rule]:
    for namespace, spec in args.get("profiles", {}).items():
        yield rule(profile_mistakes, namespace, spec.get("service_accounts"))
        identity = named(identity_name=(azure_names.IDENTITY, spec.get("identity_name")))
        yield from under(f"profiles.{namespace}", identity)
    yield from named(
        resource_group_name=(azure_names.RESOURCE_GROUP, args["resource_group_name"]),
        location=(azure_names.LOCATION, args["location"]),
        account_name=(azure_names.STORAGE_ACCOUNT, args.get("account_name")),
    )
    if isinstance(issuer := args["oidc_issuer"], str):  # that of a cluster is Azure's own, or that of mocks
        yield from named(oidc_issuer=(azure_names.HTTPS, issuer))
    yield rule(tag_mistakes, args.get("tags", {}), longest=MAX_NAME_OF_STORAGE)


def _account(name: str, args: DataStoreArgs, opts: pulumi.ResourceOptions) -> storage.StorageAccount:
    """The account: Entra sign-in only, HTTPS only, nothing public.

    Its namespace is hierarchical, so that renaming a checkpoint is one step (MicrosoftDocs/azure-docs,
    articles/storage/blobs/data-lake-storage-namespace.md).
    """
    sku = whole(args)["sku"]
    return storage.StorageAccount(
        _account_prefix(name),
        # None has the provider add a random suffix: the name must be free in all of Azure.
        account_name=args.get("account_name"),
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        kind=when_known(_kind, sku),
        sku=storage.SkuArgs(name=sku),
        is_hns_enabled=True,
        allow_shared_key_access=False,
        allow_blob_public_access=False,
        allow_cross_tenant_replication=False,
        default_to_o_auth_authentication=True,
        enable_https_traffic_only=True,
        minimum_tls_version=storage.MinimumTlsVersion.TLS1_2,
        tags=args.get("tags"),
        opts=opts,
    )


def _kind(sku: str) -> storage.Kind:
    return storage.Kind.BLOCK_BLOB_STORAGE if sku.startswith("Premium") else storage.Kind.STORAGE_V2


def _account_prefix(name: str) -> str:
    """The component's name in the letters of an account's; a long one keeps its difference from others."""
    letters = "".join(sign for sign in name.lower() if sign.isascii() and sign.isalnum())
    if len(letters) <= _LONGEST_PREFIX:
        return letters
    return letters[: _LONGEST_PREFIX - 6] + hashlib.sha256(name.encode()).hexdigest()[:6]


def _identity(
    name: str,
    container_id: pulumi.Input[str],
    spec: DataProfileSpec,
    args: DataStoreArgs,
    parent: pulumi.Resource,
) -> managedidentity.UserAssignedIdentity:
    """An identity that reads and writes one container. Not protected: it holds no data and can be created again."""
    identity = managedidentity.UserAssignedIdentity(
        f"{name}-data",
        resource_name_=spec.get("identity_name", f"{name}-data"),
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions(parent=parent, protect=False),
    )
    role_assignment(f"{name}-access", container_id, BLOB_DATA_CONTRIBUTOR, identity.principal_id, parent)
    return identity


def _subjects(namespace: str, spec: DataProfileSpec) -> dict[str, str]:
    """The subjects of service accounts by credential name, in which dots, not allowed there, are underscores."""
    return {
        f"sa-{account.replace('.', '_')}": f"system:serviceaccount:{namespace}:{account}"
        for account in spec.get("service_accounts", ())
    }


def _federate(
    name: str,
    identity: managedidentity.UserAssignedIdentity,
    subjects: Mapping[str, str],
    args: DataStoreArgs,
    parent: pulumi.Resource,
) -> None:
    """Lets service accounts sign in as an identity; one by one, because Azure refuses two such writes at once."""
    before: pulumi.Resource = identity
    for credential, subject in subjects.items():
        before = managedidentity.FederatedIdentityCredential(
            f"{name}.{credential}",  # a dot, which no namespace has, so that no two of these names are one
            federated_identity_credential_resource_name=credential,
            resource_name_=identity.name,
            resource_group_name=args["resource_group_name"],
            issuer=args["oidc_issuer"],
            subject=subject,
            audiences=[_AUDIENCE],
            opts=pulumi.ResourceOptions(parent=parent, protect=False, depends_on=[before]),
        )
