"""Error messages of the Kubernetes provider, in the real one's words.

Source: recording of pulumi-kubernetes 4.32.0; its provider.go and await.go for what was not recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError, NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import Object

_ALREADY_EXISTS_HELP: Final = """

The resource already exists in the cluster. This can happen when:

  - Renaming a Pulumi resource: use an alias to preserve the identity,
    or use deleteBeforeReplace if the resource needs replacement.
  - Managing an existing resource: use a Patch resource (e.g. NamespacePatch)
    to manage specific fields without owning the resource lifecycle.
  - Adopting a resource into Pulumi: use `pulumi import`. Note that
    protected resources (e.g. kube-system) cannot be deleted on destroy.
  - Intentional upsert: set upsertExistingObjects on the provider to allow
    server-side apply to update existing objects on create."""

_CONFLICT_HELP: Final = (
    "https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/"
    "managing-resources-with-server-side-apply/#handle-field-conflicts-on-existing-resources"
)

UNREACHABLE_DELETE: Final = (
    "configured Kubernetes cluster is unreachable. If the cluster was deleted, you can remove this resource "
    "from Pulumi state by rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment variable "
    'set to "true"'
)
UNREACHABLE_READ: Final = (
    "failed to read resource state due to unreachable cluster. If the cluster was deleted, you can remove this "
    "resource from Pulumi state by rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment "
    'variable set to "true"'
)


class ProviderError(KubeError):
    """A refusal by the provider itself, or its message about one of the API server."""


@dataclass(eq=False)
class NotReadyError(ProviderError):
    """The object is there but did not become ready, or did not go, in time."""

    message: str
    live: Object
    reasons: Sequence[str] = ()

    def __str__(self) -> str:
        return self.message


@dataclass(eq=False)
class PartialError(ProviderError):
    """The object exists although the operation failed: the engine must keep it in its state.

    Attributes:
        message: for the console.
        id: Pulumi id of the object.
        outputs: its properties as the API server has them now.
        inputs: inputs that describe it; None keeps the ones of the program.
        reasons: one line for each thing that is wrong.
    """

    message: str
    id: str
    outputs: Object
    inputs: Object | None = None
    reasons: Sequence[str] = field(default_factory=tuple)

    def __str__(self) -> str:
        return self.message


def create_refused(urn: str, cause: KubeError) -> ProviderError:
    """The API server did not accept the object."""
    help_ = _ALREADY_EXISTS_HELP if isinstance(cause, ApiError) and cause.already_exists else ""
    return ProviderError(
        f'resource "{urn}" was not successfully created by the Kubernetes API server: {cause}{help_}'
    )


def unknown_kind(operation: str, cause: NoSuchKindError) -> ProviderError:
    """The API server does not serve the kind, or no longer; a CRD may be missing."""
    return ProviderError(
        f"{operation} failed because the Kubernetes API server reported that the apiVersion for this resource does "
        f"not exist. Verify that any required CRDs have been created: {cause}"
    )


def created_not_live(urn: str, cause: KubeError) -> str:
    """The object was created and then did not become ready."""
    return (
        f'resource "{urn}" was successfully created, but the Kubernetes API server reported that it failed to '
        f"fully initialize or become live: {cause}"
    )


def updated_not_live(id_: str, cause: KubeError) -> str:
    """The update was refused, or the object did not become ready after it."""
    return (
        f'the Kubernetes API server reported that "{id_}" failed to fully initialize or become live: {cause}'
    )


def field_conflict(manager: str, cause: ApiError) -> ApiError:
    """Another field manager owns a field of the apply."""
    return ApiError(
        cause.status,
        cause.reason,
        f"server-side apply field conflict detected, see {_CONFLICT_HELP} for troubleshooting help\n"
        f'The resource managed by field manager "{manager}" had an apply conflict: {cause}',
    )


def required_field(cause: ApiError) -> ProviderError:
    """A patch cannot be removed: no other manager sets a field the object needs."""
    return ProviderError(
        "this Patch resource is currently managing a required field, so it can't be deleted directly. Either set "
        "the `retainOnDelete` resource option, or transfer ownership of the field before deleting: "
        + ", ".join(cause.required)
    )
