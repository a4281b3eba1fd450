"""What can go wrong when an API server is asked for something: one tree, whose texts are meant for the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from kube.objects import Kind


class KubeError(Exception):
    """Something that was asked of a cluster can't be done; the text is meant for the user."""


class UnavailableError(KubeError):
    """The API server gives no answer that can be used now."""


class UnreachableError(UnavailableError):
    """The API server could not be reached or the kubeconfig could not be used."""


@dataclass(eq=False)
class ApiError(KubeError):
    """A refusal of the API server, in the server's own words.

    Attributes:
        status: HTTP status.
        reason: `Status.reason`, e.g. `AlreadyExists`, `Conflict`, `Invalid`.
        message: `Status.message`.
        required: fields whose absence the server complains about.
        retry_after: seconds to leave the server alone, as it asked (header `Retry-After`); 0 where it did not.
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
        """Whether an object of that name is there."""
        return self.reason == "AlreadyExists"

    @property
    def not_found(self) -> bool:
        """Whether the object, or its namespace, is not there."""
        return self.status == HTTPStatus.NOT_FOUND

    @property
    def namespace_missing(self) -> bool:
        """Whether it is the namespace that is not there."""
        return self.not_found and self.message.startswith("namespaces ")

    @property
    def forbidden(self) -> bool:
        """Whether the user may not do this."""
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
