"""Planned faults: which request to Azure fails, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final, Literal

from kubeflow_aks.local_aks.azure.arm import ArmError

_CODES: Final = {
    HTTPStatus.FORBIDDEN: "AuthorizationFailed",
    HTTPStatus.CONFLICT: "OperationNotAllowed",
    HTTPStatus.TOO_MANY_REQUESTS: "TooManyRequests",
    HTTPStatus.INTERNAL_SERVER_ERROR: "InternalServerError",
}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault, e.g. "the 3rd PUT of an agent pool is answered 429 with Retry-After 30"."""

    method: str = "PUT"
    """HTTP method of the requests counted: GET, PUT, DELETE or POST."""
    type: str
    """Pulumi type token of the requests counted, e.g. `azure-native:containerservice:AgentPool`."""
    nth: int = 1
    """The first request, counted from 1, that fails; every retry of the provider counts as a request."""
    times: int = 1
    """How many requests in a row fail."""
    stage: Literal["request", "operation"] = "request"
    """`request`: ARM answers the error at once and nothing changes. `operation`: ARM accepts the request and
    the long-running operation fails afterwards, so that the resource exists with `provisioningState: Failed`."""
    status: int = HTTPStatus.INTERNAL_SERVER_ERROR
    """HTTP status of the error."""
    retry_after: float | None = None
    """Seconds of the Retry-After header."""
    kill: bool = False
    """Kill the stand-in's process (SIGKILL) in place of an error. At stage `operation` Azure still finishes."""
    requests: int = 0
    """Matching requests so far."""

    @property
    def due(self) -> bool:
        """Whether the request counted last is one that fails."""
        return self.nth <= self.requests < self.nth + self.times

    def count(self, method: str, type_token: str) -> Fault:
        """This fault after one more request."""
        matches = (method, type_token) == (self.method, self.type)
        return replace(self, requests=self.requests + 1) if matches else self

    def error(self) -> ArmError:
        """The answer of ARM."""
        status = HTTPStatus(self.status)
        return ArmError(
            status,
            _CODES.get(status, status.phrase.replace(" ", "")),
            f"Planned fault: {status.phrase}.",
            retry_after=self.retry_after,
        )
