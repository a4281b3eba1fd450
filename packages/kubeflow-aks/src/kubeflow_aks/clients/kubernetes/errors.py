"""Errors of requests to an API server; the texts are for the user."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.clients.programs import ProgramError
from kubeflow_aks.exit_codes import ExitCode


class KubeError(ClientError):
    """A request to a cluster failed; the text is for the user."""

    exit_code = ExitCode.FINDING


class UnavailableError(KubeError):
    """The API server does not respond, or its response cannot be used."""


class UnreachableError(UnavailableError):
    """The API server could not be reached or the kubeconfig could not be used."""


class SignInError(UnavailableError, ProgramError):
    """The program with which the kubeconfig signs in gives no credentials; the text has none of its output."""


@dataclass(eq=False)
class ApiError(KubeError):
    """The API server refuses a request; the text is its message.

    Attributes:
        status: HTTP status.
        reason: `Status.reason`, e.g. `AlreadyExists`, `Conflict`, `Invalid`.
        message: `Status.message`.
        required: fields that the server reports as missing.
        retry_after: seconds of the header `Retry-After`; 0 without one.
    """

    status: int
    reason: str
    message: str
    required: Sequence[str] = ()
    retry_after: float = 0.0

    def __str__(self) -> str:
        return self.message

    @property
    def already_exists(self) -> bool:
        """Whether an object of that name exists."""
        return self.reason == "AlreadyExists"

    @property
    def not_found(self) -> bool:
        """Whether the object, or its namespace, does not exist."""
        return self.status == HTTPStatus.NOT_FOUND

    @property
    def namespace_missing(self) -> bool:
        """Whether it is the namespace that does not exist."""
        return self.not_found and self.message.startswith("namespaces ")

    @property
    def forbidden(self) -> bool:
        """Whether the user lacks a permission."""
        return self.reason == "Forbidden"

    @property
    def conflict(self) -> bool:
        """Whether another field manager owns a field."""
        return self.reason == "Conflict"


@dataclass(eq=False)
class NoSuchKindError(KubeError):
    """The API server serves no such kind."""

    kind: Kind

    def __str__(self) -> str:
        return f'no matches for kind "{self.kind.kind}" in version "{self.kind.api_version}"'
