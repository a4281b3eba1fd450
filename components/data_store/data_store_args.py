"""Arguments of `DataStore`."""

from collections.abc import Sequence
from typing import Annotated, Required, TypedDict

from ..arguments.choices import BlobSku
from ..arguments.declaration import Argument, Input, TextsByName


class DataProfileSpec(TypedDict, total=False):
    """One namespace that has a container of its own."""

    service_accounts: Annotated[
        Sequence[str],
        Argument(
            ("default-editor",),
            "workload-identity-federation-considerations.md: up to 20",
            unit="name of a service account",
            max_length=20,
        ),
    ]
    """Service accounts of its namespace that may; Kubeflow's pipelines and notebooks run as default-editor."""
    identity_name: Input[str]
    """Name of its identity in Azure. Default: the component's name, the namespace and -data."""


class DataStoreArgs(TypedDict, total=False):
    """Arguments of `DataStore`."""

    resource_group_name: Required[Input[str]]
    """Resource group of everything in it."""
    location: Required[Input[str]]
    """Azure region."""
    account_name: Input[str] | None
    """Name of the account, unique in all of Azure. Default: the component's name and a random suffix."""
    oidc_issuer: Required[Input[str]]
    """URL of the cluster's OIDC issuer, which vouches for its service accounts."""
    profiles: dict[str, DataProfileSpec]
    """Namespaces that have a container, by name. Default: none."""
    sku: Annotated[Input[BlobSku], Argument("Standard_ZRS", "docs/facts/prices.md#blob-storage")]
    """Redundancy and speed of the account, for life."""
    soft_delete_days: Annotated[
        Input[int], Argument(7, "docs/facts/aks.md#blob-storage", unit="days", ge=1, le=365)
    ]
    """How long a deleted container can be restored; blobs cannot, because deleted checkpoints would still be paid
    for."""
    tags: TextsByName
    """Tags of every taggable child."""
